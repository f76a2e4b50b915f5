"""Words that files use: for missing cells, roles of columns and arrays, units, axes and keys.

All words are folded as `fold` folds a name: small letters without accents, parts joined by ``_``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final, Literal

Topic = Literal[
    "class", "class stem", "weak class", "target", "sure target", "name", "row id", "person",
    "clock", "split", "weight", "count", "background", "price", "event", "feature key",
    "sample key", "feature axis", "about features", "statistic", "sample name", "replicate", "line",
]  # fmt: skip


def fold(name: str) -> str:
    """Return a name in small letters without accents, its parts joined by ``_``."""
    if name.isalnum() and name.isascii() and (name.islower() or name.isupper()):
        return name.lower()  # as nearly all of many thousands are
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
        text = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return re.sub(r"[\W_]+", "_", text.lower()).strip("_")


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text, folded."""
    return frozenset(map(fold, words.split()))


MISSING_CELLS = frozenset(
    ["", "na", "n/a", "#n/a", "nan", "null", "none", "?", ".", "-", "nd", "n.d.", "bdl", "#div/0!",
     "#value!", "#ref!", "#num!", "#name?", "#null!", "<na>", "missing", "<undefined>"]
)  # fmt: skip

_WORDS: dict[Topic, str] = {
    "class": """
        class classes label labels species diagnosis cultivar variety y_true
        class_label class_name classlabel target_class
        klasse klassenname etikett diagnose art_name classe etiquette espece clase etiqueta especie
        diagnostico specie categoria klass klasa luokka sinif kelas kategorie gnd labs
        类别 标签 クラス ラベル класс метка""",
    "class stem": "class label klasse classe",
    "weak class": """
        type group condition status outcome phenotype category subtype cluster kind survived survive
        alive churn attrition default spam purchase result treatment disease identity digit target
        origin stage grade site genotype pathology activity emotion gesture deny response y
        labels_id state_of_health tissue quality sp case died death low direction card accept
        low_bwt product cell_type celltype leiden louvain seurat_clusters
        gruppe grupo groupe gruppo groep kategori categorie""",
    "target": """
        target response y_true dependent octane yield survival target_value regression_target
        ground_truth zielgrosse zielwert ziel cible objetivo obiettivo 目标""",
    "sure target": """
        target y_true target_value regression_target zielgrosse zielwert cible objetivo
        obiettivo""",
    "name": """
        id ids idx index no nr nro rownames row_names rowname row name names sample sampleid samples
        sample_name uid uuid key barcode filename file path url accession probe probeid gene geneid
        gene_id symbol gene_symbol id_ref probe_id pid fid iid patient_id unnamed_0 unnamed case_id
        image_id record entrez entrezid entrez_id row_id userid patientid customerid subjectid
        cell_id cell obs case feature metabolite compound protein abbrev code isbn zip
        objid obj_id objectid object_id specobjid spec_obj_id specobj_id source_id object_number
        image_number
        nombre nom naam namn nome nimi muestra echantillon campione 样本 编号 имя номер""",
    "row id": """
        id ids uid uuid idx rownames row_names sampleid unnamed_0 unnamed barcode objid
        specobjid""",
    "person": """
        subject person patient participant speaker animal dog individual rater proband
        versuchsperson sujet sujeto""",
    "clock": """
        date datetime time timestamp year month day hour minute second week quarter epoch frame scan
        cycle elapsed timepoint tick t x_value
        zeit datum uhrzeit jahr monat tag stunde fecha hora ano mes dia heure date_heure annee mois
        jour an data ora anno mese giorno tijd jaar maand dag 时间 日期 年 дата время год""",
    "split": """
        split fold folds usage partition subset train_test traintest is_train istrain is_test train
        test cv cvfold fold_id set dataset""",
    "weight": """
        weights sample_weight sampleweight case_weight fnlwgt survey_weight pweight freq frequency
        gewichtung haufigkeit ponderation frecuencia expansion_factor""",
    "count": "count n num number_of_cases cases anzahl nombre_de effectif conteo",
    "background": """
        sex gender race ethnicity country state city region island county continent town smoker
        smoke marital education occupation department batch plate lane run_id instrument scanner
        operator geschlecht sexe sexo land pays pais""",
    "price": """
        price sale_price saleprice salary wage cost medv score charges income rating preis prix
        precio prezzo""",
    "event": "status event cens censored censoring delta death dead died relapse",
    "feature key": """
        gene geneid gene_id symbol gene_symbol probe probeid probe_id id_ref feature metabolite
        compound protein peptide otu otu_id taxon variable protein_id protein_ids
        protein_group protein_groups majority_protein_ids protein_accession proteins uniprot
        uniprot_id gene_names gene_name peptide_sequence stripped_sequence wavelength
        wavenumber mz name_of_gene ilmnid gen ensembl ensembl_id ensembl_gene_id ensembl_gene
        gene_short_name clade_name hybridization_ref""",
    "sample key": "sample patient cell barcode subject spot",
    "line": """
        channel channels ch chan electrode electrodes sensor lead time times time_ms t latency
        freq frequency freqs band bands point landmark joint marker region roi position component
        elektrode kanal canal zeit tiempo temps""",
    "feature axis": """
        mz m_z row_m_z wavelength wavenumber retention_time rt wavelength_nm""",
    "replicate": """
        replicate replicates rep repl technical_replicate tech_rep bio_rep biological_replicate
        injection replikat wiederholung messung replica repeticion repetition""",
    "sample name": """
        sample samples sample_id sampleid sample_name specimen specimen_id probe_nr probenname
        muestra echantillon campione""",
    "about features": """
        entrez entrez_id entrezid entrezgene gene_length length effective_length chr chrom
        chromosome
        start end strand gc_content eff_length
        mzmed mzmin mzmax rtmed rtmin rtmax mz_med mz_min mz_max rt_med
        rt_min rt_max npeaks n_peaks average_mz average_rt charge adduct exact_mass mol_weight
        molecular_weight peptides unique_peptides razor_unique_peptides sequence_coverage score
        coverage temperature temp""",
    "statistic": """
        mean avg average median sd std stdev stddev se sem cv rsd var variance stat wald lfc_se fc
        log_fc logfc lfc log2fc log2_fc fold_change log2_fold_change log2foldchange log2fold_change
        base_mean basemean ave_expr aveexpr log_cpm logcpm p pval p_val pvalue p_value padj p_adj
        p_val_adj adj_p_val adj_pval adjusted_p_value fdr q qval q_value qvalue""",
}
SPLIT_CELLS = word_set(
    """
    train test val valid validation training testing dev eval holdout learn cal calibration
    publictest privatetest public_test private_test trainset testset prediction query gallery"""
)

PLACE_PAIRS = (
    ("x", "y"), ("lat", "lon"), ("lat", "lng"), ("lat", "long"), ("latitude", "longitude"),
    ("latitud", "longitud"), ("northing", "easting"), ("row", "col"), ("row", "column"),
    ("breite", "lange"), ("hochwert", "rechtswert"), ("zeile", "spalte"), ("fila", "columna"),
    ("ra", "dec"), ("raj2000", "dej2000"), ("ligne", "colonne"), ("spatial_1", "spatial_2"),
)  # fmt: skip
PLACE_PARTS = word_set(
    """
    centroid center centre pos position map array px pixel pxl coord coordinate img image um
    micron spatial in imagerow imagecol loc location"""
)

SUMMARY_WORDS = word_set(
    """
    total totals grand_total sum mean average avg median std stdev standard_deviation count
    summe gesamt gesamtsumme durchschnitt mittelwert standardabweichung anzahl
    moyenne somme ecart_type promedio suma totale somma gemiddelde totaal"""
)
"""Words in front of a row that sums up those above it; ``Max`` and ``Media`` are names, too."""

SPREAD_WORDS = word_set("sd sem cv rsd var min max n")
"""Words that do so beside one of `SUMMARY_WORDS`."""

AXIS_UNITS = frozenset(
    ["nm", "um", "µm", "μm", "cm-1", "cm^-1", "cm⁻¹", "1/cm", "cm1", "hz", "khz", "mhz", "ghz",
     "ppm", "ev", "kev", "mev", "s", "sec", "ms", "us", "min", "h", "m/z", "da", "k", "°c", "degc",
     "deg", "°", "å", "mm", "km", "v", "mv", "thz"]
)  # fmt: skip
TIME_UNITS = frozenset(["s", "sec", "ms", "us", "min", "h", "k", "v", "mv", "km", "mm", "m"])
"""Units of clocks, temperatures and settings, which rise along samples as well."""

SPECTRAL_WORDS = word_set(
    """
    wavelength wavelengths wavenumber wavenumbers wellenlange wellenlänge wellenzahl raman longueur
    onda nanometers theta"""
)
"""Words of a name that say that a column is the axis of spectra."""

AXIS_PREFIXES = word_set(
    """
    wl wavelength wave wn wavenumber mz m_z freq frequency nm nir ir raman ppm spc spec spectrum
    lambda band absorbance reflectance refl nmr intensity lam rt time t theta two_theta q energy
    temp"""
)

_AXIS_QUANTITIES: Final = {
    "wavelength": "wavelength wavelengths wave wavs wl wls wvl wvls lambda lambdas lam nm",
    "wavenumber": "wavenumber wavenumbers wn raman raman_shift",
    "frequency": "freq freqs frequency frequencies hz",
    "energy": "energy energies ev",
    "chemical shift": "ppm nmr chemical_shift",
    "m/z": "mz m_z mass masses da",
    "place in the spectrum": "nir ir spc spec spectrum absorbance reflectance refl intensity",
    "time": "rt time t tof",
    "temperature": "temp",
    "angle": "theta two_theta",
}
_QUANTITY_OF_WORD: Final = {
    word: quantity for quantity, words in _AXIS_QUANTITIES.items() for word in words.split()
}


def quantity_of(words: Iterable[str]) -> str:
    """Return which quantity of an axis the words of a name say; empty where they say none."""
    return next((_QUANTITY_OF_WORD[word] for word in words if word in _QUANTITY_OF_WORD), "")


SAMPLE_NAME = re.compile(
    r"(sample|smp|s|gsm|patient|pat|p|tcga|donor|ctrl|ctl|control|case|wt|ko|rep|cell|run|mouse|"
    r"tumou?r|normal|probe|muestra|subject|sub)[\W_]*\d+.*|.*\.(bam|cel|raw|mzml|fcs)",
    re.IGNORECASE,
)
FEATURE_NAME = re.compile(
    r"(ens[a-z]*[gtp]\d{6,}(\.\d+)?(_PAR_Y)?|cg\d{6,}|rs\d{3,}|\d+(_[sxa])?_at|"
    r"(hsa|mmu)-(mir|let).*|ilmn_\d+|[A-Z][A-Z0-9-]*\|\d+|[ACGTN]{20,}|"
    r"m\d+t\d+|otu[_ ]?\d+|(gene|met|prot|feat|asv|mir|feature)[_\- ]?\d+)",
    re.IGNORECASE,
)
ENSEMBL_GENE = re.compile(r"ENS[A-Z]{0,4}G\d{11}(?!\d)")
"""Start of an Ensembl gene identifier, of human or another species."""

GENE_SYMBOL = re.compile(r"[A-Z]{2,6}\d{1,2}[A-Z]?\d?", re.IGNORECASE)
"""A short name as genes have, and others too: Row1, ST01."""

WELL = re.compile(r"(?P<row>[A-P])0?(?P<column>[1-9]|1\d|2[0-4])")
"""A well of a plate."""

NO_GENE = re.compile(
    r"__(no_feature|ambiguous|too_low_aqual|not_aligned|alignment_not_unique)|"
    r"N_(unmapped|multimapping|noFeature|ambiguous)",
    re.IGNORECASE,
)
"""Names of rows that count reads of no gene, as HTSeq and STAR write them."""

LINEAGE = re.compile(r"(.*[;|,]\s*)?[kdpcofgs]__.*", re.IGNORECASE)
"""A taxon by the names of all that it belongs to, such as ``k__Bacteria;p__Firmicutes``."""

LINEAGE_WORDS = word_set("taxonomy taxon taxa lineage phylum")
"""Words of the name of a column of lineages, whose ranks need no prefix."""

_QUANTITIES: Final = (
    "lfq[ _]intensity", "maxlfq[ _]intensity", "reporter[ _]intensity[ _]corrected",
    "reporter[ _]intensity", "abundances? \\(normalized\\)", "ibaq", "intensity",
    "peak[ _]area", "peak[ _]height", "pg[.]quantity", "abundances?",
    "spectral[ _]counts?", "area", "counts?", "fpkm", "tpm",
)  # fmt: skip
QUANTITY_NAMES = tuple(
    re.compile(rf"{words}[ _.:]+(?P<after>.*\S)|(?P<before>\S.*?)[ _.:]+{words}", re.IGNORECASE)
    for words in _QUANTITIES
)
"""Names of columns that hold one quantity of one sample each, the likeliest quantity first."""

QUANTITY_STEMS = ("intensity", "abundance", "ibaq", "area", "height", "quantity", "count", "pm")
"""Parts of all `QUANTITY_NAMES`, in small letters: a name without any is of no quantity."""

# Short words that mean a role when they stand alone, and nothing at the end of a longer name.
_ONLY_ALONE = frozenset(["y", "t", "n", "an", "no", "data", "sp", "low", "in"])


WORDS: dict[Topic, frozenset[str]] = {topic: word_set(words) for topic, words in _WORDS.items()}


def is_word_of(folded: str, topic: Topic) -> bool:
    """Whether a folded name is a word of this topic."""
    return folded in WORDS[topic]


def ends_in_word_of(folded: str, topic: Topic) -> bool:
    """Whether a folded name, or its last part, is a word of this topic."""
    if folded in WORDS[topic]:
        return True
    last = folded.rpartition("_")[2]
    return folded.count("_") <= 2 and last in WORDS[topic] and last not in _ONLY_ALONE


# Names of arrays: of labels, of an axis, of what lies beside the samples

AXIS_WORDS: Final = frozenset(
    {
        "axis", "band", "bands", "da", "energies", "energy", "ev", "freq", "freqs", "frequencies",
        "frequency", "hz", "lambda", "lambdas", "mass", "masses", "mz", "nm", "nu", "ppm", "q",
        "raman", "shift", "shifts", "theta", "tof", "w", "wave", "wavelength", "wavelengths",
        "wavenumber", "wavenumbers", "wavs", "wl", "wls", "wn", "wvl", "wvls", "xaxis",
    }
)  # fmt: skip
"""Words by which a name declares that a vector is the axis of the features."""

LABEL_NAMES: Final = (
    "gnd", "y", "labels", "label", "target", "targets", "class", "classes", "subject", "person",
    "species", "cell_type", "celltype", "fine_labels", "coarse_labels", "group", "condition",
    "conditions", "event", "events", "diagnosis", "phenotype", "category", "genus",
)  # fmt: skip
"""Names of labels, the most certain first."""

_CLASS_WORDS_ABROAD: Final = word_set(
    """
    klasse klassen klassenname etikett classe etiquette clase etiqueta klass klasa luokka sinif
    kelas 类别 标签 クラス ラベル класс метка"""
)
"""Names of labels in other languages than English."""

ROLES_BESIDE: Final = frozenset(
    {
        "age", "batch", "date", "day", "fold", "frame", "id", "ids", "idx", "index", "indices",
        "mask", "n", "nclass", "order", "partition", "perm", "sample_weight", "set", "sex", "site",
        "split", "splits", "t", "time", "times", "timestamp", "usage", "weight", "weights", "year",
    }
)  # fmt: skip
"""Names of what is neither class nor feature: offered, never taken."""

PIXEL_WORDS: Final = frozenset(["pixels", "pixel", "image", "img", "images"])
"""Names of a column each cell of which holds the pixels of a picture."""

BESIDE_NAMES: Final = frozenset(
    {"latencies", "latency", "sampleinfo", "t", "time", "times", "timestamp", "trialinfo"}
)
"""Words of a name that declare an array to say when, or of what kind, samples are."""

_WORD_OF_NAME: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in small letters: of ``yTrain``, ``y_train``, ``y.train``."""
    return tuple(word.lower() for word in _WORD_OF_NAME.findall(name))


def label_rank(name: str) -> int | None:
    """Return how certainly a name is one of labels, 0 the most; None if it is none."""
    last = re.split(r"[./]", name)[-1]
    lower = last.lower()
    if lower in LABEL_NAMES:
        return LABEL_NAMES.index(lower)
    # Without the word that says which part of a set they are.
    parts = ("train", "training", "trn", "test", "testing", "tst", "val", "valid", "validation")
    rest = [word for word in words_of(last) if word not in parts]
    joined = re.sub("^(train|trn|test|tst|val)|(train|trn|test|tst|val)$", "", lower).strip("_.")
    for candidate in ("_".join(rest), joined, rest[-1] if len(rest) > 1 else ""):
        if candidate in LABEL_NAMES:
            return len(LABEL_NAMES) + LABEL_NAMES.index(candidate)
    return 2 * len(LABEL_NAMES) if fold(last) in _CLASS_WORDS_ABROAD else None


def is_label_name(name: str) -> bool:
    """Whether a name declares that an array holds labels."""
    return label_rank(name) is not None


# Names of arrays and files: of samples, of the parts of a set

DATA_NAMES: Final = ("x", "fea", "data", "dat", "images", "features", "faces")
"""Names of samples, the most certain first."""

_PARTS: Final = "training|train|trn|testing|test|tst|validation|valid|val|dev"
_PART: Final = re.compile(rf"(?:^|[_.\s/])({_PARTS})(?=$|[_.\s\d/])|^({_PARTS})|({_PARTS})$")
"""Word of a name that says which part of a set an array is."""


def part_and_stem(name: str) -> tuple[str, str]:
    """Return which part of a set a name says an array is, and the name without that word."""
    lower = name.lower()
    match = _PART.search(lower)
    if match is None:
        return "", lower
    word = next(group for group in match.groups() if group)
    start = match.start() if not match.group(1) else match.start(1)
    stem = f"{lower[:start]}_{lower[start + len(word) :]}"
    return word, re.sub(r"[_.\s/]+", "_", stem).strip("_")


def part_of_name(name: str) -> str:
    """Return the word by which a name says which part of a set an array is; empty without one."""
    return part_and_stem(name)[0]


def part_order(word: str) -> int:
    """Return the place of a part: training first, then validation, then test."""
    return 0 if word.startswith("tr") else 2 if word.startswith("t") else 1
