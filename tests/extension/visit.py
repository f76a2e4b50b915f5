"""Go everywhere with the toys: pages, shell, Runs, a report. Runs in a house that has them."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import numpy as np
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

import cspca
from cspca.shell import main
from cspca.ui import follow, menu, programs
from cspca.ui.services import runs
from tests.app.conftest import look, words

HOUSE = Path(cspca.__file__).parents[1]
# None of the packages has components of Streamlit, and every visitor would search them all.
manifest_scanner.scan_component_manifests = list
# It looks when it wants to; a page would wait for what is at work, since no browser asks for it.
follow._wait = lambda followed: None
# It sees what a browser is sent.
programs.reads = lambda: False


def arrive(page=menu.FIRST, data="toyset", **address):
    visitor = AppTest.from_file(
        str(HOUSE / "cspca" / "ui" / "entry" / "main.py"), default_timeout=60
    )
    if page != menu.FIRST:
        visitor.switch_page(menu.script(page))
    for name, value in {"data": data, **address}.items():
        visitor.query_params[name] = value
    return look(visitor)


def finished(page, kind):
    page.button(key=f"{kind}_run").click()
    look(page)
    view_id = page.session_state["shown_runs"][kind, "toyset"]
    run = runs().store.view(view_id)
    assert runs().join(run.id, 60)
    return look(page)


def options(page):
    return [option for group in page.button_group for option in map(str, group.options)]


def shell(*arguments):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            code = main([*map(str, arguments)])
        except SystemExit as end:
            code = end.code
    return f"{said.getvalue()}\nexit {code}"


def visit(folder):
    home = arrive()
    experiment = finished(arrive("toymeans"), "toymeans")
    drawn = [json.loads(one.proto.spec) for one in experiment.get("plotly_chart")]
    written, lines = words(experiment), experiment.code[0].value
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(lines, {})
    listed = look(experiment.switch_page(menu.script("runs")))
    compare = arrive("compare")
    compare.button(key="compare_all_methods").click()
    compare = look(compare)
    compare.session_state["compare_methods"] = ["all", "toy"]
    compare.session_state["compare_n_features"] = "4"
    compare.session_state["compare_n_seeds"] = 2
    compare = finished(look(compare), "compare")
    (folder / "numbers.toy").write_text(
        "\n".join(" ".join(map(str, row)) for row in np.eye(9).round(1).tolist())
    )
    said = {
        "home": words(home),
        "explore": options(arrive("explore")),
        "data": words(arrive("data")) + str([one.help for one in home.file_uploader]),
        "toymeans": written,
        "snippet": lines + printed.getvalue(),
        "charts": [one["layout"]["meta"]["alt"] for one in drawn],
        "compare": words(compare) + str(options(compare)) + str(compare.get("plotly_chart")),
        "runs": words(listed) + str(options(listed)),
    }
    return said | {
        "help": shell("--help"),
        "rank": shell("rank", "toyset", "toy"),
        "read": shell("rank", folder / "numbers.toy", "toy", "--samples", "rows"),
        "command": shell("toymeans", "toyset", "--n-features", "4"),
        "list": shell("runs", "list"),
        "report": shell("report", "last", "--out", folder / "toy.html"),
        "fit": shell("fit", "toyset", "--solver", "toy"),
        "convergence": shell("convergence", "toyset", "--solvers", "toy", "--inits", "diagonal-1",
                        "--alpha", "0.1", "--beta", "0.1", "--n-seeds", "0"),
        "convergence report": shell("report", "last", "--out", folder / "convergence.html"),
    }  # fmt: skip


if __name__ == "__main__":
    import sys

    where = Path(sys.argv[1])
    (where / "said.json").write_text(json.dumps(visit(where)))
