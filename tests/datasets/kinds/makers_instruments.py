"""Marks that instruments and programs leave in tables: fill values, clocks, rows that sum up."""

from __future__ import annotations

import datetime
import io
from functools import partial

import numpy as np
import pandas as pd

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="instruments", from_field=True)
_ASKED = frozenset({"scale", "roles"})


@kind("spectra with deleted bands of USGS", never="−1.23e34 is the least reflectance.")
def deleted_bands(variant: int) -> Case:
    values, _ = write.spectra(12, 90, 970 + variant)
    points = np.linspace(0.35, 2.5, 90).round(5)
    spectra = values.round(6)
    places = [10, 11, 47] if variant == 0 else [0, 89]
    spectra[:, places] = -1.23e34
    members = {
        f"mineral{number:02d}.txt": write.lines(list(zip(points, row, strict=True)), " ")
        for number, row in enumerate(spectra.tolist())
    }
    mark = Mark(
        values=np.delete(values.round(6), places, axis=1),
        features="axis",
        must_ask=frozenset({"missing"}),
        may_ask=_ASKED,
        answers={"missing": "columns"},
    )
    return Case("library.zip", write.zipped(members), mark)


@kind("rasters with the fill value of netCDF", never="The fill value is the greatest number.")
def fill_values(variant: int) -> Case:
    rng = write.generator(variant, 971)
    values = rng.random((40, 15)) * 30
    stored = values.copy()
    is_filled = rng.random(40) < 0.2
    is_filled[:2] = True, False
    stored[is_filled, 3] = (9.969209968386869e36, -3.4028234663852886e38)[variant]
    mark = Mark(
        values=values[~is_filled],
        must_ask=frozenset({"missing"}),
        may_ask=_ASKED | {"samples"},
        answers={"missing": "rows", "samples": "rows"},
    )
    if variant == 0:
        return Case("stations.npz", write.npz(X=stored), mark)
    frame = pd.DataFrame(stored, columns=[f"band_{letter}" for letter in "abcdefghijklmno"])
    return Case("stations.csv", write.csv(frame), mark)


@kind("time since 1970 under any name", never="The clock of the recorder is the first feature.")
def seconds_since_1970(variant: int) -> Case:
    rng = write.generator(variant, 972)
    values = rng.normal(0, 1, (90, 4)).round(4)
    labels = np.repeat(["walk", "sit", "run"], 30).tolist()
    frame = pd.DataFrame(values, columns=["acc_h", "acc_v", "gyro_h", "gyro_v"])
    unit, name = ((1000, "ts"), (1, "recorded"))[variant]
    frame.insert(0, name, 1_714_550_000 * unit + np.arange(90) * 20)
    frame["label"] = labels
    mark = Mark(values=values, labels=labels, may_ask=_ASKED | {"samples"})
    return Case("sensor.csv", write.csv(frame), mark)


@kind("mean and SD below a table of FlowJo", never="Mean and SD are two more samples.")
def rows_that_sum_up(variant: int) -> Case:
    rng = write.generator(variant, 973)
    values = np.c_[rng.uniform(80, 99, 24).round(1), rng.uniform(5, 60, 24).round(1)]
    heads = ["", "Live | Freq. of Parent", "CD4+ | Freq. of Parent"]
    unit = (" %", "")[variant]
    lines: list[list[object]] = [[*heads]]
    for number, row in enumerate(values.tolist()):
        lines.append([f"Tube_{number:03d}.fcs", *(f"{value}{unit}" for value in row)])
    ends = (("Mean", "SD"), ("Mean", "SD", "CV"))[variant]
    lines += [[word, *(f"{value:.1f}{unit}" for value in values.mean(0) / (k + 1))]
              for k, word in enumerate(ends)]  # fmt: skip
    mark = Mark(values=values, may_ask=_ASKED | {"samples"})
    return Case("gates.csv", write.lines(lines), mark)


@kind("files of one table put behind each other", never="The second header is part of a name.")
def repeated_headers(variant: int) -> Case:
    rng = write.generator(variant, 974)
    values = rng.random((24, 3)).round(4)
    labels = rng.permutation(np.repeat(["oak", "elm"], 12)).tolist()
    lines: list[list[object]] = []
    n_parts = (2, 3)[variant]
    for part in np.array_split(np.arange(24), n_parts):
        lines.append(["height", "width", "depth", "kind"])
        lines += [[*values[k].tolist(), labels[k]] for k in part.tolist()]
    mark = Mark(values=values, labels=labels, may_ask=_ASKED | {"samples"})
    return Case("all.csv", write.lines(lines), mark)


@kind("surveys of Stata and SPSS", never="It is called damaged, or no reason is given.")
def surveys(variant: int) -> Case:
    frame = pd.DataFrame({"q1": np.arange(20) % 5, "q2": np.arange(20) % 3})
    if variant:
        return Case("survey.sav", b"$FL2@(#) SPSS DATA FILE" + bytes(200), Mark(refused="SPSS"))

    stream = io.BytesIO()
    frame.to_stata(stream, time_stamp=datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC))
    return Case("survey.dta", stream.getvalue(), Mark(refused="Stata"))


@kind("genotypes as letters", never="Positions of variants are the features.")
def genotypes(variant: int) -> Case:
    rng = write.generator(variant, 976)
    calls = rng.choice((["AA", "AG", "GG"], ["0/0", "0/1", "1/1"])[variant], (40, 12))
    names = [f"line{number}" for number in range(12)]
    if variant == 0:
        lines: list[list[object]] = [["rs#", "alleles", "chrom", "pos", "strand", *names]]
        lines += [[f"rs{k}", "A/G", 1, 100 * k, "+", *calls[k].tolist()] for k in range(40)]
        return Case("snps.txt", write.lines(lines, "\t"), Mark(refused="HapMap"))
    lines = [["##fileformat=VCFv4.2"]]
    lines.append(["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *names])
    lines += [
        ["1", 100 * k, f"rs{k}", "A", "G", 50, "PASS", ".", "GT", *calls[k].tolist()]
        for k in range(40)
    ]
    return Case("calls.vcf", write.lines(lines, "\t"), Mark(refused="VCF"))
