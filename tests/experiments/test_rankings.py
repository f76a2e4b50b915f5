"""Rankings that a person brings to a comparison, from files and from Python."""

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from cspca.datasets import Dataset, DatasetError
from cspca.evaluation import compare
from cspca.experiments import Compare
from cspca.experiments.exports import feature_table, to_csv
from cspca.experiments.rankings import (
    UndecidedScoresError,
    file_and_answer,
    option_of,
    read_own_ranking,
    read_scores,
    read_uploads,
    understood_together,
)
from cspca.selection.given import GivenScores
from cspca.selection.rankings import RankingAnswer, UndecidedRankingError
from cspca.selection.rankings.words import kind_of
from tests.experiments import ranking_files
from tests.experiments.ranking_files import BEST, FILES, NAMES, RANKS, RankingFile

SCORES = np.round(np.random.default_rng(0).random(9), 3)
SCORES[4] = 0.0
X = np.random.default_rng(1).random((6, 9))
X[:, 4] = 0.5
DATA = Dataset(X, image_shape=(3, 3), name="nine")
TURNED = np.random.default_rng(2).permutation(9)
WINE = load_wine()
RANGE = WINE.data - WINE.data.min(axis=0)
NAMED = Dataset(RANGE / RANGE.max(axis=0), WINE.target, feature_names=NAMES, name="wine")
# Stored column by column: feature j is pixel FILE_COLUMNS[j] of the file.
FILE_COLUMNS = tuple(np.arange(9).reshape(3, 3).T.ravel().tolist())
BY_COLUMN = replace(DATA, file_columns=FILE_COLUMNS)


def rows(*cells: object) -> bytes:
    return "\n".join(map(str, cells)).encode()


FORMS = {
    "a column": rows(*SCORES),
    "a header": "\ufeffscore\r\n".encode() + "\r\n".join(map(str, SCORES)).encode(),
    "numbers": rows(*(f"{j},{SCORES[j]}" for j in TURNED)),
    "numbers from 1": rows("index;score", *(f"{j + 1};{SCORES[j]}" for j in TURNED)),
    "decimal commas": rows(*(f"{j};{str(SCORES[j]).replace('.', ',')}" for j in TURNED)),
    "our own export": to_csv(
        feature_table(DATA, TURNED + 1, {"feature_score": SCORES**2, "selection_score": SCORES})
    ).encode(),
    "names of pixels": rows(*(f"r{j // 3 + 1}c{j % 3 + 1},{SCORES[j]}" for j in TURNED)),
    "row and column": rows(
        "row_from_1,column_from_1,score", *(f"{j // 3 + 1},{j % 3 + 1},{SCORES[j]}" for j in TURNED)
    ),
    "row and column from 0": rows(
        "row,col,score", *(f"{j // 3},{j % 3},{SCORES[j]}" for j in TURNED)
    ),
    "a score and a number under another name": rows(
        "score,k", *(f"{SCORES[j]},{j}" for j in TURNED)
    ),
    "percentages": rows("pixel,share", *(f"{j},{SCORES[j]}%" for j in TURNED)),
    "JSON": rows("{", ",".join(f'"{j}": {SCORES[j]}' for j in TURNED), "}"),
}


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("form", FORMS)
def test_scores_are_read_in_the_order_of_the_pixels(form: str) -> None:
    file = "a/mine.json" if form == "JSON" else "a/mine.csv"
    assert read_scores(FORMS[form], DATA, Path(file).name) == SCORES.tolist()
    uploads = read_uploads([(file, FORMS[form])], DATA)
    assert uploads.rankings["mine"].scores.tolist() == SCORES.tolist()
    assert uploads.undecided == ()


# The files of other programs


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("file", [pytest.param(file, id=file.program) for file in FILES])
def test_a_file_of_another_program_is_right_or_asked_or_refused(file: RankingFile) -> None:
    outcome = "right"
    answers: tuple[RankingAnswer, ...] = ()
    try:
        own = read_own_ranking(file.content, NAMED, file.file)
        sentence = own.sentence
    except UndecidedRankingError as error:
        outcome, sentence, answers = "asked", error.problem, error.answers
    except DatasetError as error:
        outcome, sentence = "refused", str(error)
    assert (outcome, bool(re.search(file.words, sentence))) == (file.becomes, True), sentence
    assert "\n" not in sentence
    if outcome == "refused" or not file.best:
        return
    if answers:
        own = read_own_ranking(file.content, NAMED, file.file, answers[file.answer])
    order = np.argsort(-own.scores, kind="stable")
    assert order[: file.best].tolist() == BEST[: file.best].tolist()
    # What is not in it ties, below all else.
    rest = own.scores[order[file.best :]]
    assert not len(rest) or np.ptp(rest) == 0 or file.best == len(NAMES)


def test_there_are_at_least_forty_of_them() -> None:
    assert len({file.program for file in FILES}) == len(FILES) >= 40
    assert {file.becomes for file in FILES} == {"right", "asked", "refused"}


# Names


def test_a_sorted_ranking_with_names_gives_the_same_neighbours_as_by_place() -> None:
    """Its scores went by the rows: 76.4 in place of 87.6 on wine."""
    scores = pd.Series(NAMED.data.var(axis=0), index=NAMES, name="score").rename_axis("feature")
    frame = pd.DataFrame(NAMED.data, columns=NAMES)
    by_place = read_scores(scores.to_numpy(), NAMED)
    csv = scores.sort_values(ascending=False).to_csv().encode()
    assert read_scores(csv, NAMED, "sorted.csv") == by_place
    done = compare(
        frame,
        NAMED.target,
        ["all"],
        [3],
        scores={"place": scores.to_numpy(), "name": scores.sort_values()},
        n_seeds=2,
        n_draws=0,
        bootstrap=0,
    )
    assert done.selection("scores:place", 3).tolist() == done.selection("scores:name", 3).tolist()
    results = done.results.set_index("method")["neighbour_accuracy"]
    assert results["scores:place"].tolist() == results["scores:name"].tolist()


@pytest.mark.parametrize("kind", ["a Series", "a data frame", "a dict", "a list", "an array"])
def test_python_objects_go_by_name_or_by_place(kind: str) -> None:
    scores = pd.Series(np.arange(13) ** 1.5, index=NAMES)
    shuffled = scores.sample(frac=1.0, random_state=0)
    ranking = {
        "a Series": shuffled,
        "a data frame": pd.DataFrame({"importance": shuffled, "std": 1.0}),
        "a dict": shuffled.to_dict(),
        "a list": scores.tolist(),
        "an array": scores.to_numpy(),
    }[kind]
    assert read_scores(ranking, NAMED) == scores.tolist()
    frame = pd.DataFrame(NAMED.data, columns=NAMES)
    assert GivenScores(ranking).fit(frame).feature_order_.tolist() == list(range(12, -1, -1))


@pytest.mark.usefixtures("at_home")
def test_names_that_are_numbers_may_be_an_axis_or_a_count() -> None:
    axis = replace(DATA, image_shape=None, feature_names=tuple(f"{400 + 4 * j}" for j in range(9)))
    sorted_by_axis = rows("nm,score", *(f"{400 + 4 * j},{SCORES[j]}" for j in TURNED))
    assert read_scores(sorted_by_axis, axis, "mine.csv") == SCORES.tolist()
    counted = replace(axis, feature_names=tuple(map(str, range(9))))
    with pytest.raises(UndecidedScoresError, match="or hold their ranks or scores"):
        read_scores(rows(*TURNED), counted, "mine.csv")


def test_keys_of_a_mapping_may_be_numbers() -> None:
    assert read_scores(dict(zip(TURNED.tolist(), SCORES[TURNED], strict=True)), DATA) == (
        SCORES.tolist()
    )


def test_a_series_of_ranks_says_that_small_is_good() -> None:
    ranks = pd.Series(np.r_[13, np.arange(1, 13)], name="rank")
    assert np.argmax(read_scores(ranks, NAMED)) == 1
    frame = pd.DataFrame(NAMED.data, columns=NAMES)
    assert GivenScores(ranks.set_axis(NAMES)).fit(frame).feature_order_[0] == 1


def test_pixels_that_are_not_in_a_ranking_tie_last_and_it_says_so() -> None:
    with pytest.warns(UserWarning, match="The ranking: By name: .* The 7 pixels that it does not"):
        scores = read_scores({"r3c3": 2.0, "r1c2": 1.0}, DATA)
    assert scores == [0, 1, 0, 0, 0, 0, 0, 0, 2]
    with pytest.warns(UserWarning, match="The 7 pixels"):
        below_zero = read_scores({"r3c3": -1.0, "r1c2": -2.0}, DATA)
    assert below_zero == [0, 1, 0, 0, 0, 0, 0, 0, 2]


def test_a_plan_of_a_comparison_needs_data_to_read_names() -> None:
    by_name: Any = {"alcohol": 1.0, "hue": 2.0}
    with pytest.raises(ValueError, match=r"Give read_scores\(ranking, data\) of cspca"):
        Compare(scores={"mine": by_name})


# Numbers of features, and the order of the file


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("first", [0, 1])
def test_numbers_that_tell_from_where_they_count_are_not_asked(first: int) -> None:
    content = rows("pixel,gain", *(f"{j + first},{SCORES[j]}" for j in TURNED))
    assert read_scores(content, DATA, "mine.csv") == SCORES.tolist()
    few = rows("pixel,gain", f"{3 + first},0.5", f"{5 + first},0.7")
    with pytest.raises(UndecidedScoresError, match="holds neither 0 nor 9") as caught:
        read_scores(few, DATA, "mine.csv")
    assert "Say which: read_scores(…, first=0) or read_scores(…, first=1)." in str(caught.value)
    with pytest.warns(UserWarning, match="By number, counted from"):
        scores = read_scores(few, DATA, "mine.csv", first=first)  # type: ignore[arg-type]
    assert np.argsort(scores)[::-1][:2].tolist() == [5, 3]


@pytest.mark.usefixtures("at_home")
def test_a_ranking_in_the_order_of_the_file_is_asked_about() -> None:
    """One score a column of MATLAB's `fea` was taken row by row."""
    in_file = np.empty(9)
    in_file[list(FILE_COLUMNS)] = SCORES
    with pytest.raises(UndecidedScoresError, match="another order") as caught:
        read_scores(rows(*in_file), BY_COLUMN, "mine.csv")
    assert [answer.places for answer in caught.value.answers] == ["set", "file"]
    assert read_scores(rows(*in_file), BY_COLUMN, "m.csv", places="file") == SCORES.tolist()
    assert read_scores(rows(*SCORES), BY_COLUMN, "m.csv", places="set") == SCORES.tolist()
    numbered = rows("feature,score", *(f"{k + 1},{in_file[k]}" for k in TURNED))
    with pytest.raises(UndecidedScoresError, match="or the columns of their file"):
        read_scores(numbered, BY_COLUMN, "mine.csv")
    assert read_scores(numbered, BY_COLUMN, "m.csv", places="file") == SCORES.tolist()
    # What this program writes says which it is.
    order = np.argsort(np.argsort(-SCORES)) + 1
    export = feature_table(BY_COLUMN, order, {"selection_score": SCORES})
    assert read_scores(to_csv(export).encode(), BY_COLUMN, "m.csv") == SCORES.tolist()
    only_file = export[["file_column_from_1", "selection_score"]]
    assert read_scores(to_csv(only_file).encode(), BY_COLUMN, "m.csv") == SCORES.tolist()


@pytest.mark.usefixtures("at_home")
def test_a_plan_s_table_of_scores_is_read_as_it_was() -> None:
    scores = np.where(np.arange(9) == 4, -1.0, SCORES)
    titles = Compare(scores={"mine": scores.tolist()})._own_rankings()
    assert next(titles)[0] == "Scores 1 mine"
    table = pd.DataFrame({"feature_from_0": range(9), "score": scores})
    assert read_scores(table.to_csv(index=False).encode(), BY_COLUMN, "m.csv") == scores.tolist()


# What is refused


def with_value(at: int, value: object) -> bytes:
    return rows(*(value if j == at else score for j, score in enumerate(SCORES)))


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (with_value(2, "nan"), "the score of pixel 2, counted from 0, is nan. Give every pixel a"),
        (with_value(2, "1e999"), "the score of pixel 2, counted from 0, is inf"),
        (with_value(4, 0.9), "pixel 4, counted from 0, is the same in every image, and its"),
        (rows(*[1] * 9), "all scores are the same, so that they order no pixels"),
        (rows(*SCORES, 0.5), "has 10 scores for 9 pixels and no names of them. Write one row"),
        (rows("a,b", *(f"{j % 4}.5,{j % 3}" for j in range(9))), "has 2 columns that may be the"),
        (rows("id,score", *(f"{2 * j},{j}" for j in range(9))), "from 0 to 8 or from 1 to 9"),
        (rows(*"abcdefghi"), "has names in column 1, such as a, which are not those of the pixels"),
        (b"", "holds no rows"),
        (b"\0" * 90, "is not a table of text"),
        (rows("Dataset,0.1", "nine,0.5"), "has names in column 1, such as Dataset, which are not"),
        (rows("pixel,score", "r1c1,high", "r1c2,low"), "score holds words, such as low"),
        (rows("a,b", "r1c1,r1c2", "r1c2,r1c1"), "in a and in b, in different orders. Keep one"),
        (rows("row,col,s", "1,2,0.5", "2,1,0.7"), "row and col may count from 0 or from 1"),
        (rows("row_from_1,column_from_1,s", "1,4,0.5"), "go beyond the 3 × 3 pixels"),
        (rows("r1c1,0.5", "r1c1,0.7"), "r1c1 stands in 2 rows by column 1. Keep one row a pixel"),
        (rows("r1c1", "r1c2", "r9c9"), "1 of the 3 names in column 1 is unknown here"),
    ],
)  # fmt: skip
def test_what_is_no_ranking_of_these_pixels_is_refused_in_one_sentence(
    content: bytes, words: str
) -> None:
    with pytest.raises((DatasetError, UndecidedRankingError), match=words) as caught:
        read_own_ranking(content, DATA, "mine.csv")
    assert str(caught.value).startswith("mine.csv")
    assert "\n" not in str(caught.value)


def test_nothing_of_it_is_parsed_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pd, "read_csv", None)
    assert read_scores(FORMS["numbers"], DATA, "mine.csv") == SCORES.tolist()


def test_a_path_and_an_open_file_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(FORMS["a header"])
    assert read_scores(path, DATA) == read_scores(io.BytesIO(path.read_bytes()), DATA, "x.csv")
    with pytest.raises(DatasetError, match=r"nothing\.csv cannot be opened"):
        read_scores(tmp_path / "nothing.csv", DATA)
    with pytest.raises(DatasetError, match="is no list of numbers: give one score a feature"):
        read_scores(np.ones((9, 9)), DATA)


@pytest.mark.usefixtures("at_home")
def test_parquet_and_feather_keep_the_labels_of_pandas(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"gain": np.arange(13) + 0.5}, index=list(NAMES)).sample(
        frac=1.0, random_state=1
    )
    frame.to_parquet(tmp_path / "mine.parquet")
    frame.reset_index(names="feature").to_feather(tmp_path / "mine.feather")
    for file in ("mine.parquet", "mine.feather"):
        assert read_scores(tmp_path / file, NAMED) == (np.arange(13) + 0.5).tolist()


# Answers


def test_an_answer_is_written_behind_the_name_of_a_file(tmp_path: Path) -> None:
    answers = [
        RankingAnswer(),
        RankingAnswer("%IncMSE"),
        RankingAnswer("a#b:c", "magnitude"),
        RankingAnswer(None, "order", 1, "file"),
    ]
    for answer in answers:
        assert file_and_answer(option_of("mine.csv", answer)) == ("mine.csv", answer)
    odd = tmp_path / "mine#2.csv"
    odd.touch()
    assert file_and_answer(str(odd)) == (str(odd), RankingAnswer())
    assert file_and_answer(f"{odd}#coef:large") == (str(odd), RankingAnswer("coef", "large"))


@pytest.mark.parametrize("wrong", [{"meaning": "best"}, {"first": 2}, {"places": "screen"}])
def test_an_answer_that_is_none_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be one of"):
        read_scores(SCORES, DATA, **wrong)  # type: ignore[arg-type]


@pytest.mark.usefixtures("at_home")
def test_a_column_that_is_not_there_is_named_with_those_that_are() -> None:
    content = rows("pixel,gain,cover", *(f"{j},{SCORES[j]},{j % 4}" for j in range(9)))
    assert read_scores(content, DATA, "m.csv", column="cover")[:4] == [0, 1, 2, 3]
    with pytest.raises(DatasetError, match=r"has no column Gian\. Its columns of numbers are gain"):
        read_scores(content, DATA, "m.csv", column="Gian")


@pytest.mark.usefixtures("at_home")
def test_an_upload_that_is_open_is_read_once_it_is_answered() -> None:
    content = rows("pixel,coef", *(f"{j},{j - 4}" for j in range(9)))
    uploads = read_uploads([("mine.csv", content)], DATA)
    assert not uploads.rankings
    (waiting,) = uploads.undecided
    assert waiting.sha256 == DATA.sha256
    assert waiting.labels == ("far from 0 is good", "large is good")
    answered = understood_together([(waiting.columns, waiting.answers[0])], DATA)
    assert answered.rankings["mine"].scores.tolist() == [4, 3, 2, 1, 0, 1, 2, 3, 4]
    assert answered.rankings["mine"].sentence == (
        "By number, counted from 0: what is far from 0 is good in coef."
    )


@pytest.mark.usefixtures("at_home")
def test_two_files_of_one_name_are_two_rankings() -> None:
    """One was lost, without a word."""
    first, second = FORMS["a column"], rows(*SCORES[::-1])
    files = [("a/mine.csv", first), ("b/mine.csv", second), ("c/mine.csv", first)]
    uploads = read_uploads(files, DATA)
    scores = {name: own.scores.tolist() for name, own in uploads.rankings.items()}
    assert scores == {"mine": SCORES.tolist(), "mine (2)": SCORES[::-1].tolist()}
    later = read_uploads([("mine.csv", first)], DATA, {"mine": SCORES[::-1].tolist()})
    assert list(later.rankings) == ["mine (2)"]
    long = "x" * 60
    names = [(f"{long}1.csv", first), (f"{long}2.csv", second)]
    assert len(read_uploads(names, DATA).rankings) == 2


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("P.Value", "p-value"), ("p.adjust", "p-value"), ("p_val_adj", "p-value"),
        ("Pr(>F)", "p-value"), ("FDR q-val", "p-value"), ("NOM p-val", "p-value"),
        ("Sig.", "p-value"), ("adjusted_pvalue", "p-value"), ("Prob > F", "p-value"),
        ("-log10(p)", ""), ("neg_log10_pval", ""), ("RFE_ranking", "rank"), ("mean_rank", "rank"),
        ("rank_sum", ""), ("probability", ""),
    ],
)  # fmt: skip
def test_small_is_good_under_the_headers_of_p_values_and_ranks(header: str, kind: str) -> None:
    assert kind_of(header) == kind


P = ranking_files.P_VALUES
LOG_P = np.log10(P)
TRUE = ranking_files.SCORES


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    ("header", "values", "meaning"),
    [
        ("1-p", 1 - P, "large"), ("1 − p_value", 1 - P, "large"), ("1-p_value", 1 - P, "large"),
        ("1/rank", 1 / RANKS, "large"),
        ("-log10(p)", -LOG_P, "large"), ("−log10 p", -LOG_P, "large"), ("-ln p", -LOG_P, "large"),
        ("-10*log10(padj)", -LOG_P, "large"), ("adjusted −log10 p", -LOG_P, "large"),
        ("neg_log10_pval", -LOG_P, "large"), ("minusLog10PValue", -LOG_P, "large"),
        ("nlogp", -LOG_P, "large"), ("mlog10p", -LOG_P, "large"),
        ("log p", LOG_P, "small"), ("log_p", LOG_P, "small"), ("log10(p)", LOG_P, "small"),
        ("log10_pvalue", LOG_P, "small"), ("log10 padj", LOG_P, "small"), ("ln p", LOG_P, "small"),
        ("logp", LOG_P, "small"), ("log10_adj_p_val", LOG_P, "small"),
        ("logrank_p", P, "small"), ("logFC_p_value", LOG_P, "small"),
        ("score_p_value", P, "small"), ("importance_rank", RANKS, "small"),
        ("selection_rank", RANKS, "small"), ("rank_test_score", RANKS, "small"),
        ("rank (1 = best)", RANKS, "small"), ("rank (low = good)", RANKS, "small"),
        ("IncMSE", TRUE, "large"), ("loss_increase", TRUE, "large"),
    ],
)  # fmt: skip
def test_a_header_that_turns_a_p_value_or_a_rank_is_read_the_right_way(
    header: str, values: np.ndarray, meaning: str
) -> None:
    own = read_own_ranking(pd.DataFrame({header: values}, index=list(NAMES)), NAMED)
    assert own.meaning == meaning
    best_first = np.argsort(-own.scores, kind="stable").tolist()
    # 1 - p is 1 where p is below the smallest distance of floats.
    assert len(set(values)) < len(NAMES) or best_first == BEST.tolist()
    content = rows(f'feature,"{header}"', *map("{},{}".format, NAMES, values.tolist()))
    assert read_scores(content, NAMED, "a.csv") == own.scores.tolist()
    by_place = read_own_ranking(pd.Series(values, name=header), NAMED)
    assert by_place.scores.tolist() == own.scores.tolist()


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    "header",
    [
        "inverse rank", "reverse rank", "percentile rank", "rank (high = good)", "p_selected",
        "ranking score", "rank_score", "rank importance", "rankScore", "X1.rank", "X1.p", "-rank",
        "-p", "neg p", "1-rank", "1/p", "one_minus_p", "rank (%)", "rank ↑", "rank_pct",
        "p(selected)", "p_inclusion", "p_selection", "probability rank", "log(1/p)", "log rank",
        "signed rank", "loss", "mse", "AIC", "VIF", "redundancy", "log_loss", "val_loss", "RMSE",
    ],
)  # fmt: skip
def test_a_header_that_leaves_open_what_is_good_is_asked_about(header: str) -> None:
    content = rows(f'feature,"{header}"', *map("{},{}".format, NAMES, (TRUE / 20).tolist()))
    with pytest.raises(UndecidedScoresError, match="its header leaves that open") as caught:
        read_scores(content, NAMED, "a.csv")
    assert [answer.meaning for answer in caught.value.answers] == ["large", "small"]
    assert read_scores(content, NAMED, "a.csv", meaning="large") == (TRUE / 20).tolist()
    with pytest.raises(UndecidedScoresError, match="its header leaves that open"):
        read_scores(pd.Series(TRUE, name=header), NAMED)
    beside = content.replace(b'"\n', b'",F\n', 1).replace(b"\n", b",1.5\n")
    assert beside != content


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("header", ["log10(p)", "-log10(p)", "signed log10 p", "X.log10.p."])
def test_a_logarithm_of_p_whose_sign_is_not_that_of_its_header_is_asked_about(header: str) -> None:
    signed = np.where(np.arange(len(NAMES)) % 2, LOG_P, -LOG_P)
    content = rows(f'feature,"{header}"', *map("{},{}".format, NAMES, signed.tolist()))
    with pytest.raises(UndecidedScoresError) as caught:
        read_scores(content, NAMED, "a.csv")
    assert {"large", "magnitude"} <= {answer.meaning for answer in caught.value.answers}
    scores = read_scores(content, NAMED, "a.csv", meaning="magnitude")
    assert np.argsort(-np.array(scores)).tolist() == BEST.tolist()


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("header", ["1-p", "log p", "mse", "rank_score"])
def test_such_a_column_beside_another_may_be_the_score_as_well(header: str) -> None:
    cells = zip(NAMES, LOG_P, TRUE, strict=True)
    content = rows(f"feature,{header},F", *(f"{name},{value},{f}" for name, value, f in cells))
    with pytest.raises(UndecidedScoresError, match=f"may be the score: .*{re.escape(header)}"):
        read_scores(content, NAMED, "a.csv")


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("header", ["order", "idx"])
def test_an_order_beside_names_is_asked_about(header: str) -> None:
    """Ranks of the names, or the numbers of the features best first: one is the other turned."""
    pairs = zip(NAMES, RANKS, strict=True)
    ranks = rows(f"name,{header}", *(f"{name},{rank}" for name, rank in pairs))
    with pytest.raises(UndecidedScoresError, match="they may be ranks of these features, or list"):
        read_scores(ranks, NAMED, "a.csv")
    expected = (-RANKS).tolist()
    scores = read_scores(ranks, NAMED, "a.csv", column=header, meaning="small")
    assert np.argsort(np.argsort(scores)).tolist() == np.argsort(np.argsort(expected)).tolist()
    pairs = zip(NAMES, BEST, strict=True)
    numbers = rows(f"name,{header}", *(f"{name},{number}" for name, number in pairs))
    listed = read_scores(numbers, NAMED, "a.csv", column=header, meaning="order")
    assert np.argsort(-np.array(listed)).tolist() == BEST.tolist()
    # Names in the same order as their numbers are a list, best first.
    sorted_names = rows(f"{header},name", *(f"{at},{NAMES[at]}" for at in BEST))
    scores = read_scores(sorted_names, NAMED, "a.csv")
    assert np.argsort(-np.array(scores)).tolist() == BEST.tolist()


@pytest.mark.usefixtures("at_home")
def test_a_blank_column_of_a_workbook_is_passed_over() -> None:
    true = ranking_files.SCORES
    for cells in (
        [["feature", "", "importance"], *([NAMES[at], "", true[at]] for at in BEST)],
        [["", "feature", "importance"], *(["", NAMES[at], true[at]] for at in BEST)],
        [["feature", "importance", ""], *([NAMES[at], true[at], ""] for at in BEST)],
    ):
        assert read_scores(ranking_files.sheet(cells), NAMED, "a.xlsx") == true.tolist()


def test_an_array_that_may_be_an_order_is_asked_about() -> None:
    with pytest.raises(UndecidedScoresError, match="may list the features, best first, or hold"):
        read_scores(BEST, NAMED)
    scores = read_scores(BEST, NAMED, meaning="order")
    assert np.argsort(-np.array(scores)).tolist() == BEST.tolist()
    assert read_scores(np.arange(len(NAMES)), NAMED) == [*range(len(NAMES))]
