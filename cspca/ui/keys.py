"""Every name under which the dashboard keeps something: session state, the URL, containers.

A session key that belongs to a widget is the widget's key. Nothing else in the dashboard spells
one of these names out.
"""

from __future__ import annotations

from typing import Final

# Session state, shared by all pages of one visitor.
DATA: Final = "data_in_use"
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

# Buttons and other widgets whose value lives for one run only.
STOP: Final = "stop_button"
CONTINUE: Final = "continue_button"
DOWNLOAD: Final = "download_scores"
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
Q_ALPHA: Final = "alpha"
Q_BETA: Final = "beta"
Q_KEEP: Final = "keep"
Q_TOP_K: Final = "k"
Q_SOLVER: Final = "solver"
Q_CENTER: Final = "centre"
Q_NORMALIZE: Final = "normalise"
Q_TOLERANCE: Final = "tol"
Q_JOB: Final = "job"
Q_PRESET: Final = "preset"
Q_AXIS: Final = "axis"
Q_TRUTH: Final = "truth"

# Containers, for styles and for tests in a browser.
BOX_STATUS: Final = "fit_status"
BOX_MAP: Final = "importance_map"
BOX_CURVE: Final = "convergence_chart"
BOX_SCORES: Final = "score_chart"
BOX_CONTROLS: Final = "controls"
BOX_FACES: Final = "faces_row"
BOX_TRUTH: Final = "truth_row"
BOX_EXPLORE: Final = "explore_columns"
BOX_MENU: Final = "page_menu"
BOX_DATA: Final = "data_card"
BOX_PRESETS: Final = "presets"
BOX_GALLERY: Final = "gallery"
BOX_SOURCES: Final = "sources"
BOX_LOADING: Final = "loading_box"
BOX_REFUSED: Final = "refused_box"
BOX_RECOGNISED: Final = "recognised_box"
BOX_PREVIEW: Final = "preview_box"
BOX_BALANCE: Final = "class_balance"
BOX_CLOSE_UP: Final = "close_up_box"
