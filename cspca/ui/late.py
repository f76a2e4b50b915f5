"""What a page asks for after it was left is not run.

A part that draws itself again and again may ask once more while the next page is on its way: the
browser would take the answer for a page of its own and clear what it has just got, and the next
part of that page would find no place any more. Where the next page still waits to be run,
Streamlit makes one request of both and runs the page that was left: the click is lost (Streamlit
1.67; tests/app/test_late.py shows both).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests, ScriptRequestType

if TYPE_CHECKING:
    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

_RUN: Final = ScriptRunner._run_script
_REQUEST: Final = ScriptRequests._request_rerun_locked


def _of_this_page(runner: ScriptRunner, rerun_data: RerunData) -> None:
    here = runner._get_script_run_ctx().page_script_hash
    # Nothing was run on a new thread yet, and what is asked then was looked for before.
    if not rerun_data.fragment_id_queue or here in ("", rerun_data.page_script_hash):
        _RUN(runner, rerun_data)


def _of_the_next_page(requests: ScriptRequests, new: RerunData) -> bool:
    waits = requests._rerun_data
    whole = requests._state is ScriptRequestType.RERUN and not waits.fragment_id_queue
    if whole and new.fragment_id and new.page_script_hash != waits.page_script_hash:
        return True
    return _REQUEST(requests, new)


def refuse() -> None:
    """From now on, leave such requests alone."""
    ScriptRunner._run_script = _of_this_page  # type: ignore[assignment,method-assign]
    ScriptRequests._request_rerun_locked = _of_the_next_page  # type: ignore[assignment,method-assign]
