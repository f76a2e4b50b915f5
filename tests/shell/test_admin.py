"""The operator's commands: who uses what, stop, evict, backup and restore."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pytest

from cspca.experiments.database import HOME_VARIABLE, note_address, owner_token
from cspca.experiments.doctor import doctor
from cspca.experiments.log import hashed
from cspca.experiments.store import Store
from cspca.shell import main
from tests.experiments.toys import Toy, blobs, finish

ANNA = "a" * 32
LARGE = Toy(n=2, size=150_000)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A store with one run of Anna's, of two arrays of 1.2 MB and a copy of her data."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "store"))
    with Store() as store:
        run_id = store.create(LARGE, blobs(), owner=ANNA, name="Hers")
        store.keep_data(run_id, blobs())
        finish(store, run_id, LARGE)
    return tmp_path / "store"


@contextmanager
def server(status=200):
    """Stands in for a dashboard: who brings the token is told of a job, and what was asked."""
    asked = []
    told = {
        "status": "well" if status == 200 else "ill",
        "faults": [] if status == 200 else ["Ill."],
    }
    job = {"job": "mMqjz1mf", "visitor": hashed(ANNA)[:8], "state": "running", "seconds": 2.5}

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self):
            right = self.headers["Authorization"] == f"Bearer {owner_token()}"
            uploads = {hashed(ANNA)[:8]: 7 << 20}
            self._say(status if right else 403, told | {"jobs": [job], "uploads": uploads})

        def do_POST(self):
            asked.append(dict(parse_qsl(urlsplit(self.path).query)))
            known = "nobody12" not in asked[-1].values()
            self._say(200, {"stopped": ["mMqjz1mf"] * known, "freed": known * (3 << 20)})

        def _say(self, code, what):
            self.send_response(code)
            self.end_headers()
            self.wfile.write(json.dumps(what).encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        note_address(f"http://0.0.0.0:{running.server_port}")
        yield asked
        running.shutdown()


def test_who_uses_what(home, capsys):
    with server():
        assert main(["admin", "who", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    who = hashed(ANNA)[:8]
    assert found["visitors"][who]["runs"] == found["visitors"][who]["jobs"] == 1
    assert found["visitors"][who]["unread"] == 7 << 20
    assert 2 * 150_000 * 8 < found["visitors"][who]["disk"] < 2 * 150_000 * 8 + 100_000
    assert [job["job"] for job in found["jobs"]] == ["mMqjz1mf"]
    with server():
        assert main(["admin", "who"]) == 0
    words = capsys.readouterr().out
    assert who in words
    assert "unread (MB)" in words
    assert "mMqjz1mf" in words
    assert "Hers" not in words
    assert ANNA not in words


def test_without_a_server_the_store_is_told(home, capsys):
    note_address("http://127.0.0.1:9")
    assert main(["admin", "who"]) == 0
    words = capsys.readouterr().out
    assert hashed(ANNA)[:8] in words
    assert "No server" in words
    assert main(["admin", "stop", "mMqjz1mf"]) == 1
    assert "streamlit run app.py" in capsys.readouterr().err


def test_a_server_that_is_ill_says_why(home, capsys):
    with server(503):
        assert main(["admin", "who"]) == 1
    assert capsys.readouterr().out.endswith("The server is ill.\nIll.\n")


def test_who_is_not_known_is_said(home, capsys):
    with server():
        assert main(["admin", "stop", "nobody12"]) == 1
    assert "No visitor and no run here is nobody12" in capsys.readouterr().err


def test_stop_and_evict_are_asked_of_the_server(home, capsys):
    with server() as asked:
        assert main(["admin", "stop", "mMqjz1mf"]) == 0
        assert main(["admin", "evict", "ae39496c"]) == 0
    assert asked == [
        {"job": "mMqjz1mf", "visitor": "mMqjz1mf"},
        {"visitor": "ae39496c", "evict": "ae39496c"},
    ]
    assert capsys.readouterr().out.count("Stopped: mMqjz1mf. Let go: 3.0 MB.") == 2


def test_a_copy_goes_elsewhere_and_back(home, tmp_path, capsys):
    assert main(["admin", "backup", str(tmp_path / "copy.tar")]) == 0
    elsewhere = str(tmp_path / "elsewhere")
    assert main(["admin", "restore", str(tmp_path / "copy.tar"), "--home", elsewhere]) == 0
    assert doctor(elsewhere).faults == ()
    with Store(elsewhere) as store:
        assert [run.name for run in store.runs(ANNA)] == ["Hers"]
    assert main(["admin", "restore", str(tmp_path / "copy.tar")]) == 1
    assert "move it away" in capsys.readouterr().err
