"""One visitor at a time, on a server of their own: pages run in process, without a browser."""

from __future__ import annotations

import io
import json
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest

from cspca import record
from cspca.datasets import make_faces
from cspca.experiments.database import HOME_VARIABLE
from cspca.experiments.registry import EXPERIMENTS
from cspca.ui import menu
from cspca.ui.services import runs, services

REPOSITORY = Path(__file__).resolve().parents[2]
MAIN = REPOSITORY / "cspca" / "ui" / "entry" / "main.py"


@pytest.fixture(scope="package", autouse=True)
def _made_once():
    """What a server does as it starts, and each test would do again at half of its time.

    Scripts are compiled, and all packages are searched for components of Streamlit: none has any. A
    cell that several tests ask for is computed once: its name stands for all that decides its
    numbers. Those of Sensitivity are computed anew, because tests stop it midway.
    """
    scripts, results = ScriptCache(), {}

    def cached(compute):
        def look_up(self, cell, data, needed):
            key = cell.name, data.sha256
            if key not in results:
                results[key] = compute(self, cell, data, needed)
            return results[key]

        return look_up

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.testing.v1.app_test.ScriptCache", lambda: scripts)
        for kind in ("compare", "convergence", "paper", "reproducibility"):
            patch.setattr(EXPERIMENTS[kind], "compute", cached(EXPERIMENTS[kind].compute))
        patch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)
        yield


_RECORD_OF_OTHERS = SimpleNamespace(
    paths=lambda kind, sha256: [] if kind == "compare" else record.paths(kind, sha256),
    read=record.read,
)


@pytest.fixture
def server(tmp_path, monkeypatch, at_home):
    """Services and a store that nobody else has used; files are parsed in this process."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "store"))
    # No page begins anything by itself unless a test wants it.
    monkeypatch.setattr("cspca.ui.experiment_page.QUICK", 0.0)
    # Nor does Compare draw the reference run, which takes longer than all else of the page.
    monkeypatch.setattr("cspca.ui.experiment_page.record", _RECORD_OF_OTHERS)
    # A test looks when it wants to; a program that visits would wait for what is at work.
    monkeypatch.setattr("cspca.ui.follow._wait", lambda followed: None)
    # It sees what a browser is sent.
    monkeypatch.setattr("cspca.ui.programs.reads", lambda: False)
    services.clear()
    runs.clear()
    yield services
    services().jobs.close()
    services().films.jobs.close()
    services().loading.jobs.close()
    runs().close()
    runs().store.close()
    services.clear()
    runs.clear()


@pytest.fixture
def arrive(server):
    """``arrive("explore", alpha="0.1")`` is a new visitor on that page with that address.

    A kind of experiment that is a tab of Compare opens that. ``of=page`` makes it another window of
    the visitor of that page.
    """

    def go(page=menu.FIRST, of=None, **address):
        visitor = AppTest.from_file(str(MAIN), default_timeout=60)
        if of is not None:
            visitor.session_state["visitor_secret"] = of.session_state["visitor_secret"]
        if page in menu.TABS and page != "compare":
            page, address = "compare", {"tab": page, **address}
        if page != menu.FIRST:
            visitor.switch_page(menu.script(page))
        for name, value in address.items():
            visitor.query_params[name] = value
        return look(visitor)

    return go


def look(visitor):
    """Run the page and hold it to what every page promises."""
    visitor.run()
    assert not visitor.exception
    return visitor


def settled(visitor, seconds=60.0):
    """Let the fit that the visitor sees come to its end, then look again."""
    job = visitor.session_state["view_job"]
    assert services().jobs.join(job, seconds)
    return look(visitor)


def until(visitor, condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.02)
        look(visitor)
    return visitor


def read(visitor):
    """Look until what was just brought has been read, which takes as long as the machine likes."""
    return until(look(visitor), lambda: "asked" not in visitor.session_state)


def words(visitor):
    """All that is written on the page and in its sidebar."""
    kinds = (
        "title", "header", "subheader", "markdown", "caption", "text", "html", "error", "info",
        "warning",
    )  # fmt: skip
    found = [str(element.value) for kind in kinds for element in getattr(visitor, kind)]
    return "\n".join(text for text in found if "<style>" not in text)


def question(visitor):
    """What the page says that it answers."""
    lead = next(html.value for html in visitor.html if "cspca-lead" in html.value)
    return lead.partition("<b>")[2].partition("</b>")[0]


def result(visitor):
    return visitor.session_state["last_result"]


def opened(message):
    """What a component was sent in bytes, as its script reads it."""
    start = 4 + int.from_bytes(message[:4], "little")

    def read(value):
        if value.get("is") != "array":
            return value
        return message[start + value["from"] : start + value["to"]]

    return json.loads(message[4:start], object_hook=read)


def sent(visitor, known):
    """What the browser is sent of a component that is sent something of this name in bytes."""
    messages = [one.proto.bytes for one in visitor.get("bidi_component") if one.proto.bytes]
    return next(data for data in map(opened, messages) if known in data)


def bars(visitor):
    """What stands at the bars of the work that the page waits for."""
    sent = [json.loads(one.proto.json) for one in visitor.get("bidi_component") if one.proto.json]
    return [data["words"] for data in sent if isinstance(data, dict) and "share" in data]


def staged(visitor):
    """What the browser is sent of the stage: map, picture, course and numbers."""
    return sent(visitor, "ceilings")


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


@pytest.fixture(scope="session")
def good_file():
    small = make_faces(n_people=4, n_per_person=5, image_size=12, random_state=3)
    return npz(X=small.data, y=small.target, image_shape=np.array(small.image_shape))


@pytest.fixture
def halted(monkeypatch):
    """Runs that halt at their fourth look at whether they should stop, until they are let go."""
    from cspca.experiments import runner

    there, let_go = threading.Event(), threading.Event()
    whole, looks = runner.resume, []

    def run(*given, should_stop, **more):
        def stop():
            looks.append(1)
            if len(looks) == 4:
                there.set()
                assert let_go.wait(30)
            return should_stop()

        return whole(*given, should_stop=stop, **more)

    monkeypatch.setattr(runner, "resume", run)
    yield there, let_go
    let_go.set()
