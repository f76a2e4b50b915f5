"""The log of a server tells what happened and to whose job, and nothing of anybody's data."""

import json
import logging
import sys
import threading
import time
import warnings

import pytest

from cspca.experiments import log
from cspca.experiments.jobs import ABANDONED, JobRegistry


@pytest.fixture
def begin(capsys):
    """Begin a log; what that returns reads it."""
    logger = logging.getLogger("cspca")
    before = logger.handlers, logger.propagate, logger.level
    everybody = [
        one for one in logging.root.manager.loggerDict.values() if hasattr(one, "handlers")
    ]
    formatters = [(handler, handler.formatter) for one in everybody for handler in one.handlers]

    def now():
        log.begin()
        return lambda: [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    root, show = logging.root.handlers, warnings.showwarning
    yield now
    logging.root.handlers, warnings.showwarning = root, show
    logger.handlers, logger.propagate = before[:2]
    logger.setLevel(before[2])
    # pytest's own handlers among them.
    for handler, formatter in formatters:
        handler.setFormatter(formatter)


def test_a_job_is_told_with_its_visitor_and_without_its_data(begin):
    def refused(job):
        raise ValueError("secret-faces.mat has no images.")

    lines = begin()
    registry, secret = JobRegistry(1), "5ec2e7" * 5
    job = registry.submit(refused, owner=f"{secret} window")
    assert registry.join(job, 30)
    registry.close()
    told = lines()
    assert [line["what"] for line in told] == [
        "A job begins.",
        "A job was refused its input.",
        "A job has ended.",
    ]
    whose = log.hashed(secret)[:8]
    assert all(line["job"] == log.hashed(job)[:8] and line["visitor"] == whose for line in told)
    assert told[1]["error"] == "ValueError"
    assert told[1]["way"][-1].endswith(" refused")
    assert told[-1]["state"] == "failed"
    assert not any(word in json.dumps(told) for word in ("secret-faces", secret))


def test_what_would_be_filled_in_is_left_out(begin):
    lines = begin()
    logging.getLogger("cspca.anything").warning("Read %s.", "secret-faces.mat")
    (line,) = lines()
    assert line["what"] == "Read %s."
    assert line["level"] == "warning"


def test_whoever_serves_the_pages_tells_no_more(begin, monkeypatch):
    other, handler = logging.getLogger("streamlit.anything"), logging.StreamHandler()
    monkeypatch.setattr(other, "handlers", [handler])
    monkeypatch.setattr(other, "propagate", False)
    lines = begin()
    monkeypatch.setattr(handler, "stream", sys.stderr)
    try:
        raise RuntimeError("secret-faces.mat")
    except RuntimeError:
        other.exception("Uncaught app execution")
    (line,) = lines()
    assert (line["what"], line["error"]) == ("Uncaught app execution", "RuntimeError")
    assert "secret-faces" not in json.dumps(line)


def test_warnings_of_libraries_are_lines_too(begin):
    lines = begin()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        # As this leaves it: catch_warnings puts back what was there before.
        warnings.showwarning = log.show_warning
        warnings.warn("secret-faces.mat is odd", RuntimeWarning, stacklevel=1)
    logging.getLogger("another.library").warning("Cannot read %s.", "secret-faces.mat")
    first, second = lines()
    assert (first["what"], first["error"]) == ("A library warns.", "RuntimeWarning")
    assert first["way"][0].startswith("test_log.py:")
    assert second["what"] == "Cannot read %s."
    assert "secret-faces" not in json.dumps([first, second])


def test_a_job_that_does_not_heed_its_stop_is_stuck(monkeypatch):
    let_go = threading.Event()
    registry = JobRegistry(1)
    job = registry.submit(lambda job: bool(let_go.wait(30)))
    registry.cancel(job)
    assert registry.stuck == 0
    now = time.monotonic()
    monkeypatch.setattr("cspca.experiments.jobs.time.monotonic", lambda: now + ABANDONED + 1)
    assert registry.stuck == 1
    let_go.set()
    assert registry.join(job, 30)
    assert registry.stuck == 0
    registry.close()


def test_a_message_of_a_library_that_is_no_template_is_not_written():
    record = logging.LogRecord("foreign.io", 30, "reader.py", 7, "Cannot read mine.csv", (), None)
    line = json.loads(log.Lines().format(record))
    assert line["what"] == "foreign.io reports something."
    assert "mine.csv" not in str(line)
    assert line["way"] == ["reader.py:7 None"]
