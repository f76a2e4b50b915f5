"""Tables as programs of laboratories and offices export them, each with marks of its own."""

from __future__ import annotations

import io
from functools import partial

import numpy as np
import pandas as pd
from sklearn.datasets import dump_svmlight_file

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark, Numbers
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="exports", from_field=True)
_ASKED = frozenset({"scale", "roles"})


def _measures(n: int, d: int, seed: int) -> Numbers:
    """Numbers around ten that vary together, to three places."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 2)) @ rng.normal(size=(2, d))
    return (10 + common + rng.normal(size=(n, d))).round(3)


def _labels(n: int, names: str, seed: int) -> list[str]:
    count = len(names.split())
    return write.words(np.random.default_rng(seed).permutation(np.arange(n) % count), names)


@kind("metadata of QIIME 2 with a row of types", never="The row of types is a sample.")
def qiime_metadata(variant: int) -> Case:
    values = _measures(30, 5, 1100 + variant)
    labels = _labels(30, "gut tongue palm", 1100 + variant)
    heads = ["sample-id", "body-site", "ph", "shannon", "depth-cm", "moisture", "chao1"]
    types = ["#q2:types", "categorical", *["numeric"] * 5]
    rows = [[f"L1S{k}", labels[k], *values[k].tolist()] for k in range(30)]
    if variant:
        heads[0] = "#SampleID"
        rows = [[row[0], *row[2:], row[1]] for row in rows]
        heads, types = [heads[0], *heads[2:], heads[1]], [types[0], *types[2:], types[1]]
    mark = Mark(
        values=values, labels=labels, may_ask=_ASKED | {"classes_from"},
        answers={"classes_from": "body-site"},
    )  # fmt: skip
    return Case("sample-metadata.tsv", write.lines([heads, types, *rows], "\t"), mark)


@kind("one plate of 96 wells", never="Columns of a plate are features of eight samples, unsaid.")
def one_plate(variant: int) -> Case:
    values = write.generator(variant, 1102).random((8, 12)).round(3)
    rows: list[list[object]] = [["<>", *range(1, 13)] if variant else ["", *range(1, 13)]]
    rows += [["ABCDEFGH"[k], *values[k].tolist()] for k in range(8)]
    mark = Mark(
        values=values, may_ask=_ASKED | {"samples", "pivot", "header", "features"},
        must_ask=frozenset({"samples", "pivot", "data"}), answers={"samples": "rows"},
        may_refuse="plate",
    )  # fmt: skip
    return Case("plate.csv", write.lines(rows, ",\t"[variant]), mark)


@kind("blocks of plates one below another", never="Rows of plates are samples.")
def blocks_of_plates(variant: int) -> Case:
    rng = write.generator(variant, 1103)
    text = ("", "Protocol: growth\nDate: 28/11/2026\n\n")[variant]
    for block in range(4):
        text += (f"Plate {block + 1}\n", f"Time [s],{60 * block}\n")[variant]
        text += "," + ",".join(str(k) for k in range(1, 13)) + "\n"
        for row in "ABCDEFGH":
            text += row + "," + ",".join(f"{v:.3f}" for v in rng.random(12)) + "\n"
        text += "\n"
    return Case("plates.csv", text.encode(), Mark(refused="one below another"))


@kind("one spectrum a .dpt of OPUS", never="It is of a kind that is not read.")
def dpt_files(variant: int) -> Case:
    curves, codes = write.spectra(12, 90, 1104 + variant, 2)
    labels = write.words(codes, "oak pine")
    axis = (3998.0 - 8.25 * np.arange(90)).round(5)
    members = {}
    values = curves.round(5)
    order = np.argsort(labels, kind="stable")
    for number, at in enumerate(order.tolist()):
        rows = list(zip(axis.tolist(), values[at].tolist(), strict=True))
        members[f"{labels[at]}/wood{number:02d}.dpt"] = write.lines(rows, (",", "\t")[variant])
    mark = Mark(
        values=values[order], scale="whole", features="axis", column_order="any",
        labels=[labels[at] for at in order],
    )  # fmt: skip
    return Case("wood.zip", write.zipped(members), mark)


@kind("general statistics of MultiQC", never="Statistics are left out, or names are a class.")
def multiqc(variant: int) -> Case:
    values = _measures(18, 4, 1106 + variant)
    heads = [
        "FastQC_mqc-generalstats-fastqc-percent_duplicates",
        "FastQC_mqc-generalstats-fastqc-percent_gc",
        "STAR_mqc-generalstats-star-uniquely_mapped_percent",
        "featureCounts_mqc-generalstats-featurecounts-percent_assigned",
    ]
    if variant:
        heads = ["percent_duplicates", "percent_gc", "uniquely_mapped_percent", "total_sequences"]
    rows = [[f"SRR{890 + k}_1", *values[k].tolist()] for k in range(18)]
    mark = Mark(values=values, may_ask=_ASKED)
    return Case("multiqc_general_stats.txt", write.lines([["Sample", *heads], *rows], "\t"), mark)


@kind("normalised counts under R's header that is one short", never="Genes are the samples.")
def normalised_counts(variant: int) -> Case:
    counts = np.exp(_measures(60, 9, 1108 + variant) / 2).round(4)
    names = [f"{group}_{k}" for group in ("untreated", "treated", "late") for k in (1, 2, 3)]
    genes = [f"{('FBgn', 'ENSG')[variant]}{8000 + 7 * k:07d}" for k in range(60)]
    quote = ('"', "")[variant]
    lines = ["\t".join(f"{quote}{name}{quote}" for name in names)]
    lines += [
        f"{quote}{gene}{quote}\t" + "\t".join(map(str, row))
        for gene, row in zip(genes, counts.tolist(), strict=True)
    ]
    labels = [name.split("_")[0] for name in names]
    mark = Mark(values=counts.T, labels=labels, may_ask=_ASKED | {"samples", "classes_from"},
                answers={"samples": "columns"})  # fmt: skip
    return Case("normalized.txt", ("\n".join(lines) + "\n").encode(), mark)


@kind("results of ImageJ", never="The counter, or where a particle lies, is a feature, unsaid.")
def imagej_results(variant: int) -> Case:
    values = _measures(40, 5, 1110 + variant)
    heads = ["Area", "Mean", "Perim.", "Circ.", "Feret"]
    frame = pd.DataFrame(values, columns=heads)
    if variant:
        frame.insert(0, "Label", [f"cells.tif:{k // 10 + 1}" for k in range(40)])
    frame.insert(0, " ", np.arange(1, 41))
    labels = [f"cells.tif:{k // 10 + 1}" for k in range(40)] if variant else None
    mark = Mark(values=values, labels=labels, may_ask=_ASKED | {"classes_from"})
    return Case("Results.csv", write.csv(frame, (",", "\t")[variant]), mark)


@kind("images measured by CellProfiler", never="Paths and numbers of images are features.")
def cellprofiler_images(variant: int) -> Case:
    values = _measures(36, 6, 1112 + variant)
    labels = _labels(36, "DMSO taxol nocodazole", 1112)
    places = ["Metadata_Compound", "Image_Metadata_Treatment"]
    frame = pd.DataFrame(values, columns=[
        "Count_Nuclei", "Intensity_MeanIntensity_DNA", "Intensity_StdIntensity_DNA",
        "Texture_Contrast_DNA_3", "ImageQuality_PowerLogLogSlope_DNA", "Granularity_1_DNA",
    ])  # fmt: skip
    frame["FileName_DNA"] = [f"p1_w{k:02d}.tif" for k in range(36)]
    frame["PathName_DNA"] = "/data/plate1"
    frame["ImageNumber"] = np.arange(1, 37)
    frame[places[variant]] = labels
    frame["Metadata_Well"] = [f"{'ABC'[k // 12]}{k % 12 + 1:02d}" for k in range(36)]
    mark = Mark(
        values=values, labels=labels, may_ask=_ASKED | {"classes_from"},
        answers={"classes_from": places[variant]},
    )  # fmt: skip
    return Case("Image.csv", write.csv(frame), mark)


@kind("cells of a cytometer with channels and markers", never="Time is one more marker.")
def exported_cells(variant: int) -> Case:
    rng = write.generator(variant, 1114)
    values = np.exp(rng.normal(6, 1, (200, 6))).round(2)
    heads = (
        ["FSC-A", "SSC-A", "FITC-A :: CD3", "PE-A :: CD4", "APC-A :: CD8", "BV421-A :: CD19"],
        ["FSC-A", "SSC-A", "Comp-FITC-A", "Comp-PE-A", "Comp-APC-A", "Comp-BV421-A"],
    )[variant]
    frame = pd.DataFrame(values, columns=heads)
    frame["Time"] = np.sort(rng.uniform(0, 900, 200)).round(1)
    mark = Mark(values=values, may_ask=_ASKED)
    return Case("export_live.csv", write.csv(frame), mark)


@kind("X, obs and var of AnnData as CSV", never="The clusters of obs are lost.")
def anndata_as_csv(variant: int) -> Case:
    rng = write.generator(variant, 1116)
    values = np.log1p(rng.poisson(2, (60, 25))).round(6)
    labels = [str(k % 3) for k in rng.permutation(60)]
    if variant:
        labels = [("T", "B", "NK")[int(label)] for label in labels]
    obs = pd.DataFrame({"n_counts": values.sum(1).round(3), "leiden": labels})
    obs.index = pd.Index([f"AAAC{k:04d}-1" for k in range(60)])
    var = pd.DataFrame({"n_cells": (values > 0).sum(0)}, index=[f"Gene{k}" for k in range(25)])
    members = {
        "pbmc/X.csv": write.csv(pd.DataFrame(values), header=False),
        "pbmc/obs.csv": write.csv(obs, index=True),
        "pbmc/var.csv": write.csv(var, index=True),
    }
    mark = Mark(values=values, labels=labels, may_ask=_ASKED | {"data", "samples", "classes_from"},
                answers={"classes_from": "leiden"}, may_refuse="obs")  # fmt: skip
    return Case("pbmc.zip", write.zipped(members), mark)


@kind("a matrix written by R", plain=True, never="Names of rows are a feature.")
def matrix_of_r(variant: int) -> Case:
    values = _measures(40, 8, 1118 + variant)
    frame = pd.DataFrame(values, columns=[f"{'XV'[variant]}{k}" for k in range(1, 9)])
    frame.index = pd.Index(np.arange(1, 41))
    text = frame.to_csv(quoting=2)
    return Case("matrix.csv", text.encode(), Mark(values=values))


@kind("sparse rows of Weka", never="Numbers of columns are values.")
def sparse_rows_of_weka(variant: int) -> Case:
    rng = write.generator(variant, 1119)
    lines = ["@relation words", *(f"@attribute w{k} numeric" for k in range(20))]
    lines += ["@attribute class {ham,spam}", "@data"]
    for row in range(30):
        places = sorted(rng.permutation(20)[:4].tolist())
        cells = [f"{place} {rng.integers(1, 9)}" for place in places]
        if row % 2:
            cells.append("20 spam")
        lines.append("{" + ", ".join(cells) + "}")
    name = ("words.arff", "words.txt")[variant]
    return Case(name, "\n".join(lines).encode(), Mark(refused="sparse"))


@kind("svmlight as scikit-learn writes it", never="Pairs of a place and a value are words.")
def svmlight(variant: int) -> Case:
    rng = write.generator(variant, 1120)
    values = rng.random((20, 12)) * (rng.random((20, 12)) < 0.5)
    values[:, 0] = 1 + rng.random(20)
    stream = io.BytesIO()
    dump_svmlight_file(values, rng.permutation(np.arange(20) % 2), stream, comment=("", "a set")[
        variant], query_id=np.arange(20) if variant else None)  # fmt: skip
    return Case(("train.txt", "train.dat")[variant], stream.getvalue(), Mark(refused="svmlight"))


@kind("a table of MATLAB by writetable", plain=True, never="Var1 is an axis.")
def writetable(variant: int) -> Case:
    values = _measures(45, 6, 1122 + variant)
    labels = _labels(45, "setosa versicolor virginica", 1122)
    frame = pd.DataFrame(values, columns=[f"Var{k}" for k in range(1, 7)])
    if variant:
        frame.columns = [f"meas_{k}" for k in range(1, 7)]
    frame[("Var7", "species")[variant]] = labels
    return Case("fisher.txt", write.csv(frame), Mark(values=values, labels=labels))


@kind("Orange's own .tab", never="The rows of types and roles are samples.")
def orange_tab(variant: int) -> Case:
    values = _measures(30, 4, 1124 + variant)
    labels = _labels(30, "no yes", 1124)
    rows: list[list[object]] = [["a", "b", "c", "d", "decision"]]
    rows.append([*["continuous", "c"][variant : variant + 1] * 4, ("discrete", "no yes")[variant]])
    rows.append(["", "", "", "", "class"])
    rows += [[*values[k].tolist(), labels[k]] for k in range(30)]
    mark = Mark(values=values, labels=labels, may_ask=_ASKED)
    return Case("set.tab", write.lines(rows, "\t"), mark)


@kind("a table of KNIME with its row ID", plain=True, never="Row0 is a class or a feature.")
def knime(variant: int) -> Case:
    values = _measures(36, 5, 1126 + variant)
    labels = _labels(36, "A B C", 1126)
    frame = pd.DataFrame(values, columns=[f"{w} (#1)" for w in ("len", "wid", "hgt", "mass", "t")])
    frame["class"] = labels
    frame.insert(0, "row ID", [f"Row{k}" for k in range(36)])
    if variant:
        frame = frame.rename(columns={"row ID": "RowID"})
    text = frame.to_csv(index=False, quoting=2)
    mark = Mark(values=values, labels=labels)
    return Case("knime.csv", text.encode(), mark)


@kind("units in the row below the names", never="Units are a sample or make columns words.")
def units_below_names(variant: int) -> Case:
    values = _measures(24, 5, 1128 + variant)
    labels = _labels(24, "river lake", 1128)
    heads = ["Station", "Type", "pH", "Conductivity", "Oxygen", "Nitrate", "Temp"]
    units = ["", "", "-", "µS/cm", "mg/L", "mg/L", "°C"]
    if variant:
        units = ["", "", "[-]", "[uS/cm]", "[mg/l]", "[mg/l]", "[deg C]"]
    rows: list[list[object]] = [heads, units]
    rows += [[f"ST{k:02d}", labels[k], *values[k].tolist()] for k in range(24)]
    mark = Mark(values=values, labels=labels, may_ask=_ASKED)
    if variant:
        return Case("water.csv", write.lines(rows), mark)
    return Case("water.xlsx", write.xlsx({"Data": rows}), mark)


@kind("digits in pixels with the label last", plain=True, never="The label is a pixel.")
def label_last(variant: int) -> Case:
    images, codes = write.digits()
    images, codes = images[:300], codes[:300]
    frame = pd.DataFrame(images, columns=[f"pixel{k}" for k in range(64)])
    if variant:
        frame.columns = [f"pixel_{k + 1}" for k in range(64)]
    frame[("label", "class")[variant]] = codes
    mark = Mark(values=images, scale="whole", features="pixels", image_shape=(8, 8),
                labels=write.texts(codes))  # fmt: skip
    return Case("digits.csv", write.csv(frame), mark)


@kind("pixels of a competition with an id and no label", plain=True, never="The id is a pixel.")
def id_and_pixels(variant: int) -> Case:
    images = write.digits()[0][300:600]
    frame = pd.DataFrame(images, columns=[f"{('pixel', 'px')[variant]}{k}" for k in range(64)])
    frame.insert(0, ("id", "ImageId")[variant], np.arange(300) + (0, 1)[variant])
    mark = Mark(values=images, scale="whole", features="pixels", image_shape=(8, 8))
    return Case("test.csv", write.csv(frame), mark)


@kind("series of UCR with the class in front", never="The class is the first point of a series.")
def ucr_series(variant: int) -> Case:
    curves, codes = write.spectra(60, 140, 1130 + variant, 2)
    labels = write.texts((2 * codes - 1, codes + 1)[variant])
    rows = [[label, *curve] for label, curve in zip(labels, curves.tolist(), strict=True)]
    text = write.lines(rows, "\t")
    if variant:
        text = "".join(
            f"  {float(label):.7e}" + "".join(f"  {value: .7e}" for value in curve) + "\n"
            for label, curve in zip(labels, curves.tolist(), strict=True)
        ).encode()
    mark = Mark(
        values=curves, scale="whole", features="axis", also=("columns",), labels=labels,
        may_ask=_ASKED | {"classes_from", "features", "samples"},
        answers={"classes_from": "column 1", "features": "axis"},
    )  # fmt: skip
    return Case(("ECG_TRAIN.tsv", "ECG_TRAIN.txt")[variant], text, mark)


@kind("series of aeon in a .ts file", never="Lines that begin with @ are samples.")
def ts_file(variant: int) -> Case:
    curves, codes = write.spectra(40, 60, 1132 + variant, 2)
    labels = write.words(codes, "up down")
    head = ["@problemName Toy", "@timeStamps false", "@missing false", "@univariate true",
            "@equalLength true", "@seriesLength 60", "@classLabel true up down",
            "@data"]  # fmt: skip
    if variant:
        head[3:4] = ["@univariate false", "@dimensions 2"]
    lines = []
    for label, curve in zip(labels, curves.tolist(), strict=True):
        text = ",".join(map(str, curve))
        lines.append(":".join([*[text] * (1 + variant), label]))
    return Case("Toy_TRAIN.ts", "\n".join([*head, *lines]).encode(), Mark(refused="series"))


@kind("a recording as text by EDFbrowser", never="Time is one more channel.")
def recording_as_text(variant: int) -> Case:
    rng = write.generator(variant, 1134)
    values = rng.normal(0, 30, (256, 6)).round(6)
    names = ["EEG Fp1", "EEG Fp2", "EEG C3", "EEG C4", "EEG O1", "EEG O2"]
    frame = pd.DataFrame(values, columns=names)
    frame.insert(0, ("Time", "time(s)")[variant], (np.arange(256) / 128).round(6))
    mark = Mark(values=values, may_ask=_ASKED | {"samples"}, answers={"samples": "rows"})
    return Case("recording_data.txt", write.csv(frame), mark)


@kind("a text file of OpenBCI", never="The lines above the table are samples, or refused.")
def openbci(variant: int) -> Case:
    rng = write.generator(variant, 1136)
    n_channels = (4, 8)[variant]
    values = rng.normal(0, 900, (300, n_channels)).round(4)
    text = "%OpenBCI Raw EXG Data\n"
    text += f"%Number of channels = {n_channels}\n%Sample Rate = 200 Hz\n%Board = Ganglion\n"
    names = ["Sample Index", *(f"EXG Channel {k}" for k in range(n_channels)), "Timestamp"]
    if variant:
        names.append("Timestamp (Formatted)")
    text += ", ".join(names) + "\n"
    for k in range(300):
        cells = [f"{k % 201:.1f}", *map(str, values[k].tolist()), str(1.7e9 + k / 200)]
        if variant:
            cells.append(f"2026-11-28 10:00:{k / 200:06.3f}")
        text += ", ".join(cells) + "\n"
    mark = Mark(values=values, may_ask=_ASKED | {"samples"}, answers={"samples": "rows"})
    return Case("OpenBCI-RAW.txt", text.encode(), mark)


@kind("spectra of ASD, one a column", never="Wavelengths are a feature of samples.")
def asd_columns(variant: int) -> Case:
    curves, _ = write.spectra(15, 200, 1138 + variant)
    axis = 350 + 10 * np.arange(200)
    frame = pd.DataFrame(curves.T, columns=[f"leaf{k:05d}.asd" for k in range(15)])
    frame.insert(0, ("Wavelength", "Wavelength (nm)")[variant], axis)
    mark = Mark(values=curves, scale="whole", features="axis", may_ask=frozenset({"samples"}),
                answers={"samples": "columns"})  # fmt: skip
    return Case("leaves.txt", write.csv(frame, "\t"), mark)


@kind("a library of ENVI as text", never="Lines that name the columns are rows.")
def envi_text(variant: int) -> Case:
    curves, _ = write.spectra(8, 120, 1140 + variant)
    axis = (0.4 + 0.0175 * np.arange(120)).round(6)
    text = "ENVI ASCII Plot File [Sat Nov 28 10:00:00 2026]\nColumn 1: Wavelength\n"
    for k in range(8):
        text += f"Column {k + 2}: {('mineral', 'roof')[variant]} {k + 1}~~{k + 1}\n"
    for at in range(120):
        text += f"{axis[at]:11.6f}" + "".join(f"  {v:9.6f}" for v in curves[:, at]) + "\n"
    mark = Mark(values=curves.round(6), scale="whole", features="axis",
                may_ask=frozenset({"samples", "header", "features", "axis"}),
                answers={"samples": "columns"})  # fmt: skip
    return Case("library.txt", text.encode(), mark)


@kind("amplification curves of a cycler", never="The cycle is one more well.")
def amplification(variant: int) -> Case:
    wells = [f"{row}{column}" for row in "ABCD" for column in range(1, 7)]
    rng = write.generator(variant, 1142)
    cycles = np.arange(1, 41)
    values = (4000 / (1 + np.exp(-(cycles - rng.uniform(18, 34, (24, 1))) / 1.6))).round(4)
    values = (values + rng.normal(0, 4, values.shape)).round(4)
    frame = pd.DataFrame(values.T, columns=wells)
    frame.insert(0, "Cycle", cycles)
    if variant == 0:
        frame.insert(0, "", "")
    mark = Mark(values=values, scale="whole", features="axis", also=("columns",),
                may_ask=frozenset({"samples", "features", "roles"}),
                answers={"samples": "columns"})  # fmt: skip
    return Case("Amplification.csv", write.csv(frame), mark)


@kind("rates of a Seahorse in a long table", never="Every rate is a sample, unsaid.")
def seahorse(variant: int) -> Case:
    rng = write.generator(variant, 1144)
    wells = [f"{row}{column:02d}" for row in "ABCD" for column in range(1, 7)]
    groups = {well: ("control", "drug")[well[0] in "CD"] for well in wells}
    rows: list[list[object]] = [["Measurement", "Well", "Group", "Time", "OCR", "ECAR", "PER"]]
    values = rng.uniform(20, 200, (24, 12, 3)).round(4)
    for k in range(12):
        for at, well in enumerate(wells):
            rows.append([k + 1, well, groups[well], round(1.31 + 6.53 * k, 3), *values[at, k]])
    labels = [groups[well] for well in wells]
    mark = Mark(
        values=values.transpose(0, 2, 1).reshape(24, 36), column_order="any", row_order="any",
        labels=labels, must_ask=frozenset({"pivot"}), may_ask=_ASKED | {"pivot", "classes_from"},
        answers={"pivot": "Well × Measurement"},
    )  # fmt: skip
    return Case("rates.csv", write.lines(rows, (",", "\t")[variant]), mark)


@kind("Olink's NPX in a long table", never="Every measurement is a sample, unsaid.")
def olink(variant: int) -> Case:
    rng = write.generator(variant, 1146)
    values = rng.normal(4, 1, (20, 15)).round(4)
    rows: list[list[object]] = [
        ["SampleID", "Index", "OlinkID", "UniProt", "Assay", "MissingFreq", "Panel", "QC_Warning",
         "LOD", "NPX"]
    ]  # fmt: skip
    for k in range(20):
        rows += [
            [
                f"A{k + 1}", k + 1, f"OID{at + 471:05d}", f"P{at + 10000}", f"PROT{at}",
                round(0.01 * at, 3), "Inflammation", "Pass", 1.2 + at / 10, values[k, at],
            ]
            for at in range(15)
        ]  # fmt: skip
    mark = Mark(
        values=values, scale="whole", column_order="any", row_order="any",
        must_ask=frozenset({"pivot"}), may_ask=_ASKED | {"pivot"},
        answers={"pivot": "SampleID × Assay"},
    )  # fmt: skip
    return Case("npx.csv", write.lines(rows, (";", ",")[variant]), mark)


@kind("columns with two levels of names by pandas", never="The second level is a sample.")
def two_levels_of_names(variant: int) -> Case:
    values = _measures(30, 6, 1148 + variant)
    columns = pd.MultiIndex.from_product([["left", "right"], ["x", "speed", "force"]])
    frame = pd.DataFrame(values, columns=columns)
    if variant:
        frame.index = pd.Index([f"p{k:02d}" for k in range(30)], name="person")
    mark = Mark(values=values, may_ask=_ASKED)
    return Case("levels.csv", write.csv(frame, index=True), mark)


@kind("cells of Julia that are missing", never="Columns with such a cell are words.")
def cells_of_julia(variant: int) -> Case:
    values = _measures(40, 5, 1150 + variant)
    cells, marked = values.astype(object), values.copy()
    for row, column in ((3, 1), (9, 1), (20, 4)):
        cells[row, column], marked[row, column] = ("missing", "NaN32")[variant], np.nan
    frame = pd.DataFrame(cells, columns=["a_len", "b_wid", "c_dep", "d_mass", "e_ring"])
    labels = _labels(40, "M F", 1150)
    frame.insert(0, "class", labels)
    mark = Mark(values=marked, labels=labels, must_ask=frozenset({"missing"}),
                may_ask=_ASKED | {"missing"}, answers={"missing": "mean"})  # fmt: skip
    return Case("julia.csv", write.csv(frame), mark)


@kind("exponents of Fortran and of Mathematica", never="Columns of numbers are left out as words.")
def other_exponents(variant: int) -> Case:
    values = _measures(30, 5, 1152 + variant) * 1e-5
    texts = [[f"{value:.8e}" for value in row] for row in values.tolist()]
    mark_of_power = ("D", "*^")[variant]
    rows = [[text.replace("e", mark_of_power) for text in row] for row in texts]
    mark = Mark(values=np.array(texts, dtype=float), may_ask=_ASKED | {"missing"})
    heads = ["alpha", "beta", "gamma", "delta", "epsilon"]
    return Case(("run.dat", "run.csv")[variant],
                write.lines([heads, *rows], ("  ", ",")[variant]), mark)  # fmt: skip


@kind("a measurement of LabVIEW", never="The lines above the table refuse the file.")
def labview(variant: int) -> Case:
    rng = write.generator(variant, 1154)
    values = rng.normal(0, 1, (200, 3)).round(6)
    text = "LabVIEW Measurement\t\nWriter_Version\t2\nReader_Version\t2\nSeparator\tTab\n"
    text += "Multi_Headings\tNo\nX_Columns\tOne\nTime_Pref\tAbsolute\n***End_of_Header***\t\n\t\n"
    text += "Channels\t3\t\t\nSamples\t200\t200\t200\nDate\t2026/11/28\t2026/11/28\t2026/11/28\n"
    text += "Delta_X\t0.001\t0.001\t0.001\n***End_of_Header***\t\t\t\n"
    text += "X_Value\t" + "\t".join(("Strain", "Force", "Temp")) + "\tComment\n"
    for k, row in enumerate(values.tolist()):
        text += f"{k / 1000:.6f}\t" + "\t".join(f"{v:.6f}" for v in row) + "\n"
    mark = Mark(values=values, may_ask=_ASKED | {"samples", "features"},
                answers={"samples": "rows"})  # fmt: skip
    return Case(("strain.lvm", "strain.txt")[variant], text.encode(), mark)


@kind("long names, units and comments of Origin", never="Units and comments are samples.")
def origin(variant: int) -> Case:
    curves, _ = write.spectra(9, 120, 1156 + variant)
    axis = 400 + 2.5 * np.arange(120)
    rows: list[list[object]] = [["Wavelength", *["Absorbance"] * 9], ["nm", *["a.u."] * 9],
                                ["", *(f"film {k}" for k in range(1, 10))]]  # fmt: skip
    if variant:
        rows = rows[:2]
    rows += [[axis[at], *curves[:, at].tolist()] for at in range(120)]
    mark = Mark(values=curves, scale="whole", features="axis", may_ask=frozenset({"samples"}),
                answers={"samples": "columns"})  # fmt: skip
    return Case("films.txt", write.lines(rows, "\t"), mark)


@kind("components of PLINK", never="Families are classes of one, or numbers of people a feature.")
def eigenvectors(variant: int) -> Case:
    values = write.generator(variant, 1158).normal(0, 0.1, (40, 6)).round(8)
    heads = [("FID", "#FID")[variant], "IID", *(f"PC{k}" for k in range(1, 7))]
    rows = [[f"HG{k:05d}", f"HG{k:05d}", *values[k].tolist()] for k in range(40)]
    if variant:
        rows = [[0, f"NA{k:05d}", *values[k].tolist()] for k in range(40)]
    mark = Mark(values=values, scale="any", may_ask=_ASKED)
    return Case("plink.eigenvec", write.lines([heads, *rows], "\t "[1 - variant]), mark)


@kind("shapes of tpsDig", never="Coordinates of one animal are samples.")
def tps(variant: int) -> Case:
    points = write.generator(variant, 1160).uniform(0, 900, (12, 8, 2)).round(1)
    text = ""
    for k, shape in enumerate(points):
        text += "LM=8\n" + "".join(f"{x} {y}\n" for x, y in shape)
        text += f"IMAGE=fish{k:02d}.jpg\nID={k}\n" + ("", "SCALE=0.0123\n")[variant]
    return Case("fish.tps", text.encode(), Mark(refused="landmarks"))


@kind("negative amounts in parentheses", never="Columns with a loss are words, and left out.")
def losses(variant: int) -> Case:
    values = (_measures(36, 4, 1162 + variant) * 100 - 950).round(2)
    labels = _labels(36, "retail bank energy", 1162)
    texts = [
        [f"({abs(value):{',' if variant else ''}.2f})" if value < 0 else f"{value:.2f}"
         for value in row] for row in values.tolist()
    ]  # fmt: skip
    rows: list[list[object]] = [["sector", "profit", "cash_flow", "tax_paid", "other_income"]]
    rows += [[label, *row] for label, row in zip(labels, texts, strict=True)]
    mark = Mark(values=values, labels=labels, may_ask=_ASKED | {"commas", "missing"})
    return Case("firms.csv", write.lines(rows, (",", "\t")[variant]), mark)


@kind("merged cells in a sheet", never="Groups are lost, or only their first rows have one.")
def merged_cells(variant: int) -> Case:
    values = _measures(24, 4, 1164 + variant)
    groups = ("control", "low", "high")
    labels = [groups[k // 8] for k in range(24)]
    if variant == 0:
        rows: list[list[object]] = [["Group", "Sample", "length", "width", "depth", "mass"]]
        firsts = [labels[k] if k % 8 == 0 else None for k in range(24)]
        rows += [[firsts[k], f"S{k}", *values[k].tolist()] for k in range(24)]
        content = write.xlsx({"Data": rows}, ["A2:A9", "A10:A17", "A18:A25"])
    else:
        rows = [["Sample", "Group", "Caffeine", None, "Quinine", None]]
        rows.append([None, None, "RT", "Area", "RT", "Area"])
        rows += [[f"S{k}", labels[k], *values[k].tolist()] for k in range(24)]
        content = write.xlsx({"Quantities": rows}, ["A1:A2", "B1:B2", "C1:D1", "E1:F1"])
    mark = Mark(values=values, labels=labels, may_ask=_ASKED)
    return Case("groups.xlsx", content, mark)
