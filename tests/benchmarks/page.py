"""What a page's fit costs beside the estimator's, and films: processor seconds, one BLAS thread.

    python -m tests.benchmarks.page [--against /path/to/another/checkout] [--repetitions 3]

A page's fit has the reduction of its data at hand, and so has the estimator's here. They take
turns in one process, and so do fits and films of another checkout, in processes of their own.
Ratios are of minima. The exit status is 1 when a page's fit takes more than 1.3 of the estimator's
or, beside another checkout, more than a quarter of the time on COIL20, or a film of the faces more
than 0.4.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
MOST = 1.3
MOST_BESIDE = {("page", "COIL20"): 0.25, ("film", "faces"): 0.4}
WORK = (("page", "faces"), ("page", "ORL"), ("page", "COIL20"), ("film", "faces"))


def data_set(name):
    """A set by its name, built in or real."""
    from cspca.datasets import Dataset, load
    from tests import real_data

    return Dataset(real_data.pixels(name), name=name) if name in real_data.FILES else load(name)


def page(name):
    """Print seconds of a page's fit with its defaults, and of the estimator's."""
    from cspca import CSPCA
    from cspca.experiments.fit import Fit
    from cspca.experiments.live import LiveFit, follow
    from cspca.experiments.memory import reduction

    dataset, fit = data_set(name), Fit()
    reduced = reduction(dataset, fit.center, fit.normalize)
    began = time.process_time()
    follow(LiveFit(fit, dataset.sha256), dataset, stop=lambda: False, publish=lambda moment: None)
    fitted = time.process_time()
    for _ in CSPCA(fit.alpha, fit.beta, tol=fit.tol).iterate(dataset.data, reduced=reduced):
        pass
    print(fitted - began, time.process_time() - fitted)


def film(name):
    """Print seconds of a film along α from where the page begins, the reduction included."""
    from cspca.experiments.film import FilmService
    from cspca.experiments.fit import Fit
    from cspca.experiments.jobs import JobRegistry
    from cspca.experiments.live import FitService
    from cspca.experiments.memory import DatasetLibrary

    dataset, library = data_set(name), DatasetLibrary()
    began = time.process_time()
    films = FilmService(FitService(library, JobRegistry()), JobRegistry(max_workers=1))
    job = films.start(library.add(dataset), Fit(alpha=0.1, beta=0.02), dataset.sha256, "alpha")
    # One that nobody looks at would be stopped.
    while films.jobs.view(job).active:
        films.jobs.join(job, 0.1)
    print(time.process_time() - began)


def work(what, name):
    """Do one piece of work."""
    from threadpoolctl import threadpool_limits

    from cspca.experiments.live import prepare

    prepare()
    with threadpool_limits(1):
        {"page": page, "film": film}[what](name)


def seconds_of(checkout, what, name):
    """Processor seconds of a piece of work by the package of a checkout."""
    # The benchmark is that of this checkout.
    environment = os.environ | {"PYTHONPATH": f"{checkout}{os.pathsep}{REPOSITORY}"}
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--work", what, name],
        env=environment, cwd="/", stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return [float(seconds) for seconds in done.stdout.split()]


def main() -> int:
    """Measure and print; 1 when a demand is missed."""
    from tests import real_data
    from tests.benchmarks.measure import demand

    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.page")
    parser.add_argument("--against", type=Path, help="another checkout, which takes turns")
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args()
    checkouts = [REPOSITORY]
    if options.against is not None:
        checkouts.append(options.against.resolve())
    met = True
    for what, name in WORK:
        if (reason := real_data.why_absent(name)) is not None:
            print(f"{name}: {reason}")
            continue
        turns = [
            [seconds_of(checkout, what, name) for checkout in checkouts]
            for _ in range(options.repetitions)
        ]
        ours, *theirs = (
            [min(column) for column in zip(*runs, strict=True)] for runs in zip(*turns, strict=True)
        )
        if what == "page":
            ratio = ours[0] / ours[1]
            sentence = f"{name}: a page's fit {ours[0]:.3f} s, {ratio:.3f} of the estimator's"
            met &= demand(f"{sentence}, at most {MOST:g}", met=ratio <= MOST)
        else:
            print(f"          a film of {name}: {ours[0]:.3f} s")
        for other in theirs:
            ratio, most = ours[0] / other[0], MOST_BESIDE.get((what, name), float("inf"))
            sentence = f"{what} of {name}: {ratio:.3f} of the other checkout's {other[0]:.3f} s"
            met &= demand(f"{sentence}, at most {most:g}", met=ratio <= most)
    return int(not met)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
    else:
        sys.exit(main())
