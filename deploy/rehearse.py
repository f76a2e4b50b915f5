"""Do what the Containerfile does, in a clean folder and as a user without rights; say what fails.

``python3 deploy/rehearse.py`` copies what the image has, installs what the lock pins, starts the
server as the container does, asks whether it is well, copies its store, and stops it. Begun
by root the server is user 10001, who may write its data alone; begun by others, whoever they are.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
STEPS = re.sub(r"\\\n\s*", "", (REPOSITORY / "deploy" / "Containerfile").read_text())
PORT = "8599"


def given(word: str) -> list[str]:
    """What the Containerfile gives to an instruction, each time."""
    return re.findall(rf"^{word} (.*)$", STEPS, re.MULTILINE)


def unprivileged() -> dict[str, object]:
    """How a child gives up all rights."""
    if os.geteuid() != 0:
        return {}
    user, group = map(int, given("USER")[-1].split(":"))
    return {"user": user, "group": group, "extra_groups": []}


def main() -> None:
    """Rehearse."""
    with tempfile.TemporaryDirectory(prefix="studio-") as name:
        place = Path(name)
        place.chmod(0o755)
        studio, data, home = place / "studio", place / "data", place / "tmp"
        for folder in (data, home):
            folder.mkdir(mode=0o700)
            if rights := unprivileged():
                os.chown(folder, rights["user"], rights["group"])
        for step in given("COPY"):
            *sources, target = shlex.split(step)
            for source in sources:
                _copy(REPOSITORY / source, studio / target, target.endswith("/"))
        print("copied", flush=True)
        subprocess.run([sys.executable, "-m", "venv", place / "env"], check=True)
        (install,) = (step for step in given("RUN") if step.startswith("pip install"))
        pip, *how = shlex.split(install)
        subprocess.run([place / "env" / "bin" / pip, "-q", *how], cwd=studio, check=True)
        print("installed", flush=True)
        _serve(place, studio, data, home)


def _copy(source: Path, target: Path, into: bool) -> None:
    target = target / source.name if into else target
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def _serve(place: Path, studio: Path, data: Path, home: Path) -> None:
    said = dict(one.split("=", 1) for step in given("ENV") for one in shlex.split(step))
    outside = {"/studio": str(studio), "/data": str(data), "/tmp": str(home)}
    variables = {
        name: re.sub("^(/studio|/data|/tmp)", lambda found: outside[found[0]], value)
        for name, value in said.items()
    }
    variables["PATH"] = f"{place / 'env' / 'bin'}:/usr/bin:/bin"
    command = [one.replace("8501", PORT) for one in json.loads(given("CMD")[-1].split("CMD ")[-1])]
    try:
        server = subprocess.Popen(command, cwd=studio, env=variables, **unprivileged())
    except PermissionError as error:
        raise SystemExit(
            f"Others than root cannot run {sys.executable}: begin this with a Python that "
            "everybody may run, such as /usr/bin/python3."
        ) from error
    try:
        address = f"http://127.0.0.1:{PORT}/healthz"
        ends = time.monotonic() + 120.0
        while True:
            try:
                with urllib.request.urlopen(address, timeout=20) as answer:
                    print("well:", answer.read().decode(), flush=True)
                    break
            except OSError as error:
                if server.poll() is not None or time.monotonic() > ends:
                    raise SystemExit(f"It is not well: {error}") from error
                time.sleep(0.5)
        operate = [place / "env" / "bin" / "python", "-m", "cspca"]
        try_out = str(home / "try")
        for words in (
            ["admin", "who"],
            ["admin", "backup", str(data / "nightly.tar")],
            ["admin", "restore", str(data / "nightly.tar"), "--home", try_out],
            ["doctor", "--home", try_out],
        ):
            subprocess.run(
                [*operate, *words], cwd=studio, env=variables, check=True, **unprivileged()
            )
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        print("stopped", flush=True)
    if written := sorted(str(one) for one in studio.rglob("__pycache__")):
        raise SystemExit(f"It wrote where it must not: {written[:3]}")


if __name__ == "__main__":
    main()
