"""Toy page: one control, the figures."""

from cspca.experiments.toymeans import ToyMeans

from cspca.ui import export, fields
from cspca.ui.experiment_page import ExperimentPage


def controls(dataset):
    fields.number(ToyMeans, "n_features")
    return fields.read(ToyMeans)


def body(outcome, dataset, run):
    for number, drawn in enumerate(outcome.figures().values()):
        export.show(drawn, f"toy_{number}", of=dataset.name, name="toy", heading=True)


ExperimentPage(
    kind=ToyMeans,
    button="Take the toy means",
    usual=lambda dataset: ToyMeans(),
    controls=controls,
    body=body,
    question="How large are the toy means?",
    lead="A toy page.",
).draw()
