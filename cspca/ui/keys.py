"""Every name under which the dashboard keeps something: session state, the URL, containers.

A session key that belongs to a widget is the widget's key. Nothing else in the dashboard spells
one of these names out.
"""

from __future__ import annotations

from typing import Final

# Session state, shared by all pages of one visitor.
DATA: Final = "data_in_use"
RUNS: Final = "shown_runs"
OUTCOME: Final = "outcome_read"
CHARTS: Final = "charts_drawn"
MODE: Final = "penalty_mode"
ALPHA: Final = "alpha_slider"
BETA: Final = "beta_slider"
PATH: Final = "path_slider"
KEEP: Final = "keep_slider"
TOP_K: Final = "top_k_slider"
SOLVER: Final = "solver_choice"
CENTER: Final = "center_toggle"
NORMALIZE: Final = "normalize_toggle"
TOLERANCE: Final = "tolerance_choice"
AXIS: Final = "axis_choice"
FACE: Final = "face_slider"
TRUTH: Final = "truth_toggle"
PIXEL: Final = "selected_pixel"
JOB: Final = "fit_job"
FIT: Final = "fit_shown"
VIEW: Final = "view_opened"
PRESET: Final = "open_preset"
OWNER: Final = "view_owner"
LIVE_PIXELS: Final = "live_pixels"
LAST_RESULT: Final = "last_result"
URL_WRITTEN: Final = "url_written"
NOTICE: Final = "notice"
NOTICE_SHOWN: Final = "notice_shown"

# Sets that are read: which by now, where it was asked for, what was read, what was refused, and
# beside which set in use.
LOADING: Final = "loading_job"
ASKED: Final = "asked_at"
DRAFT: Final = "draft_job"
REFUSED: Final = "refused"
DRAFT_BESIDE: Final = "draft_beside"
DRAFT_IN_USE: Final = "draft_in_use"
UPLOAD_ROUND: Final = "upload_round"
REMOTE_CHOICE: Final = "remote_choice"
REQUEST_CHOICE: Final = "request_choice"
CLASS_PAGE: Final = "class_page"
CLOSE_UP: Final = "close_up_slider"
DROP_BAD: Final = "drop_bad_toggle"

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
VISITOR: Final = "visitor_secret"
VISITOR_REPLACE: Final = "visitor_replace"
VISITOR_SCRUB: Final = "visitor_scrub"
VISITOR_COOKIE: Final = "visitor_cookie"

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
STOP: Final = "stop_button"
CONTINUE: Final = "continue_button"
GRID_OPEN: Final = "open_cell_button"
SAVE_CHARTS: Final = "save_charts"
EXPLORE_IMAGES: Final = "report_with_images"
EXPLORE_IMAGES_FOR: Final = "report_with_images_of"
KEEP_FIT: Final = "keep_fit_button"
RUN_OPEN: Final = "open_run"
RUN_LOOK: Final = "look_at_run"
RUN_GO_ON: Final = "go_on_with_run"
RUN_STOP: Final = "stop_run"
RUN_NAME: Final = "run_name"
RUN_DELETE: Final = "delete_run"
RUN_RESTORE: Final = "restore_run"
RUN_UNDO: Final = "undo_delete_run"
RUN_KEEP_DATA: Final = "keep_data_of_run"
FETCH: Final = "fetch_button"
CANCEL_LOAD: Final = "cancel_load_button"
USE_DRAFT: Final = "use_draft_button"
PUT_AWAY: Final = "put_away_button"
BRING: Final = "bring_files"
CHOICE: Final = "choice"
UPLOAD: Final = "upload_file"
PIXEL_MAP: Final = "pixel_map"

# Query parameters.
Q_DATA: Final = "data"
Q_MODE: Final = "mode"
Q_TOP_K: Final = "k"
Q_JOB: Final = "job"
Q_PRESET: Final = "preset"
Q_AXIS: Final = "axis"
Q_TRUTH: Final = "truth"
Q_RUN: Final = "run-"

# Containers, for styles and for tests in a browser.
BOX_STATUS: Final = "fit_status"
BOX_MAP: Final = "importance_map"
BOX_CURVE: Final = "convergence_chart"
BOX_CONTROLS: Final = "controls"
BOX_FACES: Final = "faces_row"
BOX_TRUTH: Final = "truth_row"
BOX_EXPLORE: Final = "explore_columns"
BOX_MENU: Final = "page_menu"
BOX_VISITOR: Final = "visitor"
BOX_DATA: Final = "data_card"
BOX_PRESETS: Final = "presets"
BOX_GALLERY: Final = "gallery"
BOX_SOURCES: Final = "sources"
BOX_LOADING: Final = "loading_box"
BOX_REFUSED: Final = "refused_box"
BOX_RECOGNISED: Final = "recognised_box"
BOX_PREVIEW: Final = "preview_box"
BOX_CLOSE_UP: Final = "close_up_box"
BOX_MASKS: Final = "method_masks"
GUIDE_PART: Final = "guide_part"
BOX_RUNS: Final = "runs_list"
BOX_RUN: Final = "run"
BOX_RUN_DETAILS: Final = "run_details"
