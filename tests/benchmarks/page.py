"""What a page's fit costs beside the estimator's, and films: processor seconds, one BLAS thread.

    python -m tests.benchmarks.page [--against /path/to/another/checkout] [--repetitions 3]

A page's fit has the reduction of its data at hand, and so has the estimator's here. They take
turns in one process, and so do fits and films of another checkout, in a process of its own that
works while the first one waits. Ratios are of minima. The exit status is 1 when a page's fit takes
more than 1.3 of the estimator's or, beside another checkout, more than a quarter of the time on
COIL20, or a film of the faces more than 0.4.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from threadpoolctl import threadpool_limits

from tests import real_data
from tests.benchmarks.film import made

MOST = 1.3
MOST_BESIDE = {"COIL20": 0.25, "film of faces": 0.4}
SETS = ("faces", "ORL", "COIL20")


def page(name):
    """Seconds of a page's fit with its defaults, and of the estimator's."""
    from cspca import CSPCA
    from cspca.experiments.fit import Fit
    from cspca.experiments.live import LiveFit, follow
    from cspca.experiments.memory import reduction

    dataset, asked, seconds = made(name), Fit(), []
    reduced = reduction(dataset, asked.center, asked.normalize)

    def by_page():
        first = LiveFit(asked, dataset.sha256)
        follow(first, dataset, stop=lambda: False, publish=lambda moment: None)

    def by_estimator():
        model = CSPCA(asked.alpha, asked.beta, tol=asked.tol)
        for _ in model.iterate(dataset.data, reduced=reduced):
            pass

    for work in (by_page, by_estimator):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return seconds


def film(name):
    """Seconds of a film along α, the reduction included."""
    from tests.benchmarks.film import measure

    began = time.process_time()
    measure(name, "alpha")
    return [time.process_time() - began]


WORK = {"page": page, "film": film}


class Worker:
    """A process with the package of one checkout, which does one piece of work at a time."""

    def __init__(self, checkout: Path) -> None:
        here = Path(__file__).resolve().parents[2]
        # The benchmark is that of this checkout, the package that of the other.
        environment = os.environ | {
            "PYTHONPATH": f"{checkout}{os.pathsep}{here}",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--work"],
            env=environment, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        package = Path(self.answer())
        if not package.is_relative_to(checkout):
            raise ValueError(f"The package that is measured is in {package}, not in {checkout}.")

    def answer(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("A process that measures has ended: its words are above.")
        return line.strip()

    def seconds(self, what: str, name: str) -> list[float]:
        """Processor seconds of one piece of work."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{what} {name}\n")
        self.process.stdin.flush()
        return [float(one) for one in self.answer().split()]

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


def at_work() -> None:
    """Do what is asked for, line by line."""
    import cspca
    from cspca.experiments.live import prepare

    prepare()
    print(Path(cspca.__file__).resolve(), flush=True)
    with threadpool_limits(1):
        for line in sys.stdin:
            what, name = line.split()
            print(*WORK[what](name), flush=True)


def main() -> int:
    """Measure and print; 1 when a demand is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.page")
    parser.add_argument("--against", type=Path, help="another checkout, which takes turns")
    parser.add_argument("--repetitions", type=int, default=3)
    wishes = parser.parse_args()
    checkouts = [Path(__file__).resolve().parents[2]]
    if wishes.against is not None:
        checkouts.append(wishes.against.resolve())
    workers = [Worker(checkout) for checkout in checkouts]
    met = True
    for what, name in [*(("page", one) for one in SETS), ("film", "faces")]:
        if (why := real_data.why_absent(name) if name in real_data.FILES else None) is not None:
            print(f"{name}: {why}")
            continue
        repetitions = wishes.repetitions + (what == "page")
        found = [[one.seconds(what, name) for one in workers] for _ in range(repetitions)]
        if what == "page":
            # The first time the data are reduced.
            found = found[1:]
        best = [
            [min(each) for each in zip(*runs, strict=True)] for runs in zip(*found, strict=True)
        ]
        if what == "page":
            ratio = best[0][0] / best[0][1]
            met &= _demand(f"{name}: a page's fit {best[0][0]:.3f} s", ratio, MOST)
        if len(workers) > 1:
            key = name if what == "page" else f"film of {name}"
            ratio, ours, theirs = best[0][0] / best[1][0], best[0][0], best[1][0]
            words = f"{key}: {ours:.3f} s beside {theirs:.3f} s of the other checkout"
            met &= _demand(words, ratio, MOST_BESIDE.get(key))
        elif what == "film":
            print(f"        film of {name}: {best[0][0]:.3f} s", flush=True)
    for one in workers:
        one.close()
    return int(not met)


def _demand(words: str, ratio: float, most: float | None) -> bool:
    met = most is None or ratio <= most
    mark = "      " if most is None else "met   " if met else "MISSED"
    asked = "" if most is None else f", at most {most:g}"
    print(f"{mark}  {words} (ratio {ratio:.3f}{asked})", flush=True)
    return met


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        at_work()
    else:
        sys.exit(main())
