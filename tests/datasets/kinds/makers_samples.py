"""Files of one sample each, labels beside them by name, and words that may be a class."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="samples", from_field=True)
_ASKED = frozenset({"scale", "roles"})
_GENES = [f"ENSG{100000 + 37 * k:011d}" for k in range(60)]
_NAMES = [f"{group}{number}" for group in ("ctl", "trt") for number in range(1, 6)]
_GROUPS = ["ctl"] * 5 + ["trt"] * 5


@kind("counts of HTSeq, one file a sample", never="Genes become the samples of the first file.")
def htseq_files(variant: int) -> Case:
    rng = write.generator(variant, 950)
    counts = rng.poisson(rng.gamma(2, 40, (10, 60)))
    members = {}
    for name, row in zip(_NAMES, counts.tolist(), strict=True):
        order = range(60) if variant == 0 else rng.permutation(60)
        lines = [[_GENES[k], row[k]] for k in order]
        lines += [[f"__{word}", 100_000] for word in ("no_feature", "ambiguous", "not_aligned")]
        members[f"{name}{('.txt', '_htseq.counts')[variant]}"] = write.lines(lines, "\t")
    return Case(
        "counts.zip",
        write.zipped(members),
        Mark(
            values=counts,
            labels=_GROUPS,
            may_ask=_ASKED,
            column_order=("file", "any")[variant],
        ),
    )


@kind("quantities of Salmon and kallisto, a folder a sample", never="TPM and counts are mixed.")
def salmon_files(variant: int) -> Case:
    rng = write.generator(variant, 951)
    counts = rng.poisson(rng.gamma(2, 40, (10, 60)))
    lengths = rng.integers(300, 5000, 60)
    heads = (
        ["Name", "Length", "EffectiveLength", "TPM", "NumReads"],
        ["target_id", "length", "eff_length", "est_counts", "tpm"],
    )[variant]
    members = {}
    for name, row in zip(_NAMES, counts.tolist(), strict=True):
        shift = float(rng.integers(100, 200))
        lines: list[list[object]] = [[*heads]]
        for gene, length, count in zip(_GENES, lengths.tolist(), row, strict=True):
            per_million = round(count / length * 1000, 4)
            values = [per_million, count] if variant == 0 else [count, per_million]
            lines.append([gene, length, length - shift, *values])
        members[f"{name}/{('quant.sf', 'abundance.tsv')[variant]}"] = write.lines(lines, "\t")
    mark = Mark(
        values=counts,
        labels=_GROUPS,
        must_ask=frozenset({"data"}),
        may_ask=_ASKED,
        answers={"data": ("NumReads", "est_counts")[variant]},
    )
    return Case("quants.zip", write.zipped(members), mark)


@kind("featureCounts, one file a sample", never="The first file alone is read.")
def feature_counts_files(variant: int) -> Case:
    rng = write.generator(variant, 952)
    counts = rng.poisson(rng.gamma(2, 40, (10, 60)))
    members = {}
    for name, row in zip(_NAMES, counts.tolist(), strict=True):
        head: list[object] = [
            "Geneid",
            "Chr",
            "Start",
            "End",
            "Strand",
            "Length",
            f"/data/{name}.bam",
        ]
        lines: list[list[object]]
        lines = [[f'# Program:featureCounts v2.0.{variant}; Command:"featureCounts"'], head]
        lines += [
            [gene, "chr1", 100 * k, 100 * k + 50 + k, "+", 51 + k, count]
            for k, (gene, count) in enumerate(zip(_GENES, row, strict=True))
        ]
        folder = "" if variant == 0 else f"{name[:3]}/"
        members[f"{folder}{name}.txt"] = write.lines(lines, "\t")
    mark = Mark(values=counts, labels=_GROUPS, may_ask=_ASKED)
    return Case("counts.zip", write.zipped(members), mark)


@kind("files of one sample with other genes", never="Genes that some files lack are dropped.")
def unlike_files(variant: int) -> Case:
    rng = write.generator(variant, 953)
    members = {}
    for number, name in enumerate(_NAMES):
        genes = _GENES[: 60 - 2 * variant - 1] if number == 4 else _GENES
        lines = [[gene, count] for gene, count in zip(genes, rng.poisson(50, 60), strict=False)]
        members[f"{name}.tsv"] = write.lines(lines, "\t")
    return Case("counts.zip", write.zipped(members), Mark(refused="lacks"))


@kind("an array with names and a table of its labels", never="Labels go by place, not by name.")
def labels_by_name(variant: int) -> Case:
    rng = write.generator(variant, 954)
    values = rng.random((40, 12))
    labels = rng.choice(["case", "control"], 40).tolist()
    names = [f"P{number:03d}" for number in rng.permutation(200)[:40]]
    order = rng.permutation(40)
    table = [["patient", "diagnosis"], *([names[k], labels[k]] for k in order)]
    arrays = {"X": values, ("sample_names", "names")[variant]: np.array(names)}
    array = write.npz(**arrays) if variant == 0 else write.mat(**arrays)
    members = {("x.npz", "x.mat")[variant]: array, "labels.csv": write.lines(table)}
    mark = Mark(values=values, labels=labels, may_ask=_ASKED | {"samples"})
    return Case("study.zip", write.zipped(members), mark)


@kind("a class that is called none", never="Samples of the class none have no class.")
def class_none(variant: int) -> Case:
    rng = write.generator(variant, 955)
    values = rng.random((60, 8)).round(4)
    words = (["none", "aphid", "mite"], ["wt", "null"])[variant]
    labels = rng.permutation(np.resize(words, 60)).tolist()
    head = [*(f"m{k}x" for k in "abcdefgh"), ("pest", "genotype")[variant]]
    lines = [head, *([*row, label] for row, label in zip(values.tolist(), labels, strict=True))]
    mark = Mark(values=values, labels=labels, must_ask=frozenset({"classes_from"}), may_ask=_ASKED)
    return Case("trial.csv", write.lines(lines), mark)


@kind("proteins that MaxQuant marks", never="Contaminants and decoys are features, unsaid.")
def marked_proteins(variant: int) -> Case:
    rng = write.generator(variant, 956)
    n = 50
    values = 2 ** rng.normal(25, 2, (8, n)).round(3)
    values = values.round()
    is_marked = np.zeros(n, dtype=bool)
    is_marked[rng.permutation(n)[:6]] = True
    samples = [f"{group}_{k}" for group in ("ctrl", "drug") for k in range(1, 5)]
    head = ["Protein IDs", "Score", *(f"LFQ intensity {name}" for name in samples)]
    head += ["Reverse", ("Potential contaminant", "Contaminant")[variant]]
    lines: list[list[object]] = [[*head]]
    for k in range(n):
        prefix = ("REV__" if k % 2 else "CON__") if is_marked[k] else ""
        marks = ["+" if is_marked[k] and k % 2 else "", "+" if is_marked[k] and not k % 2 else ""]
        lines.append([f"{prefix}P{10000 + k}", 300.5, *values[:, k].tolist(), *marks])
    mark = Mark(
        values=values[:, ~is_marked],
        labels=["ctrl"] * 4 + ["drug"] * 4,
        may_ask=_ASKED | {"samples", "classes_from"},
        answers={"samples": "columns"},
    )
    return Case("proteinGroups.txt", write.lines(lines, "\t"), mark)
