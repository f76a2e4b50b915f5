"""The matrix of the paper's claims: its marks, what it says once, hostile names."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from cspca.paper.claims import CLAIMS, Verdict, judge
from cspca.ui.claim_matrix import STILL_TO_COME, Column, legend, matrix

UNTESTED = judge([])


def column(title, *sentences, verdict=Verdict.HOLDS, **options):
    """One with these sentences as evidence of the first claims, in their order."""
    judged = [
        replace(assessment, verdict=verdict, sentence=sentence)
        for assessment, sentence in zip(UNTESTED, sentences, strict=False)
    ]
    return Column(title, [*judged, *UNTESTED[len(sentences) :]], **options)


def rows(html):
    return re.findall(r"<details>.*?</details>", html)


def labels(html):
    return [unescape(label) for label in re.findall(r'role="img" title="(.*?)"', html)]


def test_a_row_is_a_claim_with_a_mark_for_each_data_set_and_one_over_all():
    fails = column("B", "Not so.", verdict=Verdict.FAILS)
    html = matrix([column("A", "So it is."), fails], column("All", verdict=Verdict.PARTLY))
    assert len(rows(html)) == len(CLAIMS)
    for claim, row in zip(CLAIMS, rows(html), strict=True):
        assert len(labels(row)) == 3
        assert html.count(f"<span>{claim.says} <small>") == 1
    first, second = rows(html)[:2]
    assert labels(first) == ["A: holds", "B: does not hold", "All: not tested here"]
    assert re.findall(r'<i class="cspca-(\w+)" role', first) == ["holds", "fails", "untested"]
    assert "<b>A</b> So it is.</p>" in first
    assert "<b>B</b> Not so.</p>" in first
    assert "Not tested yet." in second


def test_what_is_the_same_on_several_data_sets_is_said_once():
    same = [column(title, "The same.") for title in "ABC"]
    (first, *_) = rows(matrix(same))
    assert first.count("The same.") == 1
    assert "<b>A, B, C</b>" in first
    assert first.count(CLAIMS[0].remark) == 1
    # Under another verdict it is another finding.
    apart = matrix([*same, column("D", "The same.", verdict=Verdict.OPEN)])
    assert apart.count("The same.") == 2


def test_the_legend_counts_every_cell_of_the_data_sets():
    data_sets = [
        column("A", "1", "2"),
        column("B", "1", verdict=Verdict.FAILS),
        column("C", complete=False),
    ]
    counts = {
        re.sub("<.*?>", "", words)[2:].strip(): int(count)
        for words, count in re.findall(r"<span>(<i.*?) <b>(\d+)</b></span>", legend(data_sets))
    }
    assert counts["holds"] == 2
    assert counts["does not hold"] == 1
    assert counts["not tested here"] == 2 * len(CLAIMS) - 3
    assert counts[STILL_TO_COME] == len(CLAIMS)
    assert sum(counts.values()) == 3 * len(CLAIMS)
    assert STILL_TO_COME not in legend(data_sets[:2])
    assert f"{len(CLAIMS)} claims on 3 data sets:" in legend(data_sets)


def test_a_name_from_a_file_is_text():
    html = matrix([Column('<img src=x onerror="a">', judge([]))])
    assert "<img" not in html
    assert labels(html)[0].startswith('<img src=x onerror="a">: ')
