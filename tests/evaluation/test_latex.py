"""Text, tables and references as LaTeX, through pdflatex where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import unicodedata
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from cspca import record
from cspca.evaluation.latex import escape_latex, to_latex
from cspca.evaluation.tables import Strong
from cspca.experiments import Fit, run
from cspca.experiments.citing import bibtex
from cspca.experiments.exports import latex
from cspca.experiments.records import versions
from tests.experiments.toys import blobs

NAMES = (
    *("[M+H]+", "* HbA1c", "γ-terpinene", "CO₂", "Δν/cm⁻¹", "p < 0.05 | x > y", "µ_g", "ü 5 %"),
    *("-OH", "β_car", "≤ 5 °C", "5′-UTR", "ℓ₁ ∞", "a--b", "{x}^2 ~ $y$ & #1", "C:\\new", "α ≥ ½"),
    *("Łódź ęą", "Ñandú", "Ångström Å", 'say "it"', "x ± 3 × 10⁻³", "k⁺/Σ₂"),
)  # fmt: skip
"""Names of features as chemists and statisticians write them."""

pdflatex = shutil.which("pdflatex")


def require_packages() -> None:
    """Skip a test where pdflatex or a package that the tables need is not installed."""
    if pdflatex is not None and shutil.which("kpsewhich") is not None:
        words = ["kpsewhich", "booktabs.sty", "graphicx.sty"]
        if subprocess.run(words, capture_output=True, timeout=60, check=False).returncode == 0:
            return
    pytest.skip("pdflatex with booktabs and graphicx is not installed here")


def compiled(folder: Path, body: str, *, bibliography: str = "", options: str = "") -> str:
    """Compile a document of the class article; return the log, which must have no error."""
    require_packages()
    cited = ""
    if bibliography:
        (folder / "refs.bib").write_text(bibliography)
        cited = r"\nocite{*}\bibliographystyle{plain}\bibliography{refs}"
    (folder / "main.tex").write_text(
        rf"\documentclass[{options}]{{article}}"
        r"\usepackage{booktabs,graphicx}\begin{document}"
        f"\n{body}\n{cited}\n\\end{{document}}\n"
    )
    words = [str(pdflatex), "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    commands = [words, ["bibtex", "main"], words, words] if bibliography else [words]
    for arguments in commands:
        done = subprocess.run(arguments, cwd=folder, capture_output=True, timeout=90, check=False)
        output = done.stdout.decode("latin-1")
        assert done.returncode == 0, output[-3000:]
        assert "Warning--" not in output, output
    return (folder / "main.log").read_text("latin-1")


def overfull(log: str) -> list[float]:
    """By how many points boxes stand off the page, where it is more than one."""
    widths = re.findall(r"Overfull \\[hv]box \(([\d.]+)pt too", log)
    too_large = [
        float(points) for points in re.findall(r"Float too large for page by ([\d.]+)", log)
    ]
    return [float(points) for points in widths if float(points) > 1] + too_large


def printed_text(folder: Path) -> str:
    """Text of the document, as a reader copies it."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed here")
    words = ["pdftotext", "-layout", "main.pdf", "-"]
    done = subprocess.run(words, cwd=folder, capture_output=True, timeout=60, check=True)
    return done.stdout.decode()


def letters(text: str) -> str:
    """Text without spaces, accents and the shapes of dashes, quotes and primes."""
    text = unicodedata.normalize("NFKD", text)
    text = text.translate(str.maketrans("’′−–—‐⁄∆ŁÐĐđ“”„", '\'\'----/ΔLDDd"""'))
    # The usual encoding of fonts draws accents beside their letters, and _ as a rule.
    ignored = "¨´`˛ˇ˝˚˙¸˘¯˜ˆ~^_"
    kept = [
        sign for sign in text if unicodedata.category(sign) not in ("Mn", "Zs", "Cc", "Lm", "Sk")
    ]
    return "".join(sign for sign in kept if sign not in ignored)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("50 % of {it} & #1_$", r"50 \% of \textbraceleft{}it\textbraceright{} \& \#1\_\$"),
        ("3 ± 1 × 10⁻³", r"3 $\pm$ 1 $\times$ 10\textsuperscript{$-$3}"),
        ("CO₂", r"CO\textsubscript{2}"),
        ("γΔς", r"$\gamma$$\Delta$$\varsigma$"),
        ("p<5|>", r"p\textless{}5\textbar{}\textgreater{}"),
        ("ü ñ Å š", r"\"{u} \~{n} \r{A} \v{s}"),
        ("ï", r"\"{\i}"),
        ("ą «", r"\UseTextAccent{T1}{\k}{a} \UseTextSymbol{T1}{\guillemotleft}"),
        ("a--b", "a-{}-b"),
        ("two\n lines\x07", "two lines"),
        ("中文 x", r"\ifdefined\Umathchar 中文\else[U+4E2D U+6587]\fi{} x"),
        ("e\u0301", r"\'{e}"),
    ],
)
def test_signs_of_text(text: str, written: str) -> None:
    assert escape_latex(text) == written


def test_a_cell_is_no_option_of_the_row_above() -> None:
    text = to_latex(pd.DataFrame({"name": ["a", "[M+H]", "*"], "score": ["1", "[2]", "3"]}))
    assert "{[}M+H] & {[}2]" in text
    assert "{*} & 3" in text


def test_names_are_printed_as_they_are(tmp_path: Path) -> None:
    frame = pd.DataFrame({"Feature": NAMES, "Score": [f"{k}.5" for k in range(len(NAMES))]})
    # What pdflatex has no form for is printed by its number.
    others = pd.DataFrame({"name": ["中文 Имя 🙂 5 € Đorđe „so“ «là»"]})
    compiled(tmp_path, to_latex(others, caption="中"))
    log = compiled(tmp_path, to_latex(frame, caption=f"Scores of {NAMES[2]}, {NAMES[3]}."))
    assert overfull(log) == []
    assert "Missing character" not in log
    lines = [letters(line) for line in printed_text(tmp_path).splitlines()]
    for name in NAMES:
        assert any(letters(name) in line for line in lines) or letters(name) in "".join(lines), name


def wide(n_rows: int, n_columns: int) -> pd.DataFrame:
    """A table whose columns do not fit beside each other."""
    frame = pd.DataFrame(
        {f"Chosen by number {k}": ["42.8 ± 10.0 at 1,400"] * n_rows for k in range(n_columns)}
    )
    frame.insert(0, "Method", [f"Method {row} and its name" for row in range(n_rows)])
    frame.iloc[0, 1] = Strong("42.8 ± 10.0 at 1,400")
    frame.attrs["note"] = "Mean ± standard deviation. " * 20
    return frame


@pytest.mark.parametrize(("n_rows", "n_columns"), [(6, 9), (20, 12), (90, 4), (0, 3)])
def test_a_table_fits_the_page(tmp_path: Path, n_rows: int, n_columns: int) -> None:
    frame = wide(n_rows, n_columns) if n_rows else wide(1, n_columns).iloc[:0]
    text = to_latex(frame, caption="Wide")
    for column in frame.columns[1:]:
        assert text.count(column) >= 1
    assert text.count("42.8") == n_rows * n_columns
    assert overfull(compiled(tmp_path, text)) == []


def test_references_say_the_names_of_software_and_data_as_they_are(tmp_path: Path) -> None:
    data = replace(blobs(n=20, d=4, classes=2), name="ORL of HLA-DRB1", source="by hand")
    outcome = run(Fit(alpha=0.5, beta=0.1), data)
    compiled(tmp_path, "", bibliography=bibtex(outcome))
    text = " ".join(printed_text(tmp_path).split())
    assert "CSPCA Studio: convex sparse PCA with a certificate of global optimality" in text
    assert f"Version {versions()['cspca']}" in text
    assert "ORL of HLA-DRB1. by hand." in text


@pytest.mark.slow
@pytest.mark.parametrize("path", record.paths(), ids=lambda path: path.name)
def test_tables_and_references_of_the_record(tmp_path: Path, path: Path) -> None:
    """Every table and reference of the shipped runs compiles and fits."""
    require_packages()
    outcome = record.read(path)
    log = compiled(tmp_path, latex(outcome), bibliography=bibtex(outcome))
    assert overfull(log) == []
