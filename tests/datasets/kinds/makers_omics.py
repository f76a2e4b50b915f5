"""Genes, cells, metabolites, mutations, cytometers and brain waves."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import scipy.sparse

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark, Numbers
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="omics")
STRING = {"encoding-type": "string-array", "encoding-version": "0.2.0"}


def gene_names(n: int, stem: str = "GENE") -> list[str]:
    return [f"{stem}{k}" for k in range(n)]


@kind("counts of fifty genes", never="The first gene is taken for the class.")
def fifty_genes(variant: int) -> Case:
    n_genes = (50, 65)[variant]
    rng = write.generator(variant, 10)
    counts = rng.poisson(rng.gamma(2, 2, n_genes), (200, n_genes))
    frame = pd.DataFrame(counts, columns=gene_names(n_genes))
    if variant:
        frame.insert(0, "cell", [f"AAACC{k:04d}-1" for k in range(200)])
    return Case("counts.csv", write.csv(frame), Mark(values=counts))


@kind("mutations as 0 and 1", never="A gene that is mutated or not is taken for the class.")
def mutations(variant: int) -> Case:
    n_genes = (65, 37)[variant]
    rng = write.generator(variant, 11)
    calls = (rng.random((120, n_genes)) < rng.uniform(0.1, 0.5, n_genes)).astype(int)
    names = [f"MUT_{gene}" for gene in gene_names(n_genes, "G")]
    content = write.csv(pd.DataFrame(calls, columns=names), (",", "\t")[variant])
    return Case(("mutations.csv", "mutations.tsv")[variant], content, Mark(values=calls))


@kind("a cytometer's events with Time", never="Time becomes the class, of hundreds of values.")
def cytometer(variant: int) -> Case:
    rng = write.generator(variant, 12)
    n = (2000, 1200)[variant]
    names = (["FSC-A", "SSC-A", "CD3", "CD19"], ["FSC-A", "FSC-H", "SSC-A", "FITC-A", "PE-A"])
    columns = names[variant]
    values = np.column_stack(
        [rng.normal(1e5, 2e4, n)] + [rng.lognormal(7, 1, n) for _ in columns[1:]]
    ).round(2)
    frame = pd.DataFrame(values, columns=columns)
    frame.insert(len(columns) if variant == 0 else 0, "Time", np.arange(n) // (5, 3)[variant])
    mark = Mark(
        values=values,
        may_ask=frozenset({"roles", "scale"}),
        answers={"roles": {"Time": "clock"}, "scale": "columns"},
    )
    return Case("events.csv", write.csv(frame), mark)


@kind("cytokines and the age of each patient", never="Ages become classes.")
def ages(variant: int) -> Case:
    rng = write.generator(variant, 13)
    cytokines = rng.normal(8, 2, (150, 8)).round(3)
    years = rng.integers(20, 80, 150)
    frame = pd.DataFrame(cytokines, columns=[f"IL{k}" for k in (1, 2, 4, 6, 8, 10, 12, 17)])
    frame.insert(8 if variant == 0 else 0, ("age", "Age")[variant], years)
    place = 8 if variant == 0 else 0
    mark = Mark(
        values=np.insert(cytokines, place, years, axis=1),
        must_ask=frozenset({"roles"}),
        may_ask=frozenset({"scale"}),
        answers={"roles": {("age", "Age")[variant]: "feature"}, "scale": "columns"},
    )
    return Case("cytokines.csv", write.csv(frame), mark)


@kind("genes of spots with x and y", never="The y of a spot becomes the class, x a feature.")
def spots(variant: int) -> Case:
    rng = write.generator(variant, 14)
    width, height = ((20, 15), (16, 16))[variant]
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    levels = rng.normal(size=(width * height, 30)).round(4)
    frame = pd.DataFrame(levels, columns=gene_names(30, "G"))
    names = (("x", "y"), ("array_row", "array_col"))[variant]
    frame.insert(0, names[1], y.ravel())
    frame.insert(0, names[0], x.ravel())
    mark = Mark(
        values=levels,
        may_ask=frozenset({"roles"}),
        answers={"roles": dict.fromkeys(names, "place")},
    )
    return Case("spots.csv", write.csv(frame), mark)


@kind("genes of the fly, one of them y", never="The gene yellow becomes the class.")
def fly_genes(variant: int) -> Case:
    rng = write.generator(variant, 15)
    names = (["w", "y", "sn", "ct", "f"], ["v", "B", "m", "y", "g", "rb"])[variant]
    counts = rng.poisson(4, (150, len(names)))
    content = write.csv(pd.DataFrame(counts, columns=names))
    mark = Mark(
        values=counts,
        may_ask=frozenset({"roles", "classes_from"}),
        answers={"roles": {"y": "feature"}, "classes_from": "none"},
    )
    return Case("fly.csv", content, mark)


@kind("band power of 16 channels", never="Channels by bands are turned into skeletons.")
def band_power(variant: int) -> Case:
    rng = write.generator(variant, 16)
    n_channels = (16, 19)[variant]
    which = rng.permutation(np.repeat([0, 1, 2], 20))
    power = rng.gamma(2, 2, (60, n_channels, 3)) * (1 + 0.2 * which[:, None, None])
    content = (
        write.npz(X=power, y=which) if variant == 0 else write.npz(bandpower=power, labels=which)
    )
    mark = Mark(
        values=power.reshape(60, -1),
        scale="any",
        also=("axis",),
        labels=write.texts(which),
        column_order="any",
        may_ask=frozenset({"features", "samples", "shape"}),
        answers={"features": "columns", "samples": "rows"},
    )
    return Case("bands.npz", content, mark)


@kind("frequency bands beside channels and times", never="Bands are mixed to grey as colours.")
def eeg_bands(variant: int) -> Case:
    rng = write.generator(variant, 17)
    shape = ((40, 4, 8, 12), (40, 10, 9, 3))[variant]
    bands = rng.normal(size=shape).astype(np.float32)
    which = rng.permutation(np.arange(40) % 2)
    mark = Mark(
        values=bands.reshape(40, -1),
        scale="any",
        also=("axis",),
        labels=write.texts(which),
        column_order="any",
        must_ask=frozenset({"colours", "features"}),
        may_ask=frozenset({"samples", "shape"}),
        answers={"features": "columns", "samples": "rows", "colours": "none"},
    )
    return Case("bands.npz", write.npz(X=bands, y=which), mark)


@kind("trials by channels by time", never="A stack of recordings is shown as photographs.")
def eeg_trials(variant: int) -> Case:
    rng = write.generator(variant, 18)
    n_channels, n_times = ((8, 60), (22, 40))[variant]
    time = np.arange(n_times) / 100
    which = rng.permutation(np.arange(60) % 2)
    waves = np.sin(2 * np.pi * 10 * time + rng.uniform(0, 6, (60, n_channels, 1)))
    trials = waves * (1 + which[:, None, None]) + rng.normal(size=(60, n_channels, n_times))
    trials = trials.astype(np.float32)
    names = (("X", "y"), ("epochs", "events"))[variant]
    mark = Mark(
        values=trials.reshape(60, -1),
        also=("axis",),
        labels=write.texts(which),
        column_order="any",
        may_ask=frozenset({"features", "samples", "shape", "axis"}),
        answers={"features": "columns", "samples": "rows"},
    )
    return Case("trials.npz", write.npz(**dict(zip(names, (trials, which), strict=True))), mark)


def opaque_variable(name: str, matlab_class: str) -> bytes:
    """An element of a .mat file as MATLAB writes a table or a string: an opaque object."""

    def element(number: int, payload: bytes) -> bytes:
        padded = payload + b"\0" * (-len(payload) % 8)
        return np.array([number, len(payload)], "<u4").tobytes() + padded

    reference = np.array([0xDD000000, 2, 1, 1, 1, 1], "<u4")
    inner = (
        element(6, np.array([13, 0], "<u4").tobytes())
        + element(5, np.array([6, 1], "<i4").tobytes())
        + element(1, b"")
        + element(6, reference.tobytes())
    )
    body = (
        element(6, np.array([17, 0], "<u4").tobytes())
        + element(1, name.encode())
        + element(1, b"MCOS")
        + element(1, matlab_class.encode())
        + element(14, inner)
    )
    return element(14, body)


@kind("a .mat with a MATLAB table beside X", never="The file is called damaged.")
def opaque_mat(variant: int) -> Case:
    rng = write.generator(variant, 19)
    values = rng.normal(size=(60, 12)) * rng.uniform(1, 3, 12)
    which = rng.permutation(np.arange(60) % 3)
    buffer = write.mat(X=values, Y=(which + 1.0)[:, None])
    opaque = opaque_variable(("meta", "names")[variant], ("table", "string")[variant])
    content = buffer + opaque if variant == 0 else buffer[:128] + opaque + buffer[128:]
    mark = Mark(
        values=values,
        labels=write.texts(which + 1),
        also=("axis",),
        may_ask=frozenset({"classes_from"}),
        answers={"classes_from": "Y"},
    )
    return Case("tables.mat", content, mark)


@kind("epochs of a recording in a long table", never="Every instant is a sample.")
def long_epochs(variant: int) -> Case:
    rng = write.generator(variant, 20)
    n_epochs, n_times = ((20, 40), (16, 50))[variant]
    time = np.arange(n_times) * 0.004 - 0.1
    waves = rng.normal(size=(n_epochs, n_times, 2)).cumsum(1).round(4)
    conditions = write.words(rng.permutation(np.arange(n_epochs) % 2), "left right")
    frame = pd.concat(
        [
            pd.DataFrame(
                {
                    "time": time.round(4),
                    "condition": conditions[epoch],
                    "epoch": epoch,
                    "Fz": waves[epoch, :, 0],
                    "Cz": waves[epoch, :, 1],
                }
            )
            for epoch in range(n_epochs)
        ],
        ignore_index=True,
    )
    mark = Mark(
        values=waves.transpose(0, 2, 1).reshape(n_epochs, -1),
        labels=conditions,
        also=("axis",),
        column_order="any",
        must_ask=frozenset({"pivot"}),
        may_ask=frozenset({"classes_from", "roles", "scale"}),
        answers={"pivot": "epoch × time", "classes_from": "condition"},
    )
    return Case("epochs.csv", write.csv(frame, index=variant == 0), mark)


@kind("sample, gene and value in a long table", never="Every value is a sample of one feature.")
def long_genes(variant: int) -> Case:
    rng = write.generator(variant, 21)
    n, d = ((40, 20), (30, 25))[variant]
    levels = rng.gamma(2, 2, (n, d)).round(3)
    frame = pd.DataFrame(levels, columns=[f"G{k:02d}" for k in range(d)])
    frame.insert(0, "sample", [f"s{k:02d}" for k in range(n)])
    long = frame.melt("sample", var_name="gene", value_name="expression")
    if variant:
        long = long.sort_values(["sample", "gene"])[["gene", "sample", "expression"]]
    mark = Mark(
        values=levels,
        must_ask=frozenset({"pivot"}),
        may_ask=frozenset({"classes_from", "roles"}),
        answers={"pivot": "sample × gene", "classes_from": "none"},
    )
    return Case("long.csv", write.csv(long), mark)


@kind("samples in columns, classes in a row", never="A row of words makes all columns text.")
def class_row(variant: int) -> Case:
    rng = write.generator(variant, 22)
    n, d = ((20, 40), (24, 30))[variant]
    levels = rng.gamma(2, 2, (d, n)).round(4)
    labels = write.words(rng.permutation(np.arange(n) % 2), "ctl case")
    rows = [["Sample", *[f"S{k}" for k in range(n)]], [("Label", "Group")[variant], *labels]]
    rows += [[f"met{k}", *row] for k, row in enumerate(levels)]
    mark = Mark(
        values=levels.T,
        labels=labels,
        may_ask=frozenset({"samples", "classes_from"}),
        answers={"samples": "columns", "classes_from": ("Label", "Group")[variant]},
    )
    return Case(
        ("metabo.csv", "metabo.txt")[variant], write.lines(rows, (",", "\t")[variant]), mark
    )


@kind("genes by samples without a name", never="Genes are samples, without a word.")
def genes_by_samples(variant: int) -> Case:
    levels = write.generator(variant, 23).gamma(2, 2, (40, (400, 300)[variant])).round(3)
    content = write.mat(data=levels.T) if variant == 0 else write.npy(levels.T)
    mark = Mark(
        values=levels,
        also=("axis",),
        must_ask=frozenset({"samples"}),
        may_ask=frozenset({"features", "scale"}),
        answers={"samples": "columns", "features": "columns"},
    )
    return Case(("expression.mat", "expression.npy")[variant], content, mark)


@kind("genes in rows under names of samples", never="Genes are samples, without a word.")
def genes_in_rows(variant: int) -> Case:
    rng = write.generator(variant, 24)
    n, d = ((24, 200), (18, 150))[variant]
    levels = rng.gamma(2, 2, (d, n)).round(3)
    heads = [f"TCGA-{k:02d}-A{k}" if variant == 0 else f"patient_{k + 1}" for k in range(n)]
    frame = pd.DataFrame(levels, columns=heads)
    frame.insert(0, ("gene", "ENSEMBL")[variant], [f"ENSG{k * 13:011d}" for k in range(d)])
    mark = Mark(
        values=levels.T, may_ask=frozenset({"samples", "scale"}), answers={"samples": "columns"}
    )
    return Case("genes.tsv", write.csv(frame, "\t"), mark)


@kind("R's table with a header one cell short", never="The file is refused for its first row.")
def r_table(variant: int) -> Case:
    rng = write.generator(variant, 25)
    levels = rng.normal(5, 1, (60, 4)).round(2)
    labels = write.words(rng.permutation(np.arange(60) % 3), "setosa versicolor virginica")
    names = ["Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width", "Species"]
    if variant == 0:
        rows = [
            [str(k + 1), *row, label]
            for k, (row, label) in enumerate(zip(levels, labels, strict=True))
        ]
        content = write.lines([names, *rows], "\t")
    else:
        rows = [
            [f'"{k + 1}"', *row, f'"{label}"']
            for k, (row, label) in enumerate(zip(levels, labels, strict=True))
        ]
        content = write.lines([[f'"{name}"' for name in names], *rows], " ")
    return Case(("iris.tsv", "iris.txt")[variant], content, Mark(values=levels, labels=labels))


@kind("TRUE and FALSE", never="All columns are left out as text.")
def booleans(variant: int) -> Case:
    calls = write.generator(variant, 26).random((60, (30, 22)[variant])) < 0.3
    frame = pd.DataFrame(calls, columns=[f"mut{k}" for k in range(calls.shape[1])])
    content = write.csv(frame)
    if variant:
        content = content.replace(b"True", b"TRUE").replace(b"False", b"FALSE")
    return Case("bool.csv", content, Mark(values=calls.astype(int)))


@kind("GCT of version 1.3", never="The dimensions of the second line become samples.")
def gct(variant: int) -> Case:
    rng = write.generator(variant, 27)
    n, d = ((16, 30), (20, 24))[variant]
    levels = rng.gamma(2, 2, (d, n)).round(3)
    labels = write.words(rng.permutation(np.arange(n) % 2), "dmso drug")
    rows: list[list[object]] = [
        ["#1.3"],
        [d, n, 1, 1],
        ["id", "pr_gene_symbol", *[f"X{k}_A{k}" for k in range(n)]],
        ["pert_type", "na", *labels],
    ]
    rows += [[f"{2000 + k}_at", f"SYM{k}", *row] for k, row in enumerate(levels)]
    mark = Mark(
        values=levels.T,
        labels=labels,
        may_ask=frozenset({"samples", "classes_from"}),
        answers={"samples": "columns", "classes_from": "pert_type"},
    )
    return Case(("levels.gct", "levels.tsv")[variant], write.lines(rows, "\t"), mark)


@kind("a series matrix of GEO", never="The file is refused for its first lines.")
def geo(variant: int) -> Case:
    rng = write.generator(variant, 28)
    n, d = ((14, 40), (20, 30))[variant]
    levels = rng.normal(8, 2, (d, n)).round(3)
    labels = write.words(rng.permutation(np.arange(n) % 2), "healthy asthma")
    quoted = [f'"GSM{100 + k}"' for k in range(n)]
    rows: list[list[object]] = [
        ["!Series_title", '"Airway cells"'],
        ["!Series_platform_id", '"GPL570"'],
        [],
        ["!Sample_title", *[f'"cells {k}"' for k in range(n)]],
        ["!Sample_geo_accession", *quoted],
        ["!Sample_characteristics_ch1", *[f'"disease: {label}"' for label in labels]],
        ["!series_matrix_table_begin"],
        ['"ID_REF"', *quoted],
    ]
    rows += [[f'"{1000 + k}_s_at"', *row] for k, row in enumerate(levels)]
    rows += [["!series_matrix_table_end"]]
    mark = Mark(
        values=levels.T,
        labels=[f"disease: {label}" for label in labels],
        may_ask=frozenset({"samples", "classes_from", "scale"}),
        answers={"samples": "columns", "classes_from": "!Sample_characteristics_ch1"},
    )
    content = write.lines(rows, "\t")
    return Case(
        ("GSE1_series_matrix.txt", "GSE2_series_matrix.txt.gz")[variant],
        content if variant == 0 else write.gzipped(content),
        mark,
    )


@kind("featureCounts with its annotation", never="Start, End and Length become samples.")
def feature_counts(variant: int) -> Case:
    rng = write.generator(variant, 29)
    n, d = ((8, 60), (12, 50))[variant]
    counts = rng.poisson(rng.gamma(2, 20, (d, 1)), (d, n))
    head = ["Geneid", "Chr", "Start", "End", "Strand", "Length"] + [
        f"bam/s{k}.bam" for k in range(n)
    ]
    rows: list[list[object]] = [
        ["# Program:featureCounts v2.0.6; Command:featureCounts -a x"],
        [*head],
    ]
    starts = rng.integers(10_000, 900_000, d)
    lengths = rng.integers(300, 9000, d)
    rows += [
        [
            f"ENSG{k:08d}",
            f"chr{k % 5 + 1}",
            starts[k],
            starts[k] + lengths[k],
            "+-"[k % 2],
            lengths[k],
            *counts[k],
        ]
        for k in range(d)
    ]
    mark = Mark(
        values=counts.T,
        may_ask=frozenset({"samples", "roles", "scale", "classes_from"}),
        answers={
            "samples": "columns",
            "classes_from": "none",
            "roles": {"Start": "name", "End": "name", "Length": "name"},
        },
    )
    return Case("counts.txt", write.lines(rows, "\t"), mark)


@kind("recordings in volts", never="All values are crushed into a hair's breadth around one half.")
def volts(variant: int) -> Case:
    rng = write.generator(variant, 30)
    values = rng.normal(size=(60, (40, 25)[variant])) * (1e-5, 3e-7)[variant]
    which = rng.permutation(np.arange(60) % 3)
    content = write.mat(X=values, y=which[:, None]) if variant else write.npz(X=values, y=which)
    mark = Mark(values=values, labels=write.texts(which), also=("axis",), least_range=0.3)
    return Case(("volts.npz", "volts.mat")[variant], content, mark)


@kind("AnnData of counts in sparse parts", never="The embedding is taken in place of the counts.")
def sparse_h5ad(variant: int) -> Case:
    rng = write.generator(variant, 31)
    n, d = ((70, 40), (50, 60))[variant]
    counts = rng.poisson(0.6, (n, d)).astype(np.float32)
    parts = scipy.sparse.csr_matrix(counts) if variant == 0 else scipy.sparse.csc_matrix(counts)
    codes = rng.permutation(np.arange(n) % 3).astype(np.int8)
    codes[[3, 11]] = -1
    types = ["B", "NK", "T"]
    index: dict[str, Numbers] = {"obs/_index": np.array([f"c{k}" for k in range(n)])}
    marks: dict[str, dict[str, str]] = {"obs/_index": STRING}
    if variant:  # as anndata writes it since 0.13
        index = {
            "obs/_index/values": np.array([f"c{k}" for k in range(n)]),
            "obs/_index/mask": np.zeros(n, bool),
        }
        marks = {
            "obs/_index": {"encoding-type": "nullable-string-array", "encoding-version": "0.1.0"}
        }
    content = write.hdf5(
        {
            "X/data": parts.data,
            "X/indices": parts.indices,
            "X/indptr": parts.indptr,
            **index,
            "obs/cell_type/codes": codes,
            "obs/cell_type/categories": np.array(types),
            "var/_index": np.array(gene_names(d)),
            "obsm/X_pca": rng.normal(size=(n, 5)),
        },
        {
            "/": {"encoding-type": "anndata", "encoding-version": "0.1.0"},
            "X": {
                "encoding-type": ("csr_matrix", "csc_matrix")[variant],
                "encoding-version": "0.1.0",
                "shape": np.array([n, d]),
            },
            "obs": {
                "encoding-type": "dataframe",
                "encoding-version": "0.2.0",
                "_index": "_index",
                "column-order": ["cell_type"],
            },
            "obs/cell_type": {
                "encoding-type": "categorical",
                "encoding-version": "0.2.0",
                "ordered": False,
            },
            "obs/cell_type/categories": STRING,
            "var": {
                "encoding-type": "dataframe",
                "encoding-version": "0.2.0",
                "_index": "_index",
                "column-order": np.array([], "S1"),
            },
            "var/_index": STRING,
            **marks,
        },
    )
    labels = [types[code] if code >= 0 else None for code in codes]
    return Case("counts.h5ad", content, Mark(values=counts, labels=labels))


@kind("an axis of mass bins with an empty last one", never="The last bin becomes the class.")
def empty_bin(variant: int) -> Case:
    rng = write.generator(variant, 32)
    d = (300, 180)[variant]
    counts = rng.gamma(0.3, 1, (90, d)).round(4)
    counts[:, -1] = 0
    counts[:3, -1] = 1
    first = (50, 101)[variant]
    frame = pd.DataFrame(counts, columns=[f"mz{first + k}" for k in range(d)])
    labels = None
    if variant:
        labels = write.texts(rng.permutation(np.arange(90) % 3))
        frame.insert(0, "origin", [int(label) for label in labels])
    mark = Mark(
        values=counts,
        scale="whole",
        features="axis",
        labels=labels,
        may_ask=frozenset({"roles", "classes_from"}) if variant else frozenset(),
        answers={"roles": {"origin": "class"}, "classes_from": "origin"},
    )
    return Case("masses.csv", write.csv(frame), mark)


@kind("cells without a label among labelled ones", never="Empty cells become one more class.")
def unlabelled_cells(variant: int) -> Case:
    rng = write.generator(variant, 33)
    levels = rng.gamma(2, 2, (60, 8)).round(3)
    which = rng.permutation(np.arange(60) % 3)
    labels: list[str | None] = [*write.words(which, "B NK T")]
    for place in ((3, 30), (5, 17, 40, 41))[variant]:
        labels[place] = None
    frame = pd.DataFrame(levels, columns=gene_names(8, "G"))
    written = [("", "NA")[variant] if label is None else label for label in labels]
    frame[("cell_type", "class")[variant]] = written
    mark = Mark(
        values=levels, labels=labels, may_ask=frozenset({"missing"}), answers={"missing": "rows"}
    )
    if variant == 0:
        mark = Mark(values=levels, labels=labels)
    return Case("cells.csv", write.csv(frame), mark)


@kind("a gene with one cell below the limit", never="The gene is left out as text.")
def censored(variant: int) -> Case:
    rng = write.generator(variant, 34)
    levels = rng.gamma(4, 1, (60, 6)).round(2) + 1
    labels = write.words(rng.permutation(np.arange(60) % 2), "case control")
    cells = levels.astype(object)
    places = (((7, 2),), ((7, 2), (50, 4), (12, 2)))[variant]
    values = levels.copy()
    for row, column in places:
        cells[row, column] = "<0.5"
        values[row, column] = np.nan
    frame = pd.DataFrame(cells, columns=gene_names(6, "G")).assign(**{"class": labels})
    mark = Mark(
        values=values,
        labels=labels,
        must_ask=frozenset({"missing"}),
        may_ask=frozenset({"roles", "scale"}),
        answers={"missing": "mean"},
    )
    return Case("limits.csv", write.csv(frame), mark)


@kind("PLINK's .raw of genotypes", never="PHENOTYPE, SEX and genotypes are all features.")
def plink(variant: int) -> Case:
    rng = write.generator(variant, 35)
    n, d = ((60, 20), (80, 15))[variant]
    calls = rng.binomial(2, rng.uniform(0.2, 0.5, d), (n, d))
    phenotype = rng.permutation(np.arange(n) % 2) + 1
    frame = pd.DataFrame(calls, columns=[f"rs{1000 + 17 * k}_{'ACGT'[k % 4]}" for k in range(d)])
    people = [f"P{k:03d}" for k in range(n)]
    for place, (name, column) in enumerate(
        {
            "FID": people,
            "IID": people,
            "PAT": np.zeros(n, int),
            "MAT": np.zeros(n, int),
            "SEX": rng.integers(1, 3, n),
            "PHENOTYPE": phenotype,
        }.items()
    ):
        frame.insert(place, name, column)
    roles = {"PHENOTYPE": "class", "SEX": "name", "PAT": "name", "MAT": "name"}
    mark = Mark(
        values=calls,
        labels=write.texts(phenotype),
        must_ask=frozenset({"classes_from", "roles"}),
        may_ask=frozenset({"scale"}),
        answers={"classes_from": "PHENOTYPE", "roles": roles},
    )
    return Case("people.csv", write.csv(frame, (",", " ")[variant]), mark)


@kind("a QIIME table of taxa", never="The header is skipped as a comment.")
def qiime(variant: int) -> Case:
    rng = write.generator(variant, 36)
    n, d = ((18, 60), (15, 45))[variant]
    counts = rng.poisson(rng.gamma(0.6, 9, (d, 1)), (d, n))
    head: list[object] = ["#OTU ID", *[f"Soil.{k}" for k in range(n)]]
    rows: list[list[object]] = [["# Constructed from biom file"], head]
    rows += [[f"OTU_{k}", *row] for k, row in enumerate(counts)]
    if variant:
        head.append("taxonomy")
        for k, row in enumerate(rows[2:]):
            row.append(f"k__Bacteria; p__Phylum{k % 4}; g__Genus{k}")
    mark = Mark(
        values=counts.T,
        may_ask=frozenset({"samples", "scale", "classes_from"}),
        answers={"samples": "columns", "classes_from": "none"},
    )
    return Case("otu.txt", write.lines(rows, "\t"), mark)


@kind("MZmine's features by samples", never="m/z and retention times become samples or features.")
def mzmine(variant: int) -> Case:
    rng = write.generator(variant, 37)
    n, d = ((12, 80), (15, 60))[variant]
    areas = rng.lognormal(8, 1, (d, n)).round(1)
    frame = pd.DataFrame(areas, columns=[f"S{k + 1}.mzML Peak area" for k in range(n)])
    frame.insert(0, "row retention time", rng.uniform(0.5, 20, d).round(3))
    frame.insert(0, "row m/z", rng.uniform(80, 900, d).round(4))
    frame.insert(0, "row ID", np.arange(1, d + 1))
    mark = Mark(
        values=areas.T,
        must_ask=frozenset({"samples", "roles"}),
        may_ask=frozenset({"scale", "features", "header", "axis"}),
        answers={
            "samples": "columns",
            "roles": {"row ID": "name", "row m/z": "name", "row retention time": "name"},
        },
    )
    return Case("features.csv", write.csv(frame), mark)


@kind("Perseus with rows of annotation", never="Rows that start with #! become samples.")
def perseus(variant: int) -> Case:
    rng = write.generator(variant, 150)
    n, d = ((12, 40), (15, 30))[variant]
    levels = rng.normal(25, 2, (d, n)).round(4)
    labels = write.words(rng.permutation(np.arange(n) % 3), "wt ko rescue")
    rows: list[list[object]] = [
        [*[f"Intensity {k + 1}" for k in range(n)], "Protein IDs"],
        ["#!{Type}E", *["E"] * (n - 1), "T"],
        [f"#!{{C:Grouping}}{labels[0]}", *labels[1:], ""],
    ]
    rows += [[*row, f"P{30000 + 11 * k}"] for k, row in enumerate(levels)]
    mark = Mark(
        values=levels.T,
        labels=labels,
        may_ask=frozenset({"samples", "classes_from"}),
        answers={"samples": "columns", "classes_from": "C:Grouping"},
    )
    return Case("matrix.txt", write.lines(rows, "\t"), mark)


@kind("Entrez numbers before genes by samples", never="Entrez numbers are a feature or a sample.")
def entrez(variant: int) -> Case:
    rng = write.generator(variant, 151)
    n, d = ((15, 80), (20, 60))[variant]
    levels = rng.gamma(3, 2, (d, n)).round(3)
    frame = pd.DataFrame(levels, columns=[f"S{k}" for k in range(n)])
    numbers = rng.permutation(np.arange(100, 90_000, 97))[:d]
    frame.insert(0, ("entrez", "Entrez_Gene_Id")[variant], numbers)
    mark = Mark(
        values=levels.T,
        must_ask=frozenset({"samples", "roles"}),
        may_ask=frozenset({"scale", "header", "features"}),
        answers={"samples": "columns", "roles": {frame.columns[0]: "name"}},
    )
    return Case("genes.csv", write.csv(frame), mark)


@kind("one embedding a cell of Parquet", never="The column of lists is left out: no numbers.")
def list_column(variant: int) -> Case:
    curves, which = write.spectra(40, (30, 50)[variant], 152 + variant)
    labels = write.words(which, "oak elm ash")
    frame = pd.DataFrame({"label": labels, "spectrum": [row.tolist() for row in curves]})
    content = write.parquet(frame, feather=variant == 1)
    mark = Mark(
        values=curves,
        labels=labels,
        also=("axis",),
        may_ask=frozenset({"features", "scale"}),
        answers={"features": "axis", "scale": "stretch"},
        may_refuse="list|lists",
    )
    return Case(("spectra.parquet", "spectra.feather")[variant], content, mark)
