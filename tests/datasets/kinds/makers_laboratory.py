"""Tables as instruments of a chemist and programs of a biologist export them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark, Numbers
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="laboratory", from_field=True)
_ASKED = frozenset({"roles", "scale"})


def _columns(groups: tuple[str, str], n_each: int) -> tuple[list[str], list[str]]:
    """Names of samples that carry their group, and the group of each."""
    names = [f"{group}_{number}" for group in groups for number in range(1, n_each + 1)]
    return names, [group for group in groups for _ in range(n_each)]


def _expression(variant: int, salt: int, n_genes: int, n: int) -> Numbers:
    rng = write.generator(variant, salt)
    return rng.poisson(rng.gamma(2, 40, (n_genes, 1)), (n_genes, n))


def _ensembl(n: int) -> list[str]:
    return [f"ENSG{100000 + 37 * k:011d}.{k % 9 + 1}" for k in range(n)]


@kind("R's counts of genes with the version in their names", never="Genes become the samples.")
def versions_of_genes(variant: int) -> Case:
    names, groups = _columns((("ctrl", "treat"), ("WT", "KO"))[variant], 6)
    counts = _expression(variant, 900, 90, 12)
    lines: list[list[object]] = [["", *names] if variant == 0 else [*names]]
    rows = zip(_ensembl(90), counts.tolist(), strict=True)
    lines += [[gene, *row] for gene, row in rows]
    mark = Mark(values=counts.T, labels=groups, may_ask=_ASKED)
    name = ("normalised.csv", "normalised.txt")[variant]
    return Case(name, write.lines(lines, (",", "\t")[variant]), mark)


@kind("counts of HTSeq with reads of no gene", never="Reads of no gene are the greatest features.")
def counts_of_htseq(variant: int) -> Case:
    names, groups = _columns((("mock", "virus"), ("day", "night"))[variant], 5)
    counts = _expression(variant, 901, 80, 10)
    lines: list[list[object]] = [[("", "gene")[variant], *names]]
    lines += [[gene, *row] for gene, row in zip(_ensembl(80), counts.tolist(), strict=True)]
    for mark in ("no_feature", "ambiguous", "too_low_aQual", "not_aligned"):
        lines.append([f"__{mark}", *range(100_000, 100_010)])
    mark = Mark(values=counts.T, labels=groups, may_ask=_ASKED)
    return Case("counts.tsv", write.lines(lines, "\t"), mark)


@kind("XCMS with the middle of mass and time", never="Masses and times become two samples.")
def xcms(variant: int) -> Case:
    names, groups = _columns((("QC", "urine"), ("plasma", "serum"))[variant], 5)
    rng = write.generator(variant, 902)
    areas = rng.gamma(2, 1e4, (70, 10)).round(1)
    mass, time = rng.uniform(100, 900, 70).round(4), rng.uniform(30, 900, 70).round(2)
    frame = pd.DataFrame(areas, columns=[f"{name}.mzML" for name in names])
    frame.insert(0, "rtmed", time)
    frame.insert(0, "mzmed", mass)
    frame.insert(0, "name", [f"M{m:.0f}T{t:.0f}" for m, t in zip(mass, time, strict=True)])
    mark = Mark(values=areas.T, labels=groups, may_ask=_ASKED)
    return Case("features.csv", write.csv(frame, (",", "\t")[variant]), mark)


@kind("results of a test beside the counts", never="Fold change and p values become samples.")
def results_beside_counts(variant: int) -> Case:
    names, groups = _columns((("ctrl", "treat"), ("sham", "drug"))[variant], 6)
    counts = np.log2(_expression(variant, 903, 60, 12) + 1).round(4)
    rng = write.generator(variant, 904)
    heads = (
        ["baseMean", "log2FoldChange", "lfcSE", "stat", "pvalue", "padj"],
        ["mean_sham", "mean_drug", "log2FC", "p-value", "FDR"],
    )[variant]
    frame = pd.DataFrame(counts, columns=names)
    for head in reversed(heads):
        frame.insert(0, head, rng.random(60).round(5))
    frame.insert(0, "gene", [f"ZNF{100 + k}" for k in range(60)])
    mark = Mark(values=counts.T, labels=groups, may_ask=_ASKED)
    return Case("results.csv", write.csv(frame), mark)


@kind("counts and a table of their samples", never="The groups of the second table are lost.")
def counts_and_metadata(variant: int) -> Case:
    names = [f"S{number:02d}" for number in range(1, 13)]

    groups = ["control"] * 6 + ["treated"] * 6
    counts = _expression(variant, 905, 60, 12)
    head: list[object] = ["gene_id", *names]
    table = [head, *([g, *row] for g, row in zip(_ensembl(60), counts.tolist(), strict=True))]
    about: list[list[object]] = [["sample", "condition", "age"]]
    about += [
        [name, group, 30.5 + k] for k, (name, group) in enumerate(zip(names, groups, strict=True))
    ]
    about[1:] = about[:0:-1]  # in another order than the columns
    mark = Mark(values=counts.T, labels=groups, may_ask=_ASKED)
    if variant:
        return Case("study.xlsx", write.xlsx({"counts": table, "metadata": about}), mark)
    members = {"counts.csv": write.lines(table), "metadata.csv": write.lines(about)}
    return Case("study.zip", write.zipped(members), mark)


@kind("threshold cycles that were not reached", never="Genes with a word in a few cells are gone.")
def threshold_cycles(variant: int) -> Case:
    rng = write.generator(variant, 906)
    values = rng.uniform(18, 34, (24, 20)).round(2)
    cells = values.astype(object)
    for row, column in ((3, 2), (9, 2), (12, 2), (5, 7), (20, 7), (21, 7)):
        cells[row, column] = ("Undetermined", "<LOD")[variant]
        values[row, column] = np.nan
    frame = pd.DataFrame(cells, columns=[f"GENE{k}" for k in range(20)])
    frame.insert(0, "Group", ["WT"] * 12 + ["KO"] * 12)
    frame.insert(0, "Sample", [f"m{k}" for k in range(24)])
    kept = np.delete(values, [2, 7], axis=1)
    mark = Mark(
        values=kept,
        labels=["WT"] * 12 + ["KO"] * 12,
        must_ask=frozenset({"missing"}),
        may_ask=_ASKED | {"missing"},
        answers={"missing": "columns"},
    )
    return Case("cycles.csv", write.csv(frame), mark)


@kind("MetaPhlAn's taxa in rows", never="Taxa become the samples.")
def taxa_in_rows(variant: int) -> Case:
    rng = write.generator(variant, 907)
    sites = (("Gut", "Skin", "Oral"), ("Soil", "Lake"))[variant]
    names = [f"{site}{k}" for site in sites for k in range(1, 6)]
    shares = rng.dirichlet(np.ones(30), len(names)).T.round(6)
    frame = pd.DataFrame(shares, columns=names)
    taxa = [f"k__Bacteria|p__P{k % 4}|g__G{k % 9}|s__S{k}" for k in range(30)]
    frame.insert(0, "clade_name", taxa)
    labels = [site for site in sites for _ in range(5)]
    mark = Mark(values=shares.T, labels=labels, may_ask=_ASKED)
    return Case("taxa.tsv", write.csv(frame, "\t"), mark)


@kind("a reference value before the wavelengths", never="Wavelengths become the samples.")
def reference_before_wavelengths(variant: int) -> Case:
    curves, _ = write.spectra(40, 120, 908 + variant)
    axis = 1100 + 10 * np.arange(120)
    heads = [("{}", "X{}")[variant].format(value) for value in axis]
    frame = pd.DataFrame(curves, columns=heads)
    reference = write.generator(variant, 909).normal(12, 2, 40).round(2)
    frame.insert(0, ("Feuchte [%]", "Water")[variant], reference)
    frame.insert(
        0, ("Probe", "")[variant], [("W{:03d}", "leaf{}")[variant].format(k) for k in range(40)]
    )
    mark = Mark(
        values=curves,
        scale="whole",
        features="axis",
        may_ask=frozenset({"roles"}),
        answers={"roles": {("Feuchte [%]", "Water")[variant]: "target"}},
    )
    return Case("nir.csv", write.csv(frame, (";", ",")[variant]), mark)


@kind("a plate reader with its temperature", never="The temperature becomes a sample.")
def plate_reader(variant: int) -> Case:
    curves, _ = write.spectra(24, 100, 910 + variant)
    axis = (230 + 2 * np.arange(100), 700 - 5 * np.arange(100))[variant]
    wells = [f"{row}{column}" for row in "ABCD" for column in range(1, 7)]
    head: list[object] = ["Wavelength", ("T° 600", "Temp. (°C)")[variant], *wells]
    rows = [[axis[at], 25.1, *curves[:, at].round(4)] for at in range(100)]
    mark = Mark(
        values=curves.round(4), scale="whole", features="axis", column_order="any",
    )  # fmt: skip
    return Case("plate.csv", write.lines([head, *rows]), mark)


@kind("spectra in pairs above a log", never="The log makes the table a damaged one.")
def pairs_above_a_log(variant: int) -> Case:
    n = (9, 6)[variant]
    curves, _ = write.spectra(n, 120, 912 + variant)
    axis = 800 - 5 * np.arange(120)
    names = [f"dye{k}" for k in range(n)]
    text = ",,".join(names) + ",\n" + ",".join(["Wavelength (nm),Abs"] * n) + "\n"
    for at in range(120):
        text += ",".join(f"{axis[at]:.2f},{curves[k, at]:.6f}" for k in range(n)) + ",\n"
    text += "\n"
    for name in names:
        text += f"{name}\nCollection Time: 11/28/2026 10:11:12 AM\n  Baseline off\n\n"
    mark = Mark(
        values=curves.round(6), scale="whole", features="axis", column_order="any", tolerance=5e-3,
    )  # fmt: skip
    return Case("cary.csv", text.encode(), mark)


@kind("replicates in rows beside many bands", never="Replicates become features of one sample.")
def replicates_in_rows(variant: int) -> Case:
    curves, _ = write.spectra(36, 90, 914 + variant)
    values = (curves * 900).round(1)
    frame = pd.DataFrame(values, columns=[str(200 + 8 * k) for k in range(90)])
    labels = ["PE"] * 12 + ["PP"] * 12 + ["PS"] * 12
    frame.insert(0, "Polymer", labels)
    frame.insert(0, "Replicate", np.tile([1, 2, 3], 12))
    frame.insert(
        0, ("SampleID", "Specimen")[variant], np.repeat([f"P{k:02d}" for k in range(12)], 3)
    )
    mark = Mark(values=values, scale="whole", features="axis", labels=labels)
    return Case("raman.csv", write.csv(frame), mark)


@kind("several spectra of one sample", never="Samples become classes, without a question.")
def repeated_names(variant: int) -> Case:
    curves, _ = write.spectra(36, 90, 916 + variant)
    values = (curves * 900).round(1)
    frame = pd.DataFrame(values, columns=[str(200 + 8 * k) for k in range(90)])
    names = [f"P{k // 3:02d}" for k in range(36)]
    if variant:
        names = [f"{name}_{k % 3 + 1}" for k, name in enumerate(names)]
    frame.insert(0, "Sample", names)
    mark = Mark(
        values=values,
        scale="whole",
        features="axis",
        must_ask=frozenset({"classes_from"}),
        may_ask=frozenset({"classes_from"}),
        answers={"classes_from": "none"},
    )
    return Case("raman.csv", write.csv(frame), mark)


@kind("a Raman map in a long table", never="Every point of every spectrum is a sample.")
def map_in_a_long_table(variant: int) -> Case:
    curves, _ = write.spectra(30, 60, 918 + variant)
    steps = (1.5, 0.5)[variant]
    places = [(steps * (k % 6), steps * (k // 6)) for k in range(30)]
    heads = ("#X\t\t#Y\t\t#Wave\t\t#Intensity", "X\tY\tWave\tIntensity")[variant]
    lines = [heads]
    for (x, y), curve in zip(places, curves, strict=True):
        lines += [
            f"{x:.6f}\t{y:.6f}\t{200 + 5.5 * at:.6f}\t{curve[at]:.6f}" for at in range(59, -1, -1)
        ]
    mark = Mark(
        values=curves.round(6),
        scale="whole",
        features="axis",
        column_order="any",
        must_ask=frozenset({"pivot"}),
        may_ask=frozenset({"pivot"}),
        answers={"pivot": "X + Y × Wave"},
    )
    return Case("map.txt", "\n".join(lines).encode(), mark)


@kind("lists of peaks, one a file", never="Values are interpolated between masses.")
def lists_of_peaks(variant: int) -> Case:
    rng = write.generator(variant, 920)
    members = {}
    for k in range(10):
        masses = np.sort(rng.uniform(50, 1000, 80))
        rows: list[list[object]] = [["m/z", "intensity"]]
        rows += [[f"{mass:.4f}", round(float(rng.gamma(1, 1e4)), 1)] for mass in masses]
        members[f"{('AB', 'XY')[variant][k // 5]}/run{k}.csv"] = write.lines(rows)
    return Case("peaks.zip", write.zipped(members), Mark(refused="peaks"))


@kind("a sheet of spectra with the type in a row", never="The wavenumbers are no axis.")
def type_in_a_row(variant: int) -> Case:
    curves, codes = write.spectra(24, 100, 922 + variant, 4)
    axis = (4000 - 8.0 * np.arange(100), 400 + 2.5 * np.arange(100))[variant]
    labels = write.words(codes, "a b c d")
    labels = [f"oil {label}" for label in labels]
    rows: list[list[object]] = [["Sample", *(f"O{k}" for k in range(24))], ["Type", *labels]]
    rows += [[float(axis[at]), *curves[:, at].round(5).tolist()] for at in range(100)]
    mark = Mark(
        values=curves.round(5), scale="whole", features="axis", labels=labels, column_order="any",
    )  # fmt: skip
    return Case("oils.xlsx", write.xlsx({"Spectra": rows}), mark)
