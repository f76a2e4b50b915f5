"""Settings are declared once: every form they take goes there and back, and limits are said."""

from __future__ import annotations

import argparse
import json

import pytest

from cspca.datasets import load
from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.settings import (
    add_options,
    declared,
    from_json,
    from_options,
    given,
    to_json,
    to_query,
    unusual,
)

SENSITIVITY = EXPERIMENTS["sensitivity"]
OTHER = SENSITIVITY(alphas=[0.5, 0.1], penalty_scale="absolute", n_features=3, center=False)


@pytest.mark.parametrize("kind", EXPERIMENTS)
def test_defaults_survive_every_form(kind):
    usual = EXPERIMENTS[kind]()
    assert from_json(type(usual), json.loads(json.dumps(to_json(usual)))) == usual
    assert to_query(usual) == {}
    assert given(type(usual), {}) == ({}, [])
    parser = argparse.ArgumentParser()
    add_options(parser, type(usual))
    assert from_options(type(usual), parser.parse_args([])) == usual
    assert unusual(usual) == {}
    for name, said in declared(type(usual)).items():
        assert f"\n{name} : " in type(usual).__doc__
        assert said.label in type(usual).__doc__


def test_what_was_set_survives_every_form():
    assert OTHER.alphas == (0.1, 0.5)
    assert from_json(SENSITIVITY, to_json(OTHER)) == OTHER
    values, wrong = given(SENSITIVITY, to_query(OTHER))
    assert (SENSITIVITY(**values), wrong) == (OTHER, [])
    assert SENSITIVITY(**unusual(OTHER)) == OTHER
    parser = argparse.ArgumentParser()
    add_options(parser, SENSITIVITY)
    words = ["--alphas", "0.1,0.5", "--penalty-scale", "absolute", "--n-features", "3"]
    assert from_options(SENSITIVITY, parser.parse_args([*words, "--no-center"])) == OTHER


def test_what_is_wrong_in_a_link_is_said_and_left():
    found, said = given(SENSITIVITY, {"n_seeds": "many", "tol": "0.01", "other": "1"})
    assert found == {"tol": 0.01}
    assert len(said) == 1
    assert "n_seeds must be a whole number" in said[0]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"n_seeds": 2.5}, "n_seeds must be a whole number from 0 to 1000, got 2.5"),
        ({"alphas": (-1.0,)}, "alphas must be a number of at least 0"),
        ({"alphas": ()}, "alphas must hold at least one value"),
        ({"penalty_scale": "log"}, "penalty_scale must be one of relative, absolute"),
        ({"tol": float("nan")}, "tol must be"),
        ({"n_clusters": 0}, "n_clusters must be a whole number of at least 1"),
    ],
)
def test_limits_are_one_sentence(asked, says):
    with pytest.raises(ValueError, match=says):
        SENSITIVITY(**asked)


def test_a_run_is_named_in_words_by_what_is_not_usual():
    digits = load("digits")
    assert SENSITIVITY().name(digits) == "Sensitivity on digits"
    asked = EXPERIMENTS["compare"](n_features=(6, 19), n_seeds=3, tune=True)
    assert asked.name(digits) == (
        "Compare on digits: numbers of features 6, 19, repetitions 3, the paper's grid yes"
    )


def test_runs_of_different_grids_have_different_names():
    """All were "Sensitivity on digits"."""
    digits, grid = load("digits"), (1e-4, 1e-3, 1e-2, 0.1, 0.2, 0.4, 0.8)
    grids = (grid[2:], grid[2:4] + grid[5:], grid[2::2], grid[3::2], grid)
    names = [SENSITIVITY(alphas=one, betas=one, n_features=32).name(digits) for one in grids]
    assert len(set(names)) == len(grids)
    assert names[0] == (
        "Sensitivity on digits: α 0.01, 0.1, 0.2, 0.4, 0.8, β 0.01, 0.1, 0.2, 0.4, 0.8, "
        "best features 32"
    )
    many = tuple(step / 100 for step in range(1, 21))
    assert SENSITIVITY(alphas=many).name(digits) == "Sensitivity on digits: 20 α from 0.01 to 0.2"
    asked = SENSITIVITY(alphas=(0.1,), n_features=32, n_seeds=3, tol=1e-4, center=False)
    assert asked.name(digits) == (
        "Sensitivity on digits: α 0.1, best features 32, repetitions 3, stop when proven within "
        "0.0001, 1 more setting"
    )
