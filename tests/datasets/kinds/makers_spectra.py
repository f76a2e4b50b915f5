"""Curves along an axis: spectra, chromatograms, maps of them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="spectra")


@kind("counts at every nanometre", never="The first wavelength becomes the class.")
def counts_per_nanometre(variant: int) -> Case:
    rng = write.generator(variant, 40)
    axis = (np.arange(380, 781), np.arange(400, 657))[variant]
    peak = np.exp(-(((axis - 540) / 60) ** 2)) * rng.uniform(0.7, 1.3, (90, 1))
    counts = rng.poisson(5 + 40 * peak)
    names = [f"{point}nm" if variant == 0 else f"wl_{point}" for point in axis]
    content = write.csv(pd.DataFrame(counts, columns=names))
    return Case("photons.csv", content, Mark(values=counts, scale="whole", features="axis"))


@kind("absorbance clipped in its last bands", never="A clipped band becomes the class.")
def clipped(variant: int) -> Case:
    curves, _ = write.spectra(80, (150, 101)[variant], 41 + variant)
    curves[:, -1] = np.where(curves[:, -1] > np.median(curves[:, -1]), 3.0, 2.99)
    step = (2, 4)[variant]
    names = [f"{400 + step * k}{('nm', '')[variant]}" for k in range(curves.shape[1])]
    content = write.csv(pd.DataFrame(curves, columns=names))
    return Case("clipped.csv", content, Mark(values=curves, scale="whole", features="axis"))


@kind(
    "wavelengths as plain numbers and names of samples",
    never="The header is a sample and a band the class.",
)
def plain_numbers(variant: int) -> Case:
    rng = write.generator(variant, 42)
    axis = np.arange(400, 801, (1, 2)[variant])
    counts = rng.poisson(20 + 10 * np.sin(axis / 50) * rng.uniform(0.5, 1, (70, 1)))
    frame = pd.DataFrame(counts, columns=[str(point) for point in axis])
    names = [f"s{k}" for k in range(70)]
    frame.insert(0 if variant == 0 else len(axis), "sample", names)
    content = write.csv(frame, (",", "\t")[variant])
    return Case(
        ("visible.csv", "visible.tsv")[variant],
        content,
        Mark(values=counts, scale="whole", features="axis"),
    )


@kind("near infrared with a quiet end", never="Detector noise is stretched as much as bands.")
def quiet_end(variant: int) -> Case:
    curves, _ = write.spectra(40, (300, 240)[variant], 44 + variant)
    weight = np.linspace(0, 1, curves.shape[1]) ** 4 + 1e-3
    curves = (curves * weight).round(6)
    names = [f"{point:g}" for point in 4000 - 4 * np.arange(curves.shape[1])]
    content = write.csv(pd.DataFrame(curves, columns=names), (",", ";")[variant])
    return Case("coffee.csv", content, Mark(values=curves, scale="whole", features="axis"))


@kind(
    "names of an axis as programs spell them",
    variants=4,
    never="Numbers in names are taken for numbers of pixels.",
)
def spelled_axis(variant: int) -> Case:
    curves, which = write.spectra(45, 100, 46 + variant)
    points = (
        1100 + 2 * np.arange(100),
        1001.5 + 2.5 * np.arange(100),
        400 + 10 * np.arange(100),
        4000 - 12.5 * np.arange(100),
    )[variant]
    names = [
        (
            f"NIR.{point:g} nm",
            f"_{f'{point:g}'.replace('.', '_')}",
            f"spc.{point:g}",
            f"{point:g} cm-1",
        )[variant]
        for point in points
    ]
    labels = write.words(which, "wheat rye barley")
    frame = pd.DataFrame(curves, columns=names).assign(species=labels)
    mark = Mark(values=curves, scale="whole", features="axis", labels=labels)
    return Case("spelled.csv", write.csv(frame), mark)


@kind("interference fringes", never="Periods are taken for rows of pictures.")
def fringes(variant: int) -> Case:
    rng = write.generator(variant, 50)
    n_points, periods = ((600, 15), (480, 20))[variant]
    place = np.linspace(0, 1, n_points)
    drift = 1 + 0.001 * rng.standard_normal((40, 1))
    values = 0.2 + 0.1 * np.cos(2 * np.pi * periods * place * drift)
    values = (values + 0.002 * rng.standard_normal(values.shape)).astype(np.float32)
    mark = Mark(
        values=values,
        scale="whole",
        features="axis",
        also=("columns",),
        may_ask=frozenset({"features", "samples"}),
        answers={"features": "axis", "samples": "rows"},
    )
    content = write.npy(values) if variant == 0 else write.mat(X=values)
    return Case(("film.npy", "film.mat")[variant], content, mark)


@kind("peptide masses in narrow bins", never="Isotope spacing is taken for rows of pictures.")
def peptides(variant: int) -> Case:
    rng = write.generator(variant, 51)
    per_dalton, n_daltons = ((20, 40), (10, 60))[variant]
    comb = np.exp(-(((np.arange(per_dalton) - per_dalton // 2) / 2) ** 2))
    heights = rng.gamma(0.5, 2, (30, n_daltons))
    values = (heights[:, :, None] * comb).reshape(30, -1)
    values = (values + 0.05 * rng.random(values.shape)).round(3).astype(np.float32)
    mark = Mark(
        values=values,
        scale="whole",
        features="axis",
        also=("columns",),
        may_ask=frozenset({"features", "samples", "scale"}),
        answers={"features": "axis", "samples": "rows", "scale": "stretch"},
    )
    return Case(
        "maldi.npz", write.npz(X=values) if variant == 0 else write.npz(spectra=values), mark
    )


@kind("a cube of a map with its wavelengths", never="Rows of the map are samples.")
def cube(variant: int) -> Case:
    shape = ((12, 10, 40), (8, 15, 36))[variant]
    curves, _ = write.spectra(shape[0] * shape[1], shape[2], 52 + variant)
    stored = curves.reshape(shape)
    axis = np.linspace(400, 1000, shape[2])
    content = (
        write.npz(cube=stored, wavelength=axis)
        if variant == 0
        else write.mat(cube=stored, wavelength=axis[None])
    )
    mark = Mark(
        values=curves,
        scale="whole",
        features="axis",
        row_order="any",
        may_ask=frozenset({"samples", "features"}),
        answers={"features": "axis"},
    )
    return Case(("cube.npz", "cube.mat")[variant], content, mark)


@kind("bands by spectra with an axis of that length", never="Bands are samples.")
def bands_first(variant: int) -> Case:
    n, d = ((30, 90), (50, 120))[variant]
    curves, _ = write.spectra(n, d, 54 + variant)
    axis = np.linspace(1800, 900, d)
    content = (
        write.mat(A=curves.T, W=axis[:, None]) if variant == 0 else write.npz(A=curves.T, W=axis)
    )
    mark = Mark(values=curves, scale="whole", features="axis")
    return Case(("spectra.mat", "spectra.npz")[variant], content, mark)


@kind("spectra with a measured reference value", never="Every value becomes a class of one sample.")
def reference_values(variant: int) -> Case:
    rng = write.generator(variant, 56)
    curves, _ = write.spectra(60, 100, 56 + variant)
    protein = rng.normal(12, 2, 60).round((2, 4)[variant])
    content = (
        write.npz(X=curves, y=protein) if variant == 0 else write.mat(X=curves, Y=protein[:, None])
    )
    mark = Mark(
        values=curves,
        scale="whole",
        features="axis",
        also=("columns",),
        may_ask=frozenset({"roles", "features", "classes_from", "samples"}),
        answers={
            "features": "axis",
            "classes_from": "none",
            "samples": "rows",
            "roles": {("y", "Y")[variant]: "target"},
        },
    )
    return Case(("protein.npz", "protein.mat")[variant], content, mark)


@kind("one spectrum a file in folders", never="One file is all, and its axis a feature.")
def spectrum_per_file(variant: int) -> Case:
    n, d = ((12, 120), (16, 80))[variant]
    curves, _ = write.spectra(n, d, 58 + variant, 2)
    axis = (400 + 5 * np.arange(d), 3500.5 - 2.5 * np.arange(d))[variant]
    folders = (("A", "B"), ("ripe", "unripe"))[variant]
    suffix, sep = (("csv", ","), ("dpt", "\t"))[variant]
    members = {}
    labels = []
    for k, curve in enumerate(curves):
        folder = folders[k * 2 // n]
        rows = [[f"{point:g}", value] for point, value in zip(axis, curve, strict=True)]
        header: list[list[object]] = [["wavelength", "absorbance"]] if variant == 0 else []
        members[f"{folder}/s{k:02d}.{suffix}"] = write.lines([*header, *rows], sep)
        labels.append(folder)
    mark = Mark(
        values=curves,
        scale="whole",
        features="axis",
        labels=labels,
        may_ask=frozenset({"classes_from"}),
        column_order="any",
    )
    return Case("spectra.zip", write.zipped(members), mark)


@kind("pairs of columns x1, y1, x2, y2", never="Points are samples and axes are features.")
def pairs(variant: int) -> Case:
    n, d = ((6, 200), (8, 150))[variant]
    curves, _ = write.spectra(n, d, 60 + variant)
    axis = (4000 - 10 * np.arange(d), 0.02 * np.arange(d))[variant]
    heads = [cell for k in range(n) for cell in (("cm-1", "min")[variant], f"S{k}")]
    rows = [
        [cell for k in range(n) for cell in (f"{axis[point]:g}", curves[k, point])]
        for point in range(d)
    ]
    mark = Mark(
        values=curves,
        scale="whole",
        features="axis",
        column_order="any",
        may_ask=frozenset({"samples", "pivot"}),
        answers={"samples": "columns"},
    )
    return Case(
        ("pairs.csv", "runs.txt")[variant], write.lines([heads, *rows], (",", "\t")[variant]), mark
    )


@kind("id, wavenumber and absorbance in a long table", never="Every point is a sample.")
def long_spectra(variant: int) -> Case:
    n, d = ((8, 150), (12, 100))[variant]
    curves, _ = write.spectra(n, d, 62 + variant)
    axis = 400 + 4 * np.arange(d)
    names = (("id", "wavenumber", "absorbance"), ("sample", "nm", "reflectance"))[variant]
    frame = pd.DataFrame(
        {
            names[0]: np.repeat(
                np.arange(n) if variant == 0 else [f"leaf{k:02d}" for k in range(n)], d
            ),
            names[1]: np.tile(axis, n),
            names[2]: curves.ravel(),
        }
    )
    mark = Mark(
        values=curves,
        scale="whole",
        features="axis",
        also=("columns",),
        must_ask=frozenset({"pivot"}),
        may_ask=frozenset({"roles", "classes_from"}),
        answers={"pivot": f"{names[0]} × {names[1]}", "classes_from": "none"},
    )
    return Case("long.csv", write.csv(frame), mark)


@kind(
    "a Raman map with two columns of places",
    variants=3,
    never="Coordinates are features and stretch everything column by column.",
)
def raman_map(variant: int) -> Case:
    width, height = ((8, 6), (7, 7), (10, 6))[variant]
    curves, _ = write.spectra(width * height, 110, 64 + variant)
    slow, fast = np.repeat(np.arange(width), height), np.tile(np.arange(height), width)
    axis = [f"{point:.2f}" for point in 1641.69 - 4.07 * np.arange(110)]
    heads = (["map_x", "map_y"], ["", ""], ["x", "y"])[variant]
    rows = [
        [f"{a * 1.5:g}", f"{b * 1.5:g}", *curve]
        for a, b, curve in zip(slow, fast, curves, strict=True)
    ]
    mark = Mark(
        values=curves,
        scale="whole",
        features="axis",
        may_ask=frozenset({"roles"}) if variant == 2 else frozenset(),
        answers={"roles": {"x": "place", "y": "place"}},
    )
    sep = (",", "\t", ",")[variant]
    return Case(
        ("map.csv", "labspec.txt", "map.csv")[variant],
        write.lines([[*heads, *axis], *rows], sep),
        mark,
    )


@kind("Orange's three header rows", never="The rows of types and flags make everything text.")
def orange(variant: int) -> Case:
    curves, which = write.spectra(50, 60, 68 + variant, 2)
    labels = write.words(which, "collagen glycogen")
    axis = [f"{1000 + 4 * k:g}" for k in range(60)]
    if variant == 0:
        top = [["type", *axis], ["collagen glycogen", *["c"] * 60], ["class"]]
        rows = [[label, *curve] for label, curve in zip(labels, curves, strict=True)]
    else:
        top = [[*axis, "type"], [*["continuous"] * 60, "discrete"], [*[""] * 60, "class"]]
        rows = [[*curve, label] for label, curve in zip(labels, curves, strict=True)]
    mark = Mark(values=curves, scale="whole", features="axis", labels=labels)
    return Case(
        "collagen.tab" if variant == 0 else "collagen.csv",
        write.lines([*top, *rows], "\t" if variant == 0 else ","),
        mark,
    )


@kind("lines of comment before a table", variants=3, never="The file is refused for its first row.")
def commented(variant: int) -> Case:
    curves, which = write.spectra(40, 60, 70 + variant)
    axis = [str(500 + 5 * k) for k in range(60)]
    labels = write.words(which, "apple pear plum")
    table = write.lines(
        [["class", *axis], *[[label, *curve] for label, curve in zip(labels, curves, strict=True)]],
        ("\t", ",", ";")[variant],
    )
    preamble = (
        b"#Acq. time (s)=\t10\n#Laser=\t532nm\n#Grating=\t600 gr/mm\n",
        b"Instrument,XYZ-200\nOperator,AB\nDate,2024-05-17\n\n",
        b"sep=;\n",
    )[variant]
    mark = Mark(values=curves, scale="whole", features="axis", labels=labels)
    return Case(("acquired.txt", "export.csv", "excel.csv")[variant], preamble + table, mark)


@kind("np.savetxt with a header", never="The first feature is called '# 1800', or is lost.")
def savetxt(variant: int) -> Case:
    curves, _ = write.spectra(40, 60, 74 + variant)
    axis = [f"{1800 - 3 * k}" if variant == 0 else f"{400 + 7 * k}" for k in range(60)]
    sep = (",", " ")[variant]
    head = ("# " + sep.join(axis) + "\n").encode()
    mark = Mark(values=curves, scale="whole", features="axis")
    return Case(("saved.csv", "saved.txt")[variant], head + write.lines(curves.tolist(), sep), mark)


@kind("decimal commas in quotes, commas between", never="There is no column of numbers.")
def quoted_commas(variant: int) -> Case:
    curves, which = write.spectra(40, 50, 76 + variant)
    labels = write.words(which, "oil fat wax")
    rows: list[list[object]] = [
        [label, *[f'"{str(value).replace(".", ",")}"' for value in curve]]
        for label, curve in zip(labels, curves, strict=True)
    ]
    axis = [f"{400 + 10 * k} nm" for k in range(50)]
    if variant:
        rows = [[*row[1:], row[0]] for row in rows]
    head = ["class", *axis] if variant == 0 else [*axis, "class"]
    mark = Mark(values=curves, scale="whole", features="axis", labels=labels)
    return Case("export.csv", write.lines([head, *rows]), mark)


@kind("an integral beside the wavenumbers", never="The integral is a band, or all are pictures.")
def computed_column(variant: int) -> Case:
    curves, _ = write.spectra(40, 120, 78 + variant)
    total = (curves[:, 20:40].sum(1) * (10, 3)[variant]).round(3)
    frame = pd.DataFrame(curves, columns=[f"{1900 - 2.5 * k:g}" for k in range(120)])
    name = ("X1", "integral")[variant]
    frame[name] = total
    mark = Mark(
        values=curves,
        scale="whole",
        features="axis",
        must_ask=frozenset({"roles"}),
        answers={"roles": {name: "target"}},
        may_ask=frozenset({"scale"}),
    )
    return Case("integral.csv", write.csv(frame), mark)


@kind("spectra with moisture in a column", never="Moisture is scaled in as one more wavelength.")
def moisture(variant: int) -> Case:
    rng = write.generator(variant, 80)
    curves, _ = write.spectra(70, 100, 80 + variant)
    frame = pd.DataFrame(curves, columns=[f"{1100 + 7 * k}nm" for k in range(100)])
    name = ("moisture", "octane")[variant]
    frame.insert(0 if variant == 0 else 100, name, rng.normal(40, 8, 70).round(2))
    mark = Mark(
        values=curves,
        scale="whole",
        features="axis",
        may_ask=frozenset({"roles"}),
        answers={"roles": {name: "target"}},
    )
    return Case("moisture.csv", write.csv(frame), mark)


@kind("percent of transmittance without names", never="Columns of one unit get their own scales.")
def transmittance(variant: int) -> Case:
    curves, which = write.spectra(50, 90, 82 + variant)
    percent = (100 * 10 ** (-0.3 * curves)).round(2)
    labels = write.texts(which)
    content = (
        write.npz(X=percent, y=which, axis=np.linspace(2500, 600, 90))
        if variant == 0
        else write.mat(X=percent, y=which[:, None], axis=np.linspace(600, 2500, 90)[None])
    )
    mark = Mark(values=percent, scale="whole", features="axis", labels=labels)
    return Case(("percent.npz", "percent.mat")[variant], content, mark)


@kind("names of wavelengths beside the array", never="The names are dropped for pictures.")
def named_array(variant: int) -> Case:
    n_points = (400, 256)[variant]
    curves, _ = write.spectra(40, n_points, 84 + variant)
    names = np.array(
        [f"{value} nm" if variant == 0 else f"{value}nm" for value in range(400, 400 + n_points)]
    )
    content = write.npz(X=curves.astype(np.float32), feature_names=names)
    return Case("named.npz", content, Mark(values=curves, scale="whole", features="axis"))


@kind("first derivatives, small and of both signs", never="All curves are crushed into a line.")
def derivatives(variant: int) -> Case:
    curves, which = write.spectra(50, 101, 86 + variant)
    slopes = np.diff(curves, axis=1).round(6)
    axis = np.linspace(900, 1700, 100).round(1)
    if variant == 0:
        content, name = write.npz(X=slopes, y=which, wavelength=axis), "derivative.npz"
    else:
        frame = pd.DataFrame(slopes, columns=[f"{point:g} nm" for point in axis])
        content, name = write.csv(frame.assign(**{"class": which})), "derivative.csv"
    mark = Mark(
        values=slopes, scale="whole", features="axis", labels=write.texts(which), least_range=0.3
    )
    return Case(name, content, mark)


@kind("comments after the table's head", never="The file is refused for a row of one cell.")
def comments_within(variant: int) -> Case:
    curves, _ = write.spectra(30, 60, 88 + variant)
    axis = [str(1000 + 5 * k) for k in range(60)]
    rows: list[list[object]] = [["sample", *axis]]
    rows += [[f"juice {k}", *row] for k, row in enumerate(curves.tolist())]
    rows.insert(1, ["# measured on Monday"])
    if variant:
        rows.append(["# lamp changed"])
    mark = Mark(values=curves, scale="whole", features="axis")
    return Case("peach.csv", write.lines(rows), mark)
