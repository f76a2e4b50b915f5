"""Films from the first request to their first ten frames and to the last, and their bytes.

    python -m tests.benchmarks.film [--along alpha]

A line a data set: seconds on the wall and of CPU, one BLAS thread, the data's reduction included;
what the frames hold, what the maps do that rebuild images, and what a browser is sent.
"""

import argparse
import json
import os
import time

from threadpoolctl import threadpool_limits

from cspca.datasets import Dataset, load
from cspca.experiments.film import ALONG, FilmService
from cspca.experiments.fit import Fit
from cspca.experiments.jobs import JobRegistry
from cspca.experiments.ledger import memory_of
from cspca.experiments.live import FitService, prepare
from cspca.experiments.memory import DatasetLibrary
from cspca.figures.film import payload
from tests import real_data

SETS = {
    "faces": Fit(alpha=0.1, beta=0.02),
    "digits": Fit(alpha=0.4, beta=0.02),
    "motion": Fit(alpha=0.05, beta=0.02),
    "ORL": Fit(alpha=0.4, beta=0.02),
    "native ORL": Fit(alpha=0.4, beta=0.02),
}
"""Where the page begins with each."""

FIRST = 10


def made(name: str) -> Dataset:
    """A set by its name, built in or real."""
    if name not in real_data.FILES:
        return load(name)
    return Dataset(real_data.pixels(name), name=name)


def measure(name: str, along: str) -> str:
    """One film in words."""
    dataset, library = made(name), DatasetLibrary()
    fits = FitService(library, JobRegistry())
    films = FilmService(fits, JobRegistry(max_workers=1))
    began = time.perf_counter(), time.process_time()

    def since() -> str:
        wall, cpu = time.perf_counter() - began[0], time.process_time() - began[1]
        return f"{wall:6.2f} s ({cpu:5.2f} of CPU)"

    job = films.start(library.add(dataset), SETS[name], dataset.sha256, along)
    while len(films.jobs.view(job).snapshot.there) < FIRST:
        time.sleep(0.005)
    first = since()
    # One that nobody looks at would be stopped.
    while films.jobs.view(job).active:
        films.jobs.join(job, 0.1)
    whole, film = since(), films.jobs.view(job).snapshot
    maps = sum(memory_of(one) for _, one in fits.known.items())
    sent = len(json.dumps(payload(film)))
    return (
        f"{name:11} {FIRST} frames {first}, all {len(film.there)} {whole}, "
        f"{memory_of(film) / 1e3:,.0f} kB, maps {maps / 1e6:,.0f} MB, sent {sent / 1e3:,.0f} kB"
    )


def main() -> None:
    """Print a line a data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--along", choices=ALONG, default=ALONG[0])
    along = parser.parse_args().along
    prepare()
    with threadpool_limits(1):
        print(f"Along {along}; load of the machine {os.getloadavg()[0]:.1f}")
        for name in SETS:
            print(f"{name}: {why}" if (why := real_data.why_absent(name)) else measure(name, along))


if __name__ == "__main__":
    main()
