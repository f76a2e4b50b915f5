"""What the header of a column says in a table that ranks features."""

from __future__ import annotations

import re
from typing import Final, Literal

ColumnKind = Literal[
    "score", "mask", "rank", "p-value", "log p-value", "ambiguous", "spread", "number", "order",
    "row", "column", "",
]  # fmt: skip

OWN_SCORES: Final = ("selection_score", "feature_score")
"""Scores in the tables of this program, the one that orders all features first."""

_SCORES: Final = {
    "coef", "coefficient", "coefficients", "coefs", "feature_importance", "feature_importances",
    "feature_score", "feature_scores", "gain", "importance", "importance_mean", "importance_score",
    "importances", "importances_mean", "mean_abs_shap", "mean_importance", "overall", "score",
    "scores", "selection_score", "selection_scores", "weight", "weights",
}  # fmt: skip
_SIGNED: Final = {
    "avg_log2fc", "beta", "coef", "coefficient", "coefficients", "coefs", "corr", "correlation",
    "effect", "estimate", "loading", "log2_fold_change", "log2fc", "log_fc", "logfoldchange",
    "logfoldchanges", "r", "shap", "shap_value", "stat", "statistic", "t", "t_stat",
    "t_statistic", "weight", "weights", "z", "z_score",
}  # fmt: skip
_MASKS: Final = {"is_selected", "keep", "selected", "support"}
_RANKS: Final = {
    "feature_rank", "feature_ranks", "place", "rank", "rank_test_score", "ranking", "ranks",
}  # fmt: skip
_P_VALUES: Final = {
    "adj_p_val", "adj_p_value", "adjusted_p_value", "fdr", "p", "p_adj", "p_adjusted", "p_t",
    "p_val", "p_value", "p_values", "padj", "pr_t", "pr_z", "pval", "pvals", "pvals_adj",
    "pvalue", "pvalues", "p_z", "q", "q_val", "q_value", "qval", "qvalue",
}  # fmt: skip
_P_VALUE_TOKENS: Final = {
    "bh", "bonferroni", "fdr", "fwer", "lfdr", "p", "padj", "pval", "pvals", "pvalue", "pvalues",
    "q", "qval", "qvalue", "sig",
}  # fmt: skip
_RANK_TOKENS: Final = {"rank", "ranking", "rankings", "ranks"}
_NO_RANK_TOKENS: Final = {"biserial", "corr", "correlation", "rho", "sum"}
_TURNING_TOKENS: Final = {
    "complement", "flipped", "fractional", "inv", "inverse", "inverted", "minus", "neg", "negated",
    "negative", "normalised", "normalized", "pct", "percent", "percentile", "phred", "quantile",
    "reciprocal", "relative", "rev", "reverse", "reversed", "scaled", "signed",
}  # fmt: skip
"""Words that may turn a rank or a p-value, so that large is good."""
_DIRECTION_TOKENS: Final = {
    "asc", "ascending", "bad", "desc", "descending", "high", "higher", "highest", "large",
    "larger", "largest", "least", "lowest", "posterior", "probability", "select", "selected",
    "worst",
}  # fmt: skip
"""Words beside a rank or a p that leave open what is good, or make the p a probability."""
_GOOD_TOKENS: Final = {
    "chosen", "coef", "coefficient", "confidence", "freq", "frequency", "gain", "importance",
    "important", "included", "inclusion", "index", "keep", "nonzero", "points", "prob", "relevance",
    "relevant", "score", "scores", "selection", "stability", "stat", "statistic", "strength",
    "true", "weight", "weights",
}  # fmt: skip
"""Words that make a score or a probability of a rank or a p before them."""
_LOSS_TOKENS: Final = {
    "aic", "aicc", "bic", "cost", "deviance", "logloss", "loss", "losses", "mae", "mape", "mse",
    "nll", "penalty", "perplexity", "redundancy", "redundant", "rmse", "rss", "significance", "sse",
    "vif",
}  # fmt: skip
"""Words for what is often, but not always, good where it is small."""
_CHANGE_TOKENS: Final = {"decrease", "inc", "increase", "reduction"}
_LOG: Final = re.compile(
    r"(?P<minus>neg|minus|m|n)?(?:log|ln)(?:2|10|e)?"
    r"(?P<p>p|pval|pvals|pvalue|pvalues|padj|fdr|q|qval|qvalue)?"
)
_LEADING_MINUS: Final = re.compile(r"\W*[-\N{MINUS SIGN}\N{EN DASH}]")
_MINUS_LOG: Final = re.compile(
    r"(?<!\w)[-\N{MINUS SIGN}\N{EN DASH}]\W*(?:\d+\W*)?(?:log|ln)", re.IGNORECASE
)
_COMPLEMENT: Final = re.compile(r"\W*1\s*([-\N{MINUS SIGN}\N{EN DASH}/])\s*([^/]+)")
_SPREAD_TOKENS: Final = {
    "dev", "deviation", "err", "error", "lower", "sd", "se", "sem", "std", "stdev", "stderr",
    "upper",
}  # fmt: skip
_ORDERS: Final = {
    "best", "feature_order", "feature_ranking", "idx", "order", "picks", "ranked",
    "ranked_features", "selected_idx", "selected_indices", "sorted_idx", "top",
}  # fmt: skip
_NUMBERS: Final = {
    "attr", "attribute", "attributes", "feature", "feature_from_0", "feature_from_1",
    "feature_id", "feature_idx", "feature_index", "feature_number", "features", "file_column",
    "file_column_from_0", "file_column_from_1", "file_row_from_0", "file_row_from_1", "id", "ind",
    "index", "indices", "number", "pixel", "pixel_index", "pixels", "variable", "variables",
}  # fmt: skip
_ROWS: Final = {"row", "row_from_0", "row_from_1"}
_COLUMNS: Final = {"col", "column", "column_from_0", "column_from_1"}
_NAMES: Final = {
    "feature_name", "feature_names", "features_name", "gene", "gene_id", "gene_symbol", "genes",
    "name", "names", "predictor", "probe", "symbol", "term", "variable_name",
}  # fmt: skip
_NUMBERED_PREFIXES: Final = {
    "attr", "attribute", "col", "column", "f", "feat", "feature", "pixel", "px", "v", "var",
    "variable", "x",
}  # fmt: skip


def plain_header(header: str) -> str:
    """A header in small letters, with its words joined by an underscore."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", header)
    return re.sub(r"[^0-9a-zµσ]+", "_", spaced.lower()).strip("_")


def kind_of(header: str) -> ColumnKind:
    """What a column of numbers is for, by its header; empty where the header does not tell."""
    plain = plain_header(header)
    of_rank_or_p = _kind_of_rank_or_p(header)
    if of_rank_or_p is not None:
        return of_rank_or_p
    kinds: dict[ColumnKind, set[str]] = {
        "score": _SCORES, "mask": _MASKS, "rank": _RANKS, "p-value": _P_VALUES, "order": _ORDERS,
        "number": _NUMBERS, "row": _ROWS, "column": _COLUMNS,
    }  # fmt: skip
    for kind, words in kinds.items():
        if plain in words:
            return kind
    tokens = set(plain.split("_"))
    has_spread = tokens & _SPREAD_TOKENS or re.search(r"[a-z]SE$", header)
    if has_spread or plain == "n_sharing_rank":
        return "spread"
    if tokens & _P_VALUE_TOKENS or re.fullmatch(r"pr(ob)?_(f|t|z|chi|chisq)", plain):
        return "p-value"
    if tokens & _RANK_TOKENS and not tokens & _NO_RANK_TOKENS:
        return "rank"
    return "ambiguous" if tokens & _LOSS_TOKENS and not tokens & _CHANGE_TOKENS else ""


def _kind_of_rank_or_p(header: str) -> ColumnKind | None:
    """What a rank or a p-value is for that a header turns, takes the logarithm of, or qualifies.

    None for other headers. Empty where large is certainly good, as in 1 - p and -log10 p.
    """
    tokens = plain_header(header).split("_")
    logs = [match for token in tokens if (match := _LOG.fullmatch(token))]
    is_rank_or_p = [token in _P_VALUE_TOKENS | _RANK_TOKENS for token in tokens]
    if set(tokens) & (_SPREAD_TOKENS | _NO_RANK_TOKENS) or "n_sharing" in plain_header(header):
        return None
    if not any(is_rank_or_p):
        if not any(log["p"] for log in logs):
            return None
        first = len(tokens)
    else:
        first = is_rank_or_p.index(True)
    complement = _COMPLEMENT.fullmatch(header)
    if complement is not None:
        operator, operand = complement.groups()
        certain = _RANKS if operator == "/" else _P_VALUES
        return "" if plain_header(operand) in certain else "ambiguous"
    has_minus = _LEADING_MINUS.match(header) is not None
    if logs:
        minus_words = set(tokens) & {"minus", "neg", "negative"}
        if set(tokens) & (_TURNING_TOKENS | {"1", "one"} | _RANK_TOKENS) - minus_words - {"signed"}:
            return "ambiguous"
        has_minus = has_minus or _MINUS_LOG.search(header) is not None
        has_minus = has_minus or bool(minus_words) or any(log["minus"] for log in logs)
        return "" if has_minus else "log p-value"
    is_turned = (
        has_minus
        or set(tokens) & _TURNING_TOKENS
        or (first > 0 and tokens[first - 1] in {"1", "one", "over"})
        or (first == 1 and tokens[0] == "x1")  # R's name of 1 - p and 1 / rank
    )
    qualifiers = set(tokens) & _DIRECTION_TOKENS | set(tokens[first + 1 :]) & _GOOD_TOKENS
    is_qualified = bool(qualifiers) and plain_header(header) not in _RANKS
    has_mark = bool(set(tokens) & _RANK_TOKENS) and re.search(r"[%↑↓]", header)
    return "ambiguous" if is_turned or is_qualified or has_mark else None


def may_be_signed(header: str) -> bool:
    """Whether values of both signs are usual, such as those of coefficients.

    Those of a -log10 p below 0 have the other sign than their header says, or that of an effect.
    """
    plain = plain_header(header)
    has_log_of_p = _kind_of_rank_or_p(header) == "" and any(
        _LOG.fullmatch(token) for token in plain.split("_")
    )
    return plain in _SIGNED or has_log_of_p


def tells_order(header: str) -> bool:
    """Whether a header says that names or numbers below it are in an order."""
    return plain_header(header) in _ORDERS | _RANKS


def tells_names(header: str) -> bool:
    """Whether a header says that the words below it are names of features."""
    return plain_header(header) in _NAMES | _NUMBERS | {"col", "column"}


def declared_first(header: str) -> int | None:
    """The number of the first feature, where a header says from where it counts."""
    match = re.search(r"_from_([01])$", plain_header(header))
    return int(match[1]) if match else None


def declared_places(header: str) -> Literal["set", "file"] | None:
    """Whether a header of this program counts the features in use, or the columns of the file."""
    plain = plain_header(header)
    if plain.startswith(("file_column", "file_row")):
        return "file"
    return "set" if plain in ("feature_from_0", "feature_from_1") else None


def numbers_in_names(names: list[str]) -> list[int] | None:
    """Numbers of features in names such as ``f0`` and ``Column_12``; None for other names."""
    matches = [re.fullmatch(r"([A-Za-z]+)[ _.]?(\d{1,9})", name.strip()) for name in names]
    if not all(matches):
        return None
    prefixes = {match[1].lower() for match in matches if match}
    if len(prefixes) != 1 or not prefixes <= _NUMBERED_PREFIXES:
        return None
    return [int(match[2]) for match in matches if match]
