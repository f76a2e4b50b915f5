"""Rankings of the features of wine, in files as other programs write them.

The true scores are `SCORES`. Headers, orders and number formats are those of the programs: they
were run, and their files looked at, where the name of the program is that of a Python library.
"""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd

NAMES = (
    "alcohol",
    "malic_acid",
    "ash",
    "alcalinity_of_ash",
    "magnesium",
    "total_phenols",
    "flavanoids",
    "nonflavanoid_phenols",
    "proanthocyanins",
    "color_intensity",
    "hue",
    "od280/od315_of_diluted_wines",
    "proline",
)
N = len(NAMES)
SCORES = np.array([9.3, 5.2, 0.4, 1.9, 2.5, 4.2, 18.1, 0.8, 5.1, 18.8, 6.8, 11.7, 15.3])
SPREADS = np.array([0.2, 1.1, 3.3, 0.9, 2.0, 0.1, 0.4, 2.7, 1.3, 0.6, 1.8, 0.3, 0.7])
BEST = np.argsort(-SCORES)
RANKS = np.argsort(BEST) + 1
P_VALUES = 10.0 ** -np.round(SCORES, 1)
SIGNED = SCORES * np.where(np.arange(N) % 2, -1, 1)
SERIES = pd.Series(SCORES, index=list(NAMES))
SORTED = SERIES.sort_values(ascending=False)
FRAME = pd.DataFrame({"feature": NAMES, "score": SCORES, "std": SPREADS})


@dataclass(frozen=True)
class RankingFile:
    """A file, and what has to become of it.

    Parameters
    ----------
    program, file : str
    content : bytes
    words : str
        Pattern of the sentence: of what was understood, of the question, or of the refusal.
    becomes : {"right", "asked", "refused"}
    answer : int
        The answer to the question that gives the true order.
    best : int
        How many of the best features are in the file, where not all are.
    """

    program: str
    file: str
    content: bytes
    words: str = ""
    becomes: str = "right"
    answer: int = 0
    best: int = N


def text(frame: pd.DataFrame | pd.Series, **options: Any) -> bytes:
    content: str = frame.to_csv(**options)
    return content.encode()


def lines(*rows: object) -> bytes:
    return "\n".join(map(str, rows)).encode()


def r_frame(columns: dict[str, object], order: np.ndarray = BEST) -> bytes:
    """What R's write.csv makes of a data frame with row names."""
    frame = pd.DataFrame(columns, index=list(NAMES)).iloc[order]
    header = ",".join(f'"{name}"' for name in ("", *frame.columns))
    rows = (f'"{name}",{",".join(map(str, row))}' for name, *row in frame.itertuples())
    return lines(header, *rows)


def sheet(rows: list[list[object]]) -> bytes:
    """A workbook of one sheet, as small as Excel reads it."""
    cells = "".join(
        "<row>"
        + "".join(
            f"<c><v>{cell}</v></c>"
            if isinstance(cell, int | float)
            else f'<c t="inlineStr"><is><t>{escape(str(cell))}</t></is></c>'
            for cell in row
        )
        + "</row>"
        for row in rows
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{rel}"><sheets>'
        '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}">'
        '<Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{cells}</sheetData>'
        "</worksheet>",
    }
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as packed:
        for name, part in parts.items():
            packed.writestr(name, part)
    return memory.getvalue()


def weka() -> bytes:
    rows = (f" {SCORES[j]:.4f}   {j + 1} {NAMES[j]}" for j in BEST)
    return lines("Ranked attributes:", *rows)


def eli5_text() -> bytes:
    rows = (f"{SCORES[j]:.4f} ± {SPREADS[j]:.4f}\t{NAMES[j]}" for j in BEST)
    return lines("Weight\tFeature", *rows)


def deseq() -> dict[str, object]:
    return {
        "baseMean": SPREADS * 100,
        "log2FoldChange": SIGNED,
        "lfcSE": SPREADS,
        "stat": SIGNED / SPREADS,
        "pvalue": P_VALUES,
        "padj": P_VALUES * 2,
    }


def scanpy_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "names": [NAMES[j] for j in BEST],
            "scores": SCORES[BEST],
            "logfoldchanges": SIGNED[BEST],
            "pvals": P_VALUES[BEST],
            "pvals_adj": P_VALUES[BEST] * 2,
        }
    )


FILES = [
    RankingFile("pandas, a sorted Series", "a.csv", text(SORTED), "By name: large is good in 0"),
    RankingFile(
        "pandas, a Series with a name",
        "a.csv",
        text(SERIES.sort_values().rename("score").rename_axis("feature")),
        "By name: large is good in score",
    ),
    RankingFile("pandas, tabs", "a.tsv", text(SORTED, sep="\t"), "By name"),
    RankingFile("pandas, gzip", "a.csv.gz", gzip.compress(text(SORTED)), "By name"),
    RankingFile("pandas, to_json of a Series", "a.json", SORTED.to_json().encode(), "By name"),
    RankingFile(
        "pandas, to_json of a frame",
        "a.json",
        FRAME.to_json().encode(),
        "By name: large is good in score; std was left out",
    ),
    RankingFile(
        "pandas, records", "a.json", FRAME.to_json(orient="records").encode(), "std was left out"
    ),
    RankingFile(
        "pandas, orient=split", "a.json", FRAME.to_json(orient="split").encode(), "std was left out"
    ),
    RankingFile(
        "pandas, orient=index",
        "a.json",
        FRAME.set_index("feature")[["score", "std"]].to_json(orient="index").encode(),
        "By name: large is good in score; std was left out",
    ),
    RankingFile(
        "pandas, one row a ranking",
        "a.csv",
        text(pd.DataFrame([SCORES[BEST]], columns=[NAMES[j] for j in BEST]), index=False),
        "By name",
    ),
    RankingFile(
        "Excel",
        "a.xlsx",
        sheet([["Feature", "Score"], *([NAMES[j], float(SCORES[j])] for j in BEST)]),
        "By name: large is good in Score",
    ),
    RankingFile("Excel, no names", "a.xlsx", sheet([[value] for value in SCORES]), "One row a"),
    RankingFile(
        "Excel in Germany",
        "a.csv",
        lines("Merkmal;Wert", *(f"{NAMES[j]};{SCORES[j]}".replace(".", ",") for j in BEST)),
        "By name: large is good in Wert",
    ),
    RankingFile("R, a data frame", "a.csv", r_frame({"x": SCORES}), "By name: large is good in x"),
    RankingFile(
        "R, names as make.names spells them",
        "a.csv",
        r_frame({"x": SCORES}).replace(b"od280/od315", b"od280.od315"),
        "By name",
    ),
    RankingFile(
        "R, order()",
        "a.csv",
        lines('"","x"', *(f'"{r}",{j + 1}' for r, j in enumerate(BEST, 1))),
        "list the features, best first, or hold their ranks",
        "asked",
    ),
    RankingFile("R, rank()", "a.csv", r_frame({"x": RANKS}), "they may be ranks", "asked"),
    RankingFile("caret varImp", "a.csv", r_frame({"Overall": SCORES}), "large is good in Overall"),
    RankingFile(
        "caret varImp, two classes",
        "a.csv",
        r_frame({"benign": SCORES, "malignant": SCORES}),
        "large is good in benign; malignant was left out",
    ),
    RankingFile(
        "randomForest, regression",
        "a.csv",
        r_frame({"%IncMSE": SCORES, "IncNodePurity": SPREADS}),
        "has 2 columns that may be the score: %IncMSE and IncNodePurity",
        "asked",
    ),
    RankingFile(
        "randomForest, classification",
        "a.csv",
        r_frame(
            {
                "1": SPREADS,
                "2": SPREADS + 1,
                "MeanDecreaseAccuracy": SPREADS,
                "MeanDecreaseGini": SCORES,
            }
        ),
        "has 4 columns that may be the score",
        "asked",
        3,
    ),
    RankingFile(
        "xgboost in R",
        "a.csv",
        text(
            pd.DataFrame(
                {"Feature": NAMES, "Gain": SCORES, "Cover": SPREADS, "Frequency": 0.5}
            ).iloc[BEST],
            index=False,
        ),
        "By name: large is good in Gain; Cover and Frequency were left out",
    ),
    RankingFile("Weka", "a.txt", weka(), "By name"),
    RankingFile(
        "XGBoost get_score, names",
        "a.json",
        json.dumps({NAMES[j]: SCORES[j] for j in range(N) if SCORES[j] > 1}).encode(),
        "By name: .* The 2 features that it does not have tie last",
        best=N - 2,
    ),
    RankingFile(
        "XGBoost get_score, numbers",
        "a.json",
        json.dumps({f"f{j}": SCORES[j] for j in range(N) if SCORES[j] > 1}).encode(),
        "By number, counted from 0: .* The 2 features",
        best=N - 2,
    ),
    RankingFile(
        "XGBoost get_score, neither the first nor the last",
        "a.json",
        json.dumps({f"f{j}": SCORES[j] for j in BEST[:3] if 0 < j < N}).encode(),
        "holds neither 0 nor 13, so that it may count the features from 0 or from 1",
        "asked",
        best=3,
    ),
    RankingFile(
        "LightGBM, Value first",
        "a.csv",
        text(
            pd.DataFrame({"Value": np.round(SCORES * 10).astype(int), "Feature": NAMES}).iloc[BEST],
            index=False,
        ),
        "By name: large is good in Value",
    ),
    RankingFile(
        "LightGBM, Column_0",
        "a.csv",
        text(
            pd.DataFrame(
                {"feature": [f"Column_{j}" for j in range(N)], "split": 3 * SPREADS, "gain": SCORES}
            ).iloc[BEST],
            index=False,
        ),
        "By number, counted from 0: large is good in gain; split was left out",
    ),
    RankingFile(
        "permutation_importance",
        "a.csv",
        text(
            pd.DataFrame(
                {"feature": NAMES, "importance_mean": SCORES, "importance_std": SPREADS}
            ).iloc[BEST],
            index=False,
        ),
        "By name: large is good in importance_mean; importance_std was left out",
    ),
    RankingFile(
        "permutation_importance, numbers of features",
        "a.csv",
        text(
            pd.DataFrame(
                {"feature": range(N), "importances_mean": SCORES, "importances_std": SPREADS}
            ),
            index=False,
        ),
        "By number, counted from 0: large is good in importances_mean",
    ),
    RankingFile(
        "SelectKBest",
        "a.csv",
        text(pd.DataFrame({"Specs": NAMES, "Score": SCORES}).nlargest(10, "Score")),
        "By name: large is good in Score. The 3 features",
        best=10,
    ),
    RankingFile(
        "f_classif",
        "a.csv",
        text(pd.DataFrame({"feature": NAMES, "F": SCORES, "p_value": P_VALUES}), index=False),
        "2 columns that may be the score: F and p_value",
        "asked",
        1,
    ),
    RankingFile(
        "RFE ranking_",
        "a.csv",
        text(pd.DataFrame({"feature": NAMES, "support": RANKS < 4, "ranking": RANKS}), index=False),
        "By name: small is good in ranking; support was left out",
    ),
    RankingFile(
        "RFE ranking_ alone", "a.csv", lines("ranking", *RANKS), "One row .* small is good"
    ),
    RankingFile(
        "Boruta, those selected",
        "a.csv",
        lines("feature", *(NAMES[j] for j in BEST[:5])),
        "lists 5 of the 13 features without a score: best first, or without an order",
        "asked",
        best=5,
    ),
    RankingFile(
        "Boruta in R",
        "a.csv",
        r_frame({"meanImp": SCORES, "medianImp": SCORES + SPREADS, "normHits": SPREADS}),
        "has 3 columns that may be the score",
        "asked",
    ),
    RankingFile("scikit-feature idx", "a.csv", lines("idx", *BEST), "idx lists the features, best"),
    RankingFile(
        "feature_order_ of this program", "a.csv", lines("feature_order_", *BEST), "best first"
    ),
    RankingFile(
        "numpy.savetxt of an order", "a.csv", lines(*BEST), "may list the features", "asked"
    ),
    RankingFile(
        "the ten best, by number",
        "a.csv",
        lines("selected_idx_", *BEST[:10]),
        "The 3 features that it does not have tie last",
        best=10,
    ),
    RankingFile(
        "MATLAB relieff, [idx scores]",
        "a.csv",
        lines(*(f"{j + 1},{score}" for j, score in zip(BEST, SCORES, strict=True))),
        "One row a feature",
    ),
    RankingFile(
        "MATLAB fscmrmr, a row each",
        "a.csv",
        lines(",".join(str(j + 1) for j in BEST), ",".join(map(str, SCORES))),
        "One row a feature",
    ),
    RankingFile(
        "MATLAB, numbers beside their scores",
        "a.csv",
        lines(*(f"{j + 1},{SCORES[j]}" for j in BEST)),
        "By number, counted from 1",
    ),
    RankingFile("eli5, as text", "a.txt", eli5_text(), "By name: large is good in Weight"),
    RankingFile(
        "eli5, as a data frame",
        "a.csv",
        text(pd.DataFrame({"feature": NAMES, "weight": SCORES, "std": SPREADS}), index=False),
        "large is good in weight; std was left out",
    ),
    RankingFile(
        "scanpy rank_genes_groups",
        "a.csv",
        text(scanpy_frame().head(8)),
        "By name: large is good in scores; .* The 5 features",
        best=8,
    ),
    RankingFile(
        "scanpy, two groups",
        "a.csv",
        text(pd.concat([scanpy_frame().assign(group=name) for name in "ab"]), index=False),
        "stands in 2 rows by names. Keep one row a feature",
        "refused",
    ),
    RankingFile(
        "SHAP",
        "a.csv",
        text(pd.DataFrame({"col_name": NAMES, "feature_importance_vals": SCORES}).iloc[BEST]),
        "large is good in feature_importance_vals",
    ),
    RankingFile(
        "limma topTable",
        "a.csv",
        r_frame(
            {
                "logFC": SIGNED,
                "AveExpr": SPREADS,
                "t": SIGNED,
                "P.Value": P_VALUES,
                "adj.P.Val": P_VALUES,
            }
        ),
        "columns that may be the score: logFC, AveExpr, t, P.Value and adj.P.Val",
        "asked",
        3,
    ),
    RankingFile("DESeq2", "a.csv", r_frame(deseq()), "has 5 columns that may be", "asked", 3),
    RankingFile(
        "coefficients",
        "a.csv",
        text(pd.DataFrame({"feature": NAMES, "coef": SIGNED}), index=False),
        "coef has values below 0: what is far from 0 may be good, or what is large",
        "asked",
    ),
    RankingFile(
        "scores with their ranks",
        "a.csv",
        text(pd.DataFrame({"feature": NAMES, "importance": SCORES, "rank": RANKS}), index=False),
        "large is good in importance; rank was left out",
    ),
    RankingFile(
        "a Laplacian score, small is good, with its ranks",
        "a.csv",
        text(pd.DataFrame({"feature": NAMES, "score": 20 - SCORES, "rank": RANKS}), index=False),
        "by rank the best feature has the lowest score",
        "asked",
    ),
    RankingFile(
        "p-values",
        "a.csv",
        text(pd.DataFrame({"gene": NAMES, "p_value": P_VALUES})),
        "small is good in p_value",
    ),
    RankingFile(
        "sorted scores alone",
        "a.csv",
        lines("score", *SCORES[BEST]),
        "does not say which feature each score is of",
        "asked",
        best=0,
    ),
    RankingFile(
        "another set's names",
        "a.csv",
        lines("feature,score", *(f"gene{j},{j}.5" for j in range(N))),
        "none of the 13 names in feature is known here, such as gene0",
        "refused",
    ),
    RankingFile(
        "one name misspelt",
        "a.csv",
        text(SORTED).replace(b"hue", b"huge"),
        "1 of the 13 names in column 1 is unknown here, such as huge, and 1 of the 13",
        "refused",
    ),
    RankingFile(
        "a spread alone",
        "a.csv",
        text(FRAME[["feature", "std"]], index=False),
        "has no column of scores: std tells a spread",
        "asked",
        best=0,
    ),
    RankingFile(
        "too few scores",
        "a.csv",
        lines(*SCORES[:12]),
        "has 12 scores for 13 features and no",
        "refused",
    ),
    RankingFile(
        "a score is missing",
        "a.csv",
        text(SORTED).replace(b"6.8", b""),
        "the score of hue is nan",
        "refused",
    ),
    RankingFile("no JSON", "a.json", b'{"hue": 1', "a.json is not JSON", "refused"),
    RankingFile(
        "JSON that is no table", "a.json", b'{"hue": {"a": [1]}}', "holds no table", "refused"
    ),
]
