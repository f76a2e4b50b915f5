"""Algorithm 1 is measured against the certified bound on every page, and advises on nothing."""

import re

import pytest

from cspca.ui.services import services
from tests.app.conftest import settled, words

BADGE = re.compile(r"within ([\d.]+) % of the optimum")


@pytest.fixture
def said(arrive, small_faces):
    data = services().library.add(small_faces)

    def explore(solver):
        visitor = arrive("explore", data=data, alpha="0.1", beta="0.01", solver=solver)
        return words(settled(visitor))

    return explore


def test_alone_it_is_as_far_from_the_optimum_as_beside_the_certified_solver(said):
    both, alone = said("both"), said("reweighted")
    above = re.compile(r"Algorithm 1 stands ([\d.]+) % above the lower bound")
    assert float(above.search(alone)[1]) == pytest.approx(float(above.search(both)[1]), rel=0.1)
    # Its own bound, made of smoothed norms, said 77 %.
    assert float(BADGE.search(alone)[1]) < 5.0


def test_what_to_do_is_read_off_the_certified_solver(said):
    """Algorithm 1 makes no row exactly zero, so that of itself it would always say "dense"."""
    certified, alone = said("admm"), said("reweighted")
    sentence = re.search(
        r"Sparse: [\d,]+ of [\d,]+ pixels explain [\d]+ % of the variation of the images", certified
    )[0]
    assert sentence in alone
    assert "raise α" not in alone


def test_its_lines_of_python_say_the_same_distance(arrive, capsys, recwarn):
    visitor = settled(arrive("explore", data="digits", solver="reweighted"))
    (code,) = [element.value for element in visitor.code if "reweighted" in element.value]
    exec(code, {})
    printed = float(capsys.readouterr().out.split()[-1])
    assert 100 * printed == pytest.approx(float(BADGE.search(words(visitor))[1]), rel=0.1)
