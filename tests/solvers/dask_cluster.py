"""A real Dask cluster for tests: a scheduler and its workers, each a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


class RealCluster:
    """What ``dask scheduler`` and ``dask worker`` start, with handles on their processes."""

    def __init__(self, scratch: Path, stack: ExitStack) -> None:
        self._scratch, self._stack = scratch, stack
        self.file = str(scratch / "scheduler.json")
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self, *options: str) -> None:
        """One more worker, of one thread."""
        own = str(self._scratch / f"worker-{len(self.workers)}")
        self.workers.append(
            self._start("worker", "--nthreads", "1", "--local-directory", own, *options)
        )

    def _start(self, role: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", role, "--no-dashboard"]
        command += ["--scheduler-file", self.file, *options]
        path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
        with (self._scratch / f"{role}.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=self._scratch,
                env=os.environ | {"PYTHONPATH": path},
                stdout=log,
                stderr=log,
            )
        self._stack.callback(_end, process)
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    # A terminated worker says farewell, and its nanny ends it; not every test leaves it able to.
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def real_cluster(scratch: Path, *options: str, count: int = 2) -> Iterator[RealCluster]:
    """A scheduler and `count` workers started with `options`."""
    scratch.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        cluster = RealCluster(scratch, stack)
        for _ in range(count):
            cluster.add_worker(*options)
        yield cluster
