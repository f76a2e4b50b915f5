"""Every name under which the dashboard keeps something: session state, the URL, containers.

A session key that belongs to a widget is the widget's key. Nothing else in the dashboard spells
one of these names out.
"""

from __future__ import annotations

from typing import Final

# Session state, shared by all pages of one visitor.

# Sets that are read: which by now, where it was asked for, what was read, what was refused, and
# beside which set in use.

# The Compare page: the comparison of every data set, whose settings the controls show, and they.
COMPARE_SPEC: Final = "compare_spec_function"
COMPARE_METRIC: Final = "compare_metric"
COMPARE_K: Final = "compare_masks_of"

# The Sensitivity page: the run of every data set, whose settings the controls show, and they.
GRID_MEASURE: Final = "grid_measure"
GRID_LOOK: Final = "grid_look"
GRID_CELL: Final = "grid_cell_chosen"
GRID_ALPHA: Final = "grid_cell_alpha"
GRID_BETA: Final = "grid_cell_beta"

# The Convergence page: the run of every data set, whose settings the controls show, and they.
STARTS_OF: Final = "starts_curve_of"
STARTS_AXIS: Final = "starts_axis"
STARTS_MEASURE: Final = "starts_measure"

# Who the visitor is, and the runs that they came to by a link: these they see, and no more.

# The Runs page: what is listed, the run that is looked at, the one it is held against, and the one
# that was deleted last.
RUNS_SEARCH: Final = "runs_search"
RUNS_KIND: Final = "runs_kind"
RUNS_TRASH: Final = "runs_trash"
RUNS_MORE: Final = "runs_more"
RUNS_SHOWN: Final = "runs_shown"
RUN_LOOKED_AT: Final = "run_looked_at"
RUN_OTHER: Final = "run_held_against"
RUN_METRIC: Final = "runs_compared_by"
RUN_DELETED: Final = "run_deleted_last"

# The Paper page: how much is computed, and what is looked at.
PAPER_PROTOCOL: Final = "paper_protocol"
PAPER_VIEW: Final = "paper_view"
PAPER_METRIC: Final = "paper_metric"
PAPER_OVER: Final = "paper_over_all"
PAPER_K: Final = "paper_selected_features"
PAPER_LOOK: Final = "paper_look"
PAPER_START: Final = "paper_start"

# Buttons and other widgets whose value lives for one run only.
GRID_OPEN: Final = "open_cell_button"
RUN_OPEN: Final = "open_run"
RUN_LOOK: Final = "look_at_run"
RUN_GO_ON: Final = "go_on_with_run"
RUN_STOP: Final = "stop_run"
RUN_NAME: Final = "run_name"
RUN_DELETE: Final = "delete_run"
RUN_RESTORE: Final = "restore_run"
RUN_UNDO: Final = "undo_delete_run"
RUN_KEEP_DATA: Final = "keep_data_of_run"

# Query parameters.

# Containers, for styles and for tests in a browser.
BOX_MASKS: Final = "method_masks"
BOX_RUNS: Final = "runs_list"
BOX_RUN: Final = "run"
BOX_RUN_DETAILS: Final = "run_details"
