"""Keys of the session state of a window, with those of widgets.

:func:`cspca.ui.fields.key` returns the key of an experiment's setting.
"""

from typing import Final

# Settings of the view and its fit, which are the keys of their widgets.
VIEW_DATA: Final = "view_data"
VIEW_MODE: Final = "view_mode"
VIEW_K: Final = "view_k"
VIEW_K_MOVES: Final = "view_k_moves"
VIEW_AXIS: Final = "view_axis"
VIEW_TAB: Final = "view_tab"
VIEW_TRUTH: Final = "view_truth"
VIEW_PICTURE: Final = "view_picture"
VIEW_PRESET: Final = "view_preset"
VIEW_PIN: Final = "view_pin"
FIT_ALPHA: Final = "fit_alpha"
FIT_BETA: Final = "fit_beta"
FIT_KEEP: Final = "fit_keep"
FACE_SLIDER: Final = "face_slider"

# State of a page that shows the view.
VIEW_OPENED: Final = "view_opened"
VIEW_JOB: Final = "view_job"
VIEW_OWNER: Final = "view_owner"
LAST_RESULT: Final = "last_result"
PENALTIES_OF_GONE_DATA: Final = "penalties_of_gone_data"
PIN_JOB: Final = "pin_job"
SELECTED_PIXEL: Final = "selected_pixel"
FALL_OFF: Final = "fall_off"
OUTCOME_READ: Final = "outcome_read"

# The address, and the parameters of a link.
URL_WRITTEN: Final = "url_written"
URL_SENT: Final = "url_sent"
URL_PAGE: Final = "url_page"
LINK_VALUES: Final = "link_brought"
LINK_READ: Final = "link_read"
LINKED_PART: Final = "part_brought"
PART_SHOWN: Final = "part_shown"
PART_CHANGED: Final = "part_changed"
MORE_IN_LINK: Final = "more_in_link"
SHOWN_RUNS: Final = "shown_runs"
OPEN_RUN: Final = "open_run"
PIXELS_GIVEN: Final = "pixels_given"
PIXELS_IN_LINK: Final = "pixels_in_link"

# Files at addresses of the server.
DOWNLOADS: Final = "downloads"

# Notices at the top of a page.
NOTICE: Final = "notice"
NOTICE_SHOWN: Final = "notice_shown"

# Work that a page follows, persistent widgets, and removals.
FOLLOWED: Final = "followed"
FOLLOW_TOKEN: Final = "follow_token"
PERSISTENT_KEYS: Final = "persistent_keys"
PAGE_DRAWN: Final = "page_drawn"
NUMBERS_CORRECTED: Final = "numbers_corrected"
ERASED: Final = "erased"
REMOVING: Final = "removing"
REMOVAL_WORD: Final = "removal_word"

# The visitor, and the tour.
VISITOR_SECRET: Final = "visitor_secret"
VISITOR_REMOVALS: Final = "visitor_removals"
TOURING: Final = "touring"
TOUR_GOAL: Final = "tour_goal"
TOUR_SHOWN: Final = "tour_shown"
TOUR_STEP: Final = "tour_step"

# Uploads.
ASKED: Final = "asked"
REFUSED: Final = "refused"
DRAFT_JOB: Final = "draft_job"
DRAFT_ADOPTED: Final = "draft_adopted"
UPLOAD_ROUND: Final = "upload_round"
CHOOSE_SET: Final = "choose_set"
LEFT_OUT_OF: Final = "left_out_of"

# Films.
FILM_ALONG: Final = "film_along"
FILM_SENT: Final = "film_sent"
FILM_CHOICES: Final = "films_wanted"

# Predict and classes.
PAINTED: Final = "painted"
PAINTED_AS_TEXT: Final = "painted_as_text"
PIXELS_REFUSED: Final = "pixels_refused"
REVEALED: Final = "revealed"
PREDICT_K: Final = "predict_k"
PREDICT_PREPARED: Final = "predict_prepared"
PREDICT_IN_LINK: Final = "predict_in_link"
CLASS_CODE: Final = "class_code"
CLASS_JOINED: Final = "class_joined"
CLASS_MOVED: Final = "class_moved"
CLASS_REVEALED: Final = "class_revealed"
CLASS_TYPED: Final = "class_typed"

# Experiments.
GLANCES: Final = "glances"
COMPARE_ALL_METHODS: Final = "compare_all_methods_shown"
COMPARE_METHODS_SEEN: Final = "compare_methods_seen"
COMPARE_METRIC: Final = "compare_metric"
COMPARE_READING: Final = "compare_reading"
COMPARE_REFUSED: Final = "compare_refused"
COMPARE_UNDERSTOOD: Final = "compare_understood"
COMPARE_UNDECIDED: Final = "compare_undecided"
GRID_CELL_CHOSEN: Final = "grid_cell_chosen"

# Explore.
LESSONS_CHOSEN: Final = "lessons_chosen"
EXPLORE_TAB: Final = "explore_tab"
COMPONENTS_SHOWN: Final = "components_shown"
COMPONENTS_DRAWN: Final = "components_drawn"
SAMPLES_ACROSS: Final = "samples_across"
SAMPLES_UP: Final = "samples_up"
SAMPLES_DRAWN: Final = "samples_drawn"
SAMPLES_CELLS: Final = "samples_cells"
SAMPLES_GROUPS: Final = "samples_groups"
SAMPLES_CHOSEN: Final = "samples_chosen"
SAMPLES_REFUSED: Final = "samples_refused"
SAMPLES_FIRST: Final = "samples_first"
SAMPLES_SECOND: Final = "samples_second"

# Outliers.
ODD_OUT: Final = "odd_out"
ODD_PICKED: Final = "odd_picked"
PLANTED_PICKED: Final = "planted_picked"
NEW_IMAGES_LINES: Final = "new_images_lines"
OUTLIERS_SECTION: Final = "outliers_section"

# Data.
SCALES_REQUESTED: Final = "scales_requested"

# Runs.
RUN_LOOKED_AT: Final = "run_looked_at"
RUN_HELD_AGAINST: Final = "run_held_against"
RUN_DELETED_LAST: Final = "run_deleted_last"
RUNS_KIND: Final = "runs_kind"
RUNS_SEARCH: Final = "runs_search"
RUNS_SHOWN: Final = "runs_shown"
RUNS_TRASH: Final = "runs_trash"

# The guide.
GUIDE_PART: Final = "guide_part"
