"""What a page asks for after it was left is not run.

A part that draws itself again and again may ask once more while the next page is on its way: the
browser would take the answer for a page of its own and clear what it has just got, and the next
part of that page would find no place any more (Streamlit 1.67; tests/app/test_late.py shows it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

if TYPE_CHECKING:
    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

_RUN: Final = ScriptRunner._run_script


def _of_this_page(runner: ScriptRunner, rerun_data: RerunData) -> None:
    here = runner._get_script_run_ctx().page_script_hash
    # Nothing was run on a new thread yet, and what is asked then was looked for before.
    if not rerun_data.fragment_id_queue or here in ("", rerun_data.page_script_hash):
        _RUN(runner, rerun_data)


def refuse() -> None:
    """From now on, leave such requests alone."""
    ScriptRunner._run_script = _of_this_page  # type: ignore[assignment,method-assign]
