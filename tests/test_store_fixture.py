"""The store of version 1 in tests/fixtures says what it said when it was written."""

import json
import shutil

import pytest

from cspca.shell import main
from tests.real_data import REPOSITORY

STORE = REPOSITORY / "tests" / "fixtures" / "store_v1"


@pytest.mark.filterwarnings("ignore")
def test_every_run_is_shown_with_its_numbers(tmp_path, capsys):
    home = shutil.copytree(STORE / "store", tmp_path / "home")
    content = json.loads((STORE / "content.json").read_text(encoding="utf-8"))
    assert {one["kind"] for one in content} == {"comparison", "sensitivity", "starts", "fit"}
    for then in content:
        assert main(["runs", "show", f"id:{then['run']}", "--json", "--home", str(home)]) == 0
        now = json.loads(capsys.readouterr().out)
        assert {key: now[key] for key in then} == then
