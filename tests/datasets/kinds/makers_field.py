"""What chemists, biologists, teachers, machine operators and others export in their daily work."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark, Numbers
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, from_field=True)


def correlated(n: int, d: int, seed: int, spread: float = 1.0) -> Numbers:
    """Numbers around ten that vary together, to two places."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 2)) @ rng.normal(size=(2, d))
    return (10 + spread * (common + rng.normal(size=(n, d)))).round(2)


def mixed(n: int, names: str, seed: int) -> list[str]:
    """Words in no order, equally often."""
    count = len(names.split())
    return write.words(np.random.default_rng(seed).permutation(np.arange(n) % count), names)


# --- chemistry ------------------------------------------------------------------------------------


@kind(
    "wavelengths down, samples across",
    group="chemistry",
    never="Wavelengths are samples, and the axis one of the features.",
)
def wavelengths_down(variant: int) -> Case:
    n, d = ((24, 120), (30, 90))[variant]
    curves, _ = write.spectra(n, d, 200 + variant)
    axis = (220 + 5 * np.arange(d), 900 - 4 * np.arange(d))[variant]
    head = [("Wavelength (nm)", "nm")[variant], *[f"Sample {k + 1}" for k in range(n)]]
    rows = [[point, *values] for point, values in zip(axis, curves.T, strict=True)]
    mark = Mark(
        values=curves,
        scale="whole",
        features="axis",
        may_ask=frozenset({"samples"}),
        answers={"samples": "columns"},
    )
    return Case(
        ("uvvis.csv", "uvvis.txt")[variant], write.lines([head, *rows], (",", "\t")[variant]), mark
    )


@kind("NMR buckets from high to low ppm", group="chemistry", never="The header is a sample.")
def nmr_buckets(variant: int) -> Case:
    n, d = ((50, 200), (40, 150))[variant]
    rng = write.generator(variant, 201)
    ppm = 9.98 - 0.04 * np.arange(d)
    values = (rng.gamma(0.5, 1, d) * rng.uniform(0.6, 1.4, (n, d))).round(5)
    labels = mixed(n, "urine serum", 201 + variant)
    frame = pd.DataFrame(values, columns=[f"{point:.2f}" for point in ppm])
    frame.insert(0, ("Class", "group")[variant], labels)
    frame.insert(0, "Sample", [f"NMR_{k:03d}" for k in range(n)])
    mark = Mark(values=values, scale="whole", features="axis", labels=labels)
    return Case("buckets.csv", write.csv(frame, (",", ";")[variant]), mark)


@kind(
    "excitation and emission in the names",
    group="chemistry",
    never="Pairs of wavelengths are pictures of a made-up shape.",
)
def excitation_emission(variant: int) -> Case:
    n = (30, 40)[variant]
    excitations, emissions = np.arange(250, 450, 20), np.arange(300, 540, 20)
    rng = write.generator(variant, 203)
    centre = rng.uniform(0.3, 0.7, (n, 2))
    ex, em = np.meshgrid(np.linspace(0, 1, 10), np.linspace(0, 1, 12), indexing="ij")
    values = np.exp(-((ex - centre[:, :1, None]) ** 2 + (em - centre[:, 1:, None]) ** 2) / 0.08)
    values = (values.reshape(n, -1) + 0.01 * rng.random((n, 120))).round(4)
    names = [f"ex{a}_em{b}" if variant == 0 else f"{a}_{b}" for a in excitations for b in emissions]
    mark = Mark(
        values=values,
        scale="whole",
        features="axis",
        also=("columns", "pixels"),
        may_ask=frozenset({"features", "shape", "axis"}),
        answers={"features": "axis"},
    )
    return Case("eem.csv", write.csv(pd.DataFrame(values, columns=names)), mark)


@kind("trace elements below the limit", group="chemistry", never="Elements are left out as text.")
def trace_elements(variant: int) -> Case:
    names = ["Li7", "Mg24", "V51", "Cr52", "Mn55", "Fe56", "Co59", "Cu63", "Zn66", "Sr88"]
    values = np.exp(correlated(60, 10, 204 + variant, 0.7) - 9).round(3)
    labels = mixed(60, "spring river well", 204)
    cells = values.astype(object)
    marked = values.copy()
    rows = ((3, 20), (8,))[variant]
    for row in rows:
        cells[row, 6], marked[row, 6] = ("<LOD", "<0.02")[variant], np.nan
    frame = pd.DataFrame(cells, columns=names)
    frame.insert(0, "class", labels)
    mark = Mark(
        values=marked,
        labels=labels,
        must_ask=frozenset({"missing"}),
        may_ask=frozenset({"scale", "roles"}),
        answers={"missing": "mean"},
    )
    return Case("icpms.csv", write.csv(frame), mark)


@kind("oxides of rocks", group="chemistry", never="Oxides with numbers in their names are an axis.")
def oxides(variant: int) -> Case:
    names = ["SiO2", "TiO2", "Al2O3", "Fe2O3", "MnO", "MgO", "CaO", "Na2O", "K2O", "P2O5"]
    rng = write.generator(variant, 206)
    values = rng.dirichlet(np.array([50, 1, 15, 9, 0.5, 7, 9, 3, 1, 0.5]) * 2, 70) * 100
    values = values.round(2)
    labels = mixed(70, "basalt andesite" if variant == 0 else "gabbro diorite granite", 206)
    frame = pd.DataFrame(values, columns=names)
    frame.insert(0 if variant == 0 else 10, ("rock_type", "class")[variant], labels)
    mark = Mark(
        values=values, labels=labels, may_ask=frozenset({"scale"}), answers={"scale": "stretch"}
    )
    return Case("rocks.csv", write.csv(frame), mark)


@kind(
    "sizes of particles on a logarithmic axis",
    group="chemistry",
    never="Sizes are names of columns and each size gets its own scale.",
)
def particle_sizes(variant: int) -> Case:
    n, d = ((40, 80), (60, 60))[variant]
    rng = write.generator(variant, 207)
    sizes = 0.1 * (1.125, 1.16)[variant] ** np.arange(d)
    centre = rng.uniform(0.3, 0.6, (n, 1)) * d
    values = (8 * np.exp(-(((np.arange(d) - centre) / 9) ** 2))).round(2)
    frame = pd.DataFrame(
        values, columns=[f"{size:.3g}" if variant else f"{size:.4f}" for size in sizes]
    )
    frame.insert(0, "Sample Name", [f"Batch {k + 1}" for k in range(n)])
    mark = Mark(values=values, scale="whole", features="axis")
    return Case("sizes.csv", write.csv(frame), mark)


@kind(
    "diffractograms, one .xy a file",
    group="chemistry",
    never="Nothing of it is read, or one file is all.",
)
def diffractograms(variant: int) -> Case:
    n, d = (12, (150, 100)[variant])
    curves, _ = write.spectra(n, d, 208 + variant)
    angles = 10 + 0.05 * np.arange(d)
    phases = ("quartz", "calcite", "gypsum")
    members, labels = {}, []
    for k, curve in enumerate(curves):
        phase = sorted(phases)[k * 3 // n]
        head = b"# 2theta intensity\n" if variant else b""
        rows = [
            [f"{angle:.2f}", f"{value * 1000:.2f}"]
            for angle, value in zip(angles, curve, strict=True)
        ]
        members[f"{phase}/{phase}_{k % 4 + 1}.xy"] = head + write.lines(rows, " ")
        labels.append(phase)
    mark = Mark(values=(curves * 1000).round(2), scale="whole", features="axis", labels=labels)
    return Case("xrd.zip", write.zipped(members), mark)


# --- biology --------------------------------------------------------------------------------------


@kind("cycles of qPCR with Undetermined", group="biology", never="Genes are left out as text.")
def qpcr(variant: int) -> Case:
    values = correlated(48, 8, 210 + variant) + 15
    cells = values.astype(object)
    marked = values.copy()
    for row in ((2,), (11, 30))[variant]:
        cells[row, 3], marked[row, 3] = "Undetermined", np.nan
    frame = pd.DataFrame(
        cells, columns=["ACTB", "GAPDH", "IL6", "TNF", "CCL2", "FOXP3", "GATA3", "STAT1"]
    )
    labels = mixed(48, "mock infected", 210)
    frame.insert(0, "class", labels)
    mark = Mark(
        values=marked,
        labels=labels,
        must_ask=frozenset({"missing"}),
        may_ask=frozenset({"roles"}),
        answers={"missing": "mean"},
    )
    return Case("ct.csv", write.csv(frame), mark)


@kind(
    "protein groups of MaxQuant",
    group="biology",
    never="Proteins are samples; scores and intensities are mixed.",
)
def protein_groups(variant: int) -> Case:
    n, d = ((12, 80), (9, 60))[variant]
    rng = write.generator(variant, 212)
    intensities = rng.lognormal(16, 1, (d, n)).round(0)
    frame = pd.DataFrame(
        intensities, columns=[f"LFQ intensity {'AB'[k % 2]}_{k // 2 + 1}" for k in range(n)]
    )
    frame.insert(0, "Peptides", rng.integers(2, 40, d))
    frame.insert(0, "Gene names", [f"GEN{k}" for k in range(d)])
    frame.insert(0, "Protein IDs", [f"P{10000 + 7 * k};Q{20000 + k}" for k in range(d)])
    frame["Score"] = rng.gamma(3, 20, d).round(3)
    roles = {"Peptides": "name", "Score": "name"}
    mark = Mark(
        values=intensities.T,
        must_ask=frozenset({"samples", "roles"}),
        may_ask=frozenset({"scale", "features", "header"}),
        answers={"samples": "columns", "roles": roles},
    )
    return Case("proteinGroups.txt", write.csv(frame, "\t"), mark)


@kind(
    "cell lines by genes with Entrez numbers",
    group="biology",
    never="Numbers in brackets make an axis.",
    plain=True,
)
def cell_lines(variant: int) -> Case:
    genes = [
        "A1BG",
        "A1CF",
        "A2M",
        "TP53",
        "MYC",
        "KRAS",
        "PTEN",
        "EGFR",
        "CDK4",
        "RB1",
        "ATM",
        "BRAF",
    ]
    numbers = [1, 29974, 2, 7157, 4609, 3845, 5728, 1956, 1019, 5925, 472, 673]
    values = (correlated(70, 12, 213 + variant, 0.3) - 10).round(4)
    frame = pd.DataFrame(
        values, columns=[f"{gene} ({number})" for gene, number in zip(genes, numbers, strict=True)]
    )
    frame.insert(0, ("DepMap_ID", "")[variant], [f"ACH-{k:06d}" for k in range(70)])
    return Case("CRISPRGeneEffect.csv", write.csv(frame), Mark(values=values))


@kind(
    "objects of CellProfiler",
    group="biology",
    never="Numbers of images and places of cells are features.",
)
def cell_profiler(variant: int) -> Case:
    rng = write.generator(variant, 215)
    n = (120, 90)[variant]
    names = [
        "AreaShape_Area",
        "AreaShape_Eccentricity",
        "Intensity_MeanIntensity_DNA",
        "Intensity_StdIntensity_DNA",
        "Texture_Contrast_DNA_3_00",
    ]
    values = rng.lognormal(0, 0.4, (n, 5)).round(4)
    frame = pd.DataFrame(values, columns=names)
    frame.insert(0, "ObjectNumber", np.tile(np.arange(1, n // 3 + 1), 3))
    frame.insert(0, "ImageNumber", np.repeat([1, 2, 3], n // 3))
    roles = {"ImageNumber": "group", "ObjectNumber": "name"}
    if variant == 0:
        frame.insert(2, "Location_Center_X", rng.uniform(0, 1024, n).round(3))
        frame.insert(3, "Location_Center_Y", rng.uniform(0, 1024, n).round(3))
        roles |= {"Location_Center_X": "place", "Location_Center_Y": "place"}
    mark = Mark(
        values=values,
        must_ask=frozenset({"roles", "classes_from"}),
        may_ask=frozenset({"scale"}),
        answers={"roles": roles, "classes_from": "none"},
    )
    return Case("Nuclei.csv", write.csv(frame), mark)


@kind(
    "windows of a sequence as k-mers",
    group="biology",
    never="Counts of a k-mer are taken for the class.",
)
def kmers(variant: int) -> Case:
    rng = write.generator(variant, 216)
    names = [
        "".join(letters)
        for letters in np.stack(
            np.meshgrid(*[list("ACGT")] * (3, 2)[variant], indexing="ij"), -1
        ).reshape(-1, (3, 2)[variant])
    ]
    counts = rng.poisson(rng.gamma(2, 3, len(names)), (100, len(names)))
    frame = pd.DataFrame(counts, columns=names)
    labels = None
    if variant:
        labels = mixed(100, "promoter intron", 216)
        frame["class"] = labels
    return Case("kmers.csv", write.csv(frame), Mark(values=counts, labels=labels))


# --- brain waves ----------------------------------------------------------------------------------


@kind(
    "a recording of OpenBCI",
    group="brain waves",
    never="The wrapping counter and the clock are features.",
)
def open_bci(variant: int) -> Case:
    rng = write.generator(variant, 220)
    n = (300, 200)[variant]
    waves = rng.normal(0, 40, (n, 8)).cumsum(0).round(3)
    head = [
        "%OpenBCI Raw EXG Data",
        "%Number of channels = 8",
        "%Sample Rate = 250 Hz",
        "%Board = OpenBCI_GUI$BoardCytonSerial",
    ]
    names = [
        "Sample Index",
        *[f"EXG Channel {k}" for k in range(8)],
        ("Timestamp", "Timestamp (Formatted)")[variant],
    ]
    clock = [
        f"{1715940000 + k / 250:.3f}"
        if variant == 0
        else f"2024-05-17 10:00:{k // 250:02d}.{k % 250 * 4:03d}"
        for k in range(n)
    ]
    rows = [[k % 256, *row, clock[k]] for k, row in enumerate(waves.tolist())]
    content = "\n".join(head).encode() + b"\n" + write.lines([names, *rows], ", ")
    mark = Mark(
        values=waves,
        scale="any",
        may_ask=frozenset({"roles", "samples", "classes_from"}),
        answers={"roles": {"Sample Index": "clock"}, "samples": "rows", "classes_from": "none"},
    )
    return Case("OpenBCI-RAW.txt", content, mark)


@kind(
    "time by channels by trials with a label a trial",
    group="brain waves",
    never="Instants are samples, although the labels are as many as trials.",
)
def trials_last(variant: int) -> Case:
    rng = write.generator(variant, 221)
    shape = ((50, 8, 60), (40, 11, 90))[variant]
    waves = rng.normal(size=shape).cumsum(0).round(3)
    which = rng.permutation(np.arange(shape[2]) % 2)
    content = (
        write.mat(x=waves, y=(which[None] * 2 - 1))
        if variant == 0
        else write.npz(data=waves, labels=which)
    )
    labels = write.texts(which * 2 - 1) if variant == 0 else write.texts(which)
    mark = Mark(
        values=waves.transpose(2, 0, 1).reshape(shape[2], -1),
        labels=labels,
        also=("axis",),
        column_order="any",
        may_ask=frozenset({"features", "axis"}),
        answers={"features": "columns"},
    )
    return Case(("bci.mat", "bci.npz")[variant], content, mark)


@kind(
    "average waves, channels in rows under milliseconds",
    group="brain waves",
    never="The header of milliseconds is a sample.",
)
def erp_text(variant: int) -> Case:
    n, d = ((32, 150), (19, 120))[variant]
    rng = write.generator(variant, 222)
    times = -200 + (4, 8)[variant] * np.arange(d)
    peak = np.exp(-(((times - 300) / 80) ** 2)) * rng.normal(3, 1, (n, 1))
    values = (peak + 0.2 * rng.normal(size=(n, d))).round(4)
    channels = [f"E{k + 1}" if variant else f"Ch{'ABCDEFGH'[k % 8]}{k // 8}" for k in range(n)]
    rows = [["", *times], *[[name, *row] for name, row in zip(channels, values, strict=True)]]
    mark = Mark(values=values, scale="whole", features="axis")
    return Case("erp.txt", write.lines(rows, "\t"), mark)


# --- astronomy ------------------------------------------------------------------------------------


@kind(
    "a catalogue of the sky",
    group="astronomy",
    never="Object numbers and places on the sky are features.",
)
def sky_catalogue(variant: int) -> Case:
    rng = write.generator(variant, 225)
    n = (120, 90)[variant]
    bands = (["u", "g", "r", "i", "z"], ["umag", "gmag", "rmag", "imag", "zmag"])[variant]
    values = correlated(n, 5, 225 + variant) + 8
    labels = mixed(n, "GALAXY QSO STAR", 225)
    frame = pd.DataFrame(values, columns=bands)
    frame.insert(0, ("dec", "DEC")[variant], rng.uniform(-5, 60, n).round(6))
    frame.insert(0, ("ra", "RA")[variant], rng.uniform(0, 360, n).round(6))
    frame.insert(
        0,
        ("objid", "specobjid")[variant],
        1237648720693755918 + rng.permutation(n).astype(np.int64) * 65537,
    )
    frame["class"] = labels
    roles = dict.fromkeys(frame.columns[1:3], "place") | {frame.columns[0]: "name"}
    mark = Mark(
        values=values, labels=labels, may_ask=frozenset({"roles"}), answers={"roles": roles}
    )
    return Case("sdss.csv", write.csv(frame), mark)


@kind("magnitudes with null cells", group="astronomy", never="The column is left out as text.")
def null_cells(variant: int) -> Case:
    values = correlated(100, 5, 227 + variant)
    mask = write.generator(variant, 227).random(values.shape) < 0.03
    mask[4, 2] = True
    frame = pd.DataFrame(values, columns=["phot_g", "bp", "rp", "parallax", "pm"]).astype(object)
    frame = frame.where(~mask, ("null", "nan")[variant])
    mark = Mark(
        values=np.where(mask, np.nan, values),
        may_ask=frozenset({"missing", "scale"}),
        answers={"missing": "mean"},
    )
    return Case("gaia.csv", write.csv(frame), mark)


@kind(
    "light curves of time, flux and error, one a file",
    group="astronomy",
    never="Instants of one star are the samples.",
)
def light_curves(variant: int) -> Case:
    n, d = ((14, 90), (10, 120))[variant]
    rng = write.generator(variant, 228)
    times = 2457000 + 0.02 * np.arange(d)
    members = {}
    for k in range(n):
        flux = 1 + 0.01 * np.sin(np.arange(d) / rng.uniform(3, 9)) + 0.001 * rng.normal(size=d)
        rows = [
            [f"{a:.4f}", f"{b:.6f}", f"{c:.6f}"]
            for a, b, c in zip(times, flux, rng.uniform(9e-4, 11e-4, d), strict=True)
        ]
        head = b"# BTJD flux flux_err\n" if variant else b"time,flux,flux_err\n"
        members[f"star{k:02d}.{('csv', 'txt')[variant]}"] = head + write.lines(
            rows, (",", " ")[variant]
        )
    mark = Mark(
        n_samples=n,
        must_ask=frozenset({"data", "features", "pivot", "roles", "samples"}),
        may_refuse="columns",
        features="axis",
        also=("columns",),
    )
    return Case("curves.zip", write.zipped(members), mark)


# --- ecology and earth ----------------------------------------------------------------------------


@kind("sites by species", group="ecology", never="A species is taken for the class.")
def sites_by_species(variant: int) -> Case:
    rng = write.generator(variant, 230)
    species = [
        f"{genus}.{kind_name}"
        for genus in ["Carex", "Poa", "Festuca", "Salix", "Rumex"]
        for kind_name in ["alba", "minor", "montana", "nigra", "palustris"]
    ]
    counts = rng.poisson(rng.gamma(0.5, 4, 25), (60, 25))
    frame = pd.DataFrame(counts, columns=species)
    labels = None
    if variant:
        labels = mixed(60, "bog fen meadow", 230)
        frame["habitat"] = labels
    frame.insert(0, "Site", [f"P{k + 1:02d}" for k in range(60)])
    return Case("vegetation.csv", write.csv(frame), Mark(values=counts, labels=labels))


@kind("species in rows, sites across", group="ecology", never="Species are samples, unsaid.")
def species_by_sites(variant: int) -> Case:
    rng = write.generator(variant, 231)
    counts = rng.poisson(rng.gamma(0.5, 4, (50, 1)), (50, (20, 15)[variant]))
    frame = pd.DataFrame(counts, columns=[f"site_{k + 1}" for k in range(counts.shape[1])])
    frame.insert(0, ("species", "taxon")[variant], [f"Genus{k} species{k}" for k in range(50)])
    mark = Mark(
        values=counts.T,
        must_ask=frozenset({"samples"}),
        may_ask=frozenset({"scale", "features", "classes_from"}),
        answers={"samples": "columns", "classes_from": "none"},
    )
    return Case("plots.csv", write.csv(frame, (",", ";")[variant]), mark)


@kind(
    "rings of trees of unequal age",
    group="ecology",
    never="Years are samples and young trees are dropped.",
)
def tree_rings(variant: int) -> Case:
    rng = write.generator(variant, 232)
    n_years, n_trees = ((80, 12), (60, 15))[variant]
    widths = rng.gamma(9, 0.15, (n_years, n_trees)).round(2)
    starts = rng.integers(0, 30, n_trees)
    starts[:3] = 0
    cells = widths.astype(object)
    for tree, start in enumerate(starts):
        cells[:start, tree] = ""
    frame = pd.DataFrame(cells, columns=[f"TREE{k + 1:02d}A" for k in range(n_trees)])
    frame.insert(0, ("year", "Year")[variant], np.arange(1940, 1940 + n_years))
    mark = Mark(must_ask=frozenset({"samples", "missing"}))
    return Case("rings.csv", write.csv(frame), mark)


@kind(
    "pixels of a satellite with bands and a geometry",
    group="ecology",
    never="The geometry breaks the row, or bands are mixed as colours.",
)
def earth_engine(variant: int) -> Case:
    rng = write.generator(variant, 233)
    values = rng.integers(200, 4000, (90, 6))
    bands = (
        ["B2", "B3", "B4", "B8", "B11", "B12"],
        ["SR_B2", "SR_B3", "SR_B4", "SR_B5", "SR_B6", "SR_B7"],
    )[variant]
    codes = write.generator(variant, 234).permutation(np.arange(90) % 4)
    frame = pd.DataFrame(values, columns=bands)
    frame.insert(0, "system:index", [f"1_1_{k}_0" for k in range(90)])
    frame[("class", "landcover_class")[variant]] = codes
    frame[".geo"] = [
        f'{{"type":"Point","coordinates":[{x:.6f},{y:.6f}]}}'
        for x, y in rng.uniform(10, 12, (90, 2))
    ]
    mark = Mark(values=values, labels=write.texts(codes), scale="any", also=("axis",))
    return Case("samples.csv", write.csv(frame), mark)


@kind(
    "a satellite's pixels with their neighbours, no names",
    group="ecology",
    never="Thirty-six numbers and a class are read as pictures of 6 x 6, or the class is lost.",
)
def landsat(variant: int) -> Case:
    rng = write.generator(variant, 235)
    base = rng.normal(80, 15, (200, 1, 4)) + rng.normal(0, 3, (200, 9, 4))
    values = np.rint(base).astype(int).reshape(200, 36)
    codes = rng.permutation(np.array([1, 2, 3, 4, 5, 7])[np.arange(200) % 6])
    rows = [[*row, code] for row, code in zip(values, codes, strict=True)]
    mark = Mark(
        values=values,
        labels=write.texts(codes),
        also=("axis", "pixels"),
        may_ask=frozenset({"roles", "classes_from", "header", "features", "shape"}),
        answers={"header": "sample", "features": "columns"},
    )
    return Case(("sat.trn.txt", "sat.csv")[variant], write.lines(rows, (" ", ",")[variant]), mark)


@kind(
    "a weather station with units under the names",
    group="ecology",
    never="The row of units makes every column text.",
)
def weather(variant: int) -> Case:
    values = correlated(150, 5, 236 + variant)
    times = pd.date_range("2024-01-01", periods=150, freq="h").strftime("%Y-%m-%d %H:%M")
    names = ["TIMESTAMP", "AirTC", "RH", "WS_ms", "PAR", "Rain_mm"]
    units = ["TS", "Deg C", "%", "m/s", "umol", "mm"]
    rows = [[time, *row] for time, row in zip(times, values, strict=True)]
    if variant == 0:  # Campbell's TOA5
        top = [
            ["TOA5", "Station3", "CR1000", "4411", "CR1000.Std.32", "CPU:met.CR1", "3", "Hourly"],
            names,
            units,
            ["", "Avg", "Smp", "Avg", "Avg", "Tot"],
        ]
    else:
        top = [["Station: Alm"], ["Elevation: 1510 m"], [], names, units]
    mark = Mark(values=values, may_ask=frozenset({"header", "scale"}), answers={"header": "names"})
    return Case(("toa5.csv", "alm.csv")[variant], write.lines([*top, *rows]), mark)


# --- schools and people ---------------------------------------------------------------------------


@kind("a teacher's book of marks", group="schools", never="Homework is left out for one absence.")
def gradebook(variant: int) -> Case:
    rng = write.generator(variant, 240)
    marks = rng.integers(0, 21, (45, 9)).astype(float)
    cells = marks.astype(int).astype(object)
    values = marks.copy()
    for row, column in ((4, 2), (17, 6)):
        cells[row, column], values[row, column] = ("absent", "")[variant], np.nan
    names = [*[f"HW{k + 1}" for k in range(8)], "Exam"]
    frame = pd.DataFrame(cells, columns=names)
    frame.insert(
        0, ("Student", "Name")[variant], [f"Pupil {chr(65 + k % 26)}{k}" for k in range(45)]
    )
    mark = Mark(
        values=values,
        must_ask=frozenset({"missing"}) if variant == 0 else frozenset(),
        may_ask=frozenset({"missing", "roles", "scale"}),
        answers={"missing": "mean", "roles": {"Exam": "feature"}, "scale": "stretch"},
    )
    return Case("marks.csv", write.csv(frame), mark)


@kind("answers A to D to questions", group="schools", never="Letters are thrown away in silence.")
def multiple_choice(variant: int) -> Case:
    letters = np.array(list("ABCD"))[write.generator(variant, 241).integers(0, 4, (40, 12))]
    frame = pd.DataFrame(letters, columns=[f"Q{k + 1}" for k in range(12)])
    if variant:
        frame.insert(0, "Student", [f"s{k:03d}" for k in range(40)])
    return Case("answers.csv", write.csv(frame), Mark(refused="number|numbers|text|words|letters"))


@kind(
    "a questionnaire with age and sex",
    group="psychology",
    never="Sex is the class, or age one more answer.",
)
def questionnaire(variant: int) -> Case:
    rng = write.generator(variant, 242)
    answers = rng.integers(1, 6, (120, 20))
    frame = pd.DataFrame(answers, columns=[f"{('q', 'item')[variant]}{k + 1}" for k in range(20)])
    place = 0 if variant == 0 else 20
    frame.insert(place, "sex", mixed(120, "f m", 242))
    frame.insert(place, "age", rng.integers(18, 66, 120))
    mark = Mark(
        values=answers,
        must_ask=frozenset({"roles", "classes_from"}),
        may_ask=frozenset({"scale"}),
        answers={"roles": {"age": "target", "sex": "group"}, "classes_from": "none"},
    )
    return Case("survey.csv", write.csv(frame), mark)


@kind(
    "three header rows of Qualtrics",
    group="psychology",
    never="Questions in words make every column text.",
)
def qualtrics(variant: int) -> Case:
    rng = write.generator(variant, 243)
    answers = rng.integers(1, 8, (60, 10))
    names = ["StartDate", "ResponseId", *[f"Q1_{k + 1}" for k in range(10)]]
    wording = [
        "Start Date",
        "Response ID",
        *[f'"Please rate, from 1 to 7: item {k + 1}"' for k in range(10)],
    ]
    imports = [
        '"{""ImportId"":""startDate""}"',
        '"{""ImportId"":""_recordId""}"',
        *[f'"{{""ImportId"":""QID1_{k + 1}""}}"' for k in range(10)],
    ]
    rows = [
        [f"2024-05-{k % 28 + 1:02d} 10:{k % 60:02d}:00", f"R_{k * 7919 % 99991:05d}x", *row]
        for k, row in enumerate(answers.tolist())
    ]
    top = [names, wording, imports] if variant == 0 else [names, wording]
    mark = Mark(
        values=answers,
        scale="any",
        may_ask=frozenset({"header", "roles"}),
        answers={"header": "names"},
    )
    return Case("qualtrics.csv", write.lines([*top, *rows]), mark)


@kind("99 for no answer", group="psychology", never="99 is an answer, and stretches all others.")
def no_answer(variant: int) -> Case:
    rng = write.generator(variant, 244)
    answers = rng.integers(1, 6, (100, 12)).astype(float)
    mask = rng.random(answers.shape) < 0.03
    stored = np.where(mask, (99, -9)[variant], answers).astype(int)
    frame = pd.DataFrame(
        stored, columns=[f"{stem}{k}" for stem in ("anx", "dep", "str") for k in range(1, 5)]
    )
    mark = Mark(
        values=np.where(mask, np.nan, answers),
        must_ask=frozenset({"missing"}),
        may_ask=frozenset({"scale"}),
        answers={"missing": "mean"},
    )
    return Case("dass.csv", write.csv(frame), mark)


@kind(
    "reaction times, one row a trial",
    group="psychology",
    never="Trials are samples; the number of the trial is a feature.",
)
def reaction_times(variant: int) -> Case:
    rng = write.generator(variant, 245)
    n, d = ((24, 30), (18, 40))[variant]
    times = rng.gamma(8, 60, (n, d)).round(0)
    frame = pd.DataFrame(
        {
            ("subject", "participant")[variant]: np.repeat([f"S{k:02d}" for k in range(n)], d),
            "trial": np.tile(np.arange(1, d + 1), n),
            "rt": times.ravel(),
        }
    )
    mark = Mark(
        values=times,
        must_ask=frozenset({"pivot"}),
        may_ask=frozenset({"roles", "classes_from"}),
        answers={"pivot": f"{frame.columns[0]} × trial", "classes_from": "none"},
    )
    return Case("stroop.csv", write.csv(frame), mark)


@kind("fifty items of personality", group="psychology", never="An item is taken for the class.")
def personality(variant: int) -> Case:
    rng = write.generator(variant, 246)
    stems = (["EXT", "EST", "AGR", "CSN", "OPN"], ["E", "N", "A", "C", "O"])[variant]
    answers = rng.integers(1, 6, (150, 50))
    frame = pd.DataFrame(answers, columns=[f"{stem}{k}" for stem in stems for k in range(1, 11)])
    return Case("data.csv", write.csv(frame, ("\t", ",")[variant]), Mark(values=answers))


# --- machines -------------------------------------------------------------------------------------


@kind(
    "engines until they fail, no names",
    group="machines",
    never="Numbers of engines and cycles are features of 26.",
)
def turbofan(variant: int) -> Case:
    rng = write.generator(variant, 250)
    n_units, n_cycles = ((6, 40), (9, 30))[variant]
    sensors = rng.normal(500, 5, (n_units * n_cycles, 12)).round(4)
    rows = [[k // n_cycles + 1, k % n_cycles + 1, *row] for k, row in enumerate(sensors.tolist())]
    mark = Mark(must_ask=frozenset({"roles", "classes_from", "pivot"}))
    content = write.lines(rows, " ").replace(b"\n", b"  \n")  # blanks at the ends, as published
    return Case(("train_FD001.txt", "test_FD003.txt")[variant], content, mark)


@kind(
    "a log of a controller with its state",
    group="machines",
    never="The state is left out as text, or time is a feature.",
)
def controller_log(variant: int) -> Case:
    values = correlated(160, 6, 251 + variant)
    names = [
        f"{('DB10', 'Line4')[variant]}.{tag}"
        for tag in ["Temp", "Press", "Flow", "Speed", "Curr", "Vib"]
    ]
    frame = pd.DataFrame(values, columns=names)
    states = write.words(np.arange(160) // 20 % 2, "NORMAL BROKEN")
    frame.insert(
        0,
        ("Time", "timestamp")[variant],
        pd.date_range("2024-05-17", periods=160, freq="s").strftime(
            ("%d.%m.%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S")[variant]
        ),
    )
    frame["machine_status"] = states
    content = write.csv(frame, ";", decimal=",") if variant == 0 else write.csv(frame)
    mark = Mark(
        values=values,
        labels=states,
        may_ask=frozenset({"classes_from"}),
        answers={"classes_from": "machine_status"},
    )
    return Case("plc.csv", content, mark)


@kind(
    "vibration of one bearing", group="machines", never="Every instant is a sample of one feature."
)
def bearing(variant: int) -> Case:
    rng = write.generator(variant, 253)
    signal = rng.normal(size=(4000, 1)).cumsum(0).round(4)
    number = (97, 105)[variant]
    content = write.mat(
        **{
            f"X{number:03d}_DE_time": signal,
            f"X{number:03d}_FE_time": signal[::-1],
            f"X{number:03d}RPM": np.array([[1796]]),
        }
    )
    mark = Mark(
        must_ask=frozenset({"data", "samples", "features"}),
        may_refuse="one signal|window|windows|one sample|one column|1 column",
    )
    return Case(f"{number}.mat", content, mark)


@kind(
    "faults in seven columns of 0 and 1",
    group="machines",
    never="Which fault it is becomes seven features.",
)
def steel_faults(variant: int) -> Case:
    rng = write.generator(variant, 254)
    faults = (
        "Pastry Z_Scratch K_Scratch Stains Dirtiness Bumps Other_Faults",
        "crack dent stain rust none_seen",
    )[variant]
    which = rng.permutation(np.arange(140) % len(faults.split()))
    values = correlated(140, 8, 254 + variant)
    frame = pd.DataFrame(
        values,
        columns=[
            "X_Size",
            "Y_Size",
            "Area",
            "Perimeter",
            "Luminosity",
            "Edges",
            "Thickness",
            "Orientation",
        ],
    )
    for k, fault in enumerate(faults.split()):
        frame[fault] = (which == k).astype(int)
    mark = Mark(
        values=values,
        labels=write.words(which, faults),
        exact_names=False,
        must_ask=frozenset({"roles", "classes_from"}),
        may_ask=frozenset({"scale"}),
        answers={"roles": dict.fromkeys(faults.split(), "class")},
    )
    return Case("faults.csv", write.csv(frame), mark)


@kind(
    "a phone's accelerometer with the activity", group="machines", never="The clock is a feature."
)
def accelerometer(variant: int) -> Case:
    values = correlated(240, 3, 256 + variant, 2)
    names = (["ax", "ay", "az"], ["accel_x", "accel_y", "accel_z"])[variant]
    frame = pd.DataFrame(values, columns=names)
    labels = write.words(np.arange(240) // 20 % 3, "sit walk run")
    frame.insert(
        0,
        ("timestamp", "time")[variant],
        1715940000000 + 20 * np.arange(240) if variant == 0 else (np.arange(240) * 0.02).round(2),
    )
    frame["activity"] = labels
    mark = Mark(
        values=values,
        labels=labels,
        may_ask=frozenset({"roles", "features"}),
        answers={"roles": dict.fromkeys(names, "feature"), "features": "columns"},
    )
    return Case("phone.csv", write.csv(frame), mark)


# --- speech ---------------------------------------------------------------------------------------


@kind("coefficients of sound with a file name and a label", group="speech", plain=True)
def cepstra(variant: int) -> Case:
    d = (13, 20)[variant]
    values = (correlated(90, d, 260 + variant, 5) - 10).round(4)
    labels = mixed(90, "blues jazz rock" if variant == 0 else "angry calm", 260)
    frame = pd.DataFrame(
        values, columns=[f"mfcc_{k}" if variant else f"mfcc{k + 1}" for k in range(d)]
    )
    frame.insert(0, "filename", [f"clip.{k:05d}.wav" for k in range(90)])
    frame["label"] = labels
    return Case("sound.csv", write.csv(frame), Mark(values=values, labels=labels, also=("axis",)))


@kind(
    "openSMILE's ARFF with a name in front",
    group="speech",
    never="It is refused for its column of strings.",
)
def opensmile_arff(variant: int) -> Case:
    values = correlated(60, 6, 262 + variant)
    labels = mixed(60, "anger joy", 262)
    names = [
        "pcm_RMSenergy_sma_max",
        "F0_sma_mean",
        "zcr_sma_mean",
        "voicing_mean",
        "jitter",
        "shimmer",
    ]
    head = [
        "@relation openSMILE_features",
        "",
        "@attribute name string",
        *[f"@attribute {name} numeric" for name in names],
        "@attribute class {anger,joy}",
        "",
        "@data",
        "",
    ]
    rows = [
        ",".join(
            [f"'call{k:03d}.wav'" if variant == 0 else f"'unknown {k}'", *map(str, row), label]
        )
        for k, (row, label) in enumerate(zip(values.tolist(), labels, strict=True))
    ]
    mark = Mark(values=values, labels=labels, may_refuse="string|strings")
    return Case("emotion.arff", "\n".join([*head, *rows, ""]).encode(), mark)


@kind(
    "frames of several recordings",
    group="speech",
    never="Recordings are classes and the time of a frame a feature.",
)
def frames_of_recordings(variant: int) -> Case:
    n, d = ((5, 30), (8, 25))[variant]
    values = correlated(n * d, 5, 264 + variant)
    frame = pd.DataFrame(values, columns=["F0final", "voicing", "loudness", "zcr", "hnr"])
    frame.insert(0, "frameTime", np.tile((np.arange(d) * 0.01).round(2), n))
    frame.insert(0, "name", np.repeat([f"rec{k + 1}.wav" for k in range(n)], d))
    mark = Mark(must_ask=frozenset({"pivot", "roles", "classes_from"}))
    return Case("lld.csv", write.csv(frame, (";", ",")[variant]), mark)


@kind("vowels by speakers", group="speech", never="Sex is the class, vowels are thrown away.")
def vowels(variant: int) -> Case:
    rng = write.generator(variant, 266)
    n = (120, 160)[variant]
    which, persons = np.arange(n) % 8, np.arange(n) // 8 % 10
    values = np.column_stack(
        [
            rng.normal(150, 30, n),
            rng.normal(500, 100, n),
            rng.normal(1500, 200, n),
            rng.normal(2500, 200, n),
        ]
    ).round(1)
    frame = pd.DataFrame(values, columns=["F0", "F1", "F2", "F3"])
    labels = write.words(which, "iy ih eh ae ah uw uh er")
    frame.insert(0, "vowel", labels)
    frame.insert(0, "sex", write.words(persons % 2, "f m"))
    if variant:
        frame.insert(0, "speaker", [f"spk{k}" for k in persons])
    mark = Mark(
        values=values,
        labels=labels,
        must_ask=frozenset({"classes_from", "roles"}) if variant else frozenset(),
        may_ask=frozenset({"scale", "classes_from", "roles"}),
        answers={"classes_from": "vowel"},
    )
    return Case("formants.csv", write.csv(frame, (",", "\t")[variant]), mark)


@kind(
    "letters spoken, no names, the class as a fraction at the end",
    group="speech",
    never="The class is one more feature.",
)
def spoken_letters(variant: int) -> Case:
    n, d = ((160, 60), (120, 40))[variant]
    rng = write.generator(variant, 267)
    codes = rng.permutation(np.arange(n) % (8, 5)[variant]) + 1
    values = (rng.uniform(-0.5, 0.5, (n, d)) + 0.05 * codes[:, None]).round(4)
    rows = [
        [*[f"{value:.4f}" for value in row], f"{code}."]
        for row, code in zip(values, codes, strict=True)
    ]
    mark = Mark(
        values=values,
        labels=write.texts(codes),
        also=("axis",),
        may_ask=frozenset({"classes_from", "roles"}),
        answers={"classes_from": str(d)},
    )
    return Case("isolet.csv", write.lines(rows, ", "), mark)


# --- offices and habits of spreadsheets -----------------------------------------------------------


@kind("prices of a share", group="offices", plain=True)
def share(variant: int) -> Case:
    rng = write.generator(variant, 270)
    close = (100 + rng.normal(size=180).cumsum()).round(2)
    values = np.column_stack([close - 1, close + 2, close - 3, close]).round(2)
    values = (values + rng.random(values.shape)).round(2)
    names = (["Open", "High", "Low", "Close"], ["open", "high", "low", "close"])[variant]
    frame = pd.DataFrame(values, columns=names)
    dates = pd.bdate_range("2023-06-01", periods=180)
    frame.insert(0, ("Date", "date")[variant], dates.strftime(("%Y-%m-%d", "%m/%d/%Y")[variant]))
    return Case("share.csv", write.csv(frame), Mark(values=values))


@kind(
    "an id, a target of 0 and 1, and features",
    group="offices",
    never="The id is a feature; the target too.",
)
def competition(variant: int) -> Case:
    rng = write.generator(variant, 271)
    values = rng.random((150, 30)).round(4)
    codes = rng.permutation((np.arange(150) % 3 == 0).astype(int))
    frame = pd.DataFrame(values, columns=[f"{('feat_', 'var_')[variant]}{k}" for k in range(30)])
    frame.insert(0 if variant == 0 else 30, "target", codes)
    frame.insert(
        0,
        ("id", "ID_code")[variant],
        np.arange(150) if variant == 0 else [f"train_{k}" for k in range(150)],
    )
    mark = Mark(
        values=values,
        labels=write.texts(codes),
        may_ask=frozenset({"classes_from"}),
        answers={"classes_from": "target"},
        also=("axis",),
    )
    return Case("train.csv", write.csv(frame), mark)


@kind("words of messages counted", group="offices", plain=True)
def word_counts(variant: int) -> Case:
    rng = write.generator(variant, 272)
    words = (
        "free win call text now claim prize mobile love home come later soon phone",
        "offer money credit order click meeting report lunch team budget",
    )[variant].split()
    counts = rng.poisson(rng.gamma(0.7, 1, len(words)), (150, len(words)))
    labels = mixed(150, "ham spam", 272)
    frame = pd.DataFrame(counts, columns=words)
    frame.insert(0 if variant == 0 else len(words), "label", labels)
    return Case("messages.csv", write.csv(frame), Mark(values=counts, labels=labels))


@kind("text of Excel in its own encodings", group="offices", variants=3, plain=True)
def encodings(variant: int) -> Case:
    values = correlated(50, 4, 273 + variant)
    labels = mixed(50, "größer kleiner", 273)
    frame = pd.DataFrame(values, columns=["Länge µm", "Fläche m²", "Temp °C", "Höhe"])
    frame["Klasse"] = labels
    text = write.csv(frame, ("\t", ";", ",")[variant]).decode()
    encoding = ("utf-16", "latin-1", "utf-8-sig")[variant]
    name = ("unicode.txt", "ansi.csv", "utf8.csv")[variant]
    return Case(
        name, text.replace("\n", "\r\n").encode(encoding), Mark(values=values, labels=labels)
    )


@kind("empty columns and rows at the edges", group="offices", plain=True)
def empty_edges(variant: int) -> Case:
    values = correlated(60, 4, 276 + variant)
    labels = mixed(60, "pass fail", 276)
    rows = [[*row, label, "", ""] for row, label in zip(values.tolist(), labels, strict=True)]
    head = ["width", "depth", "mass", "gap", "class", "", ""]
    empty = [[""] * 7] * 3
    if variant:
        rows = [["", *row[:-2]] for row in rows]
        head = ["", *head[:-2]]
        empty = [[""] * 6] * 2
    return Case("edges.csv", write.lines([head, *rows, *empty]), Mark(values=values, labels=labels))


@kind(
    "points for thousands and commas for fractions",
    group="offices",
    never="1.234,5 is text, or a thousandth of it.",
)
def european_thousands(variant: int) -> Case:
    values = (correlated(60, 4, 278 + variant) * (317, 41)[variant]).round(2)
    cells = [
        [f"{value:,.2f}".translate(str.maketrans(",.", ".,")) for value in row] for row in values
    ]
    labels = mixed(60, "Nord Süd", 278)
    rows = [[*row, label] for row, label in zip(cells, labels, strict=True)]
    head = ["Umsatz", "Kosten", "Steuer", "Rest", "Klasse"]
    sep = (";", "\t")[variant]
    return Case(
        ("umsatz.csv", "umsatz.txt")[variant],
        write.lines([head, *rows], sep),
        Mark(values=values, labels=labels),
    )


@kind("vectors of a network with their labels", group="offices", plain=True)
def embeddings(variant: int) -> Case:
    rng = write.generator(variant, 280)
    n, d = ((100, 32), (120, 24))[variant]
    which = rng.permutation(np.arange(n) % 4)
    values = (rng.normal(size=(4, d))[which] + rng.normal(size=(n, d))).round(4)
    labels = write.words(which, "cat dog fox owl")
    if variant == 0:
        frame = pd.DataFrame(values, columns=[f"dim_{k}" for k in range(d)])
        frame["label"] = labels
        content, name = write.csv(frame, "\t"), "embeddings.tsv"
    else:
        content = write.npz(embeddings=values.astype(np.float32), labels=np.array(labels))
        name = "embeddings.npz"
    return Case(name, content, Mark(values=values, labels=labels, also=("axis",)))


@kind("cells padded with blanks", group="offices", plain=True)
def padded_cells(variant: int) -> Case:
    values = correlated(50, 4, 281 + variant)
    labels = mixed(50, "red green", 281)
    rows = [
        [f"{value:9.2f}" for value in row] + [f" {label}"]
        for row, label in zip(values, labels, strict=True)
    ]
    head = ["   alpha", "    beta", "   gamma", "   delta", " class"]
    content = write.lines([head, *rows], ("  ", ",")[variant])
    return Case(("fixed.txt", "padded.csv")[variant], content, Mark(values=values, labels=labels))
