"""What a department installs holds to the rules that keep a server in hand."""

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import yaml
from packaging.requirements import Requirement

from cspca.experiments.limits import Limits

REPOSITORY = Path(__file__).resolve().parents[1]
DEPLOY = REPOSITORY / "deploy"
PINNED = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}")


def instructions(text: str) -> list[tuple[str, str]]:
    """Instructions of a Containerfile, each with what it is given."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [
        (word, " ".join(rest.split()))
        for word, _, rest in (
            line.partition(" ") for line in lines.replace("\\\n", " ").splitlines() if line
        )
    ]


def wrong(text: str) -> list[str]:
    """What is wrong with a Containerfile, by the few rules that matter."""
    found, known = [], instructions(text)
    given = {word: [rest for one, rest in known if one == word] for word, _ in known}
    found += [f"not pinned: {one}" for one in given["FROM"] if not PINNED.fullmatch(one)]
    if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", given.get("USER", [""])[-1]):
        found.append("runs as root, or as whom only its own list of users knows")
    for word, rest in known:
        if word == "ADD":
            found.append("ADD: COPY says what comes from where")
        if word == "COPY" and (rest.startswith((". ", "./ ", "/")) or "*" in rest):
            found.append(f"copies more than it names: {rest}")
        if word == "RUN" and re.search(r"\b(curl|wget|sudo|apt-get upgrade)\b", rest):
            found.append(f"fetches what nobody has looked at: {rest}")
        if word == "RUN" and "pip install" in rest and "--require-hashes" not in rest:
            found.append(f"installs what is not pinned: {rest}")
        if word in ("ENV", "ARG") and re.search(r"(?i)secret|password|token", rest):
            found.append(f"tells a secret: {rest}")
        if word == "CMD" and not rest.startswith("["):
            found.append("CMD through a shell, which a stop does not reach")
    return found + [f"no {one}" for one in ("CMD", "HEALTHCHECK") if one not in given]


def test_the_containerfile_keeps_the_rules():
    text = (DEPLOY / "Containerfile").read_text()
    assert wrong(text) == []
    let_through = (REPOSITORY / ".dockerignore").read_text().split()
    for word, rest in instructions(text):
        if word == "COPY":
            *sources, _ = shlex.split(rest)
            assert all((REPOSITORY / one).exists() for one in sources), rest
            assert all(f"!{one}" in let_through for one in sources), rest
        if word == "CMD":
            command = json.loads(rest)
            assert (REPOSITORY / command[2]).is_file()


def test_services_have_no_rights_and_no_more_than_their_part():
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    for name, one in services.items():
        assert one["read_only"], name
        assert one["cap_drop"] == ["ALL"]
        assert one["security_opt"] == ["no-new-privileges:true"]
        assert one["pids_limit"]
        assert one["tmpfs"]
        assert "build" in one or PINNED.fullmatch(one["image"])
    assert [name for name, one in services.items() if "ports" in one] == ["caddy"]
    assert int(services["studio"]["mem_limit"].removesuffix("g")) << 10 > Limits().memory
    # What is on its way lies in the folder of temporary files.
    (temporary,) = services["studio"]["tmpfs"]
    assert int(re.search(r"size=(\d+)g", temporary)[1]) << 10 > Limits().unread


def test_the_proxy_lets_an_upload_through_and_nothing_much_larger():
    text = (DEPLOY / "Caddyfile").read_text()
    most = int(re.search(r"max_size (\d+)MB", text)[1])
    assert Limits().upload < most * 1e6 / 2**20 < 1.1 * Limits().upload
    assert "respond /healthz 404" in text
    if shutil.which("caddy"):
        command = ["caddy", "validate", "--config", "Caddyfile", "--adapter", "caddyfile"]
        done = subprocess.run(
            command,
            cwd=DEPLOY, env={"STUDIO_HOST": "studio.example", "HOME": "/tmp", "PATH": "/usr/bin"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_the_lock_pins_all_that_the_pages_need():
    text = (DEPLOY / "requirements.lock").read_text()
    assert "://" not in text
    assert not re.search(r"^-", text, re.MULTILINE), "an address or folder of somebody's own"
    locked = dict(re.findall(r"^([\w.-]+)==(\S+) \\\n    --hash=sha256:[0-9a-f]{64}", text, re.M))
    assert len(locked) == len(re.findall("==", text)), "one has no hash"
    # The login of Streamlit needs one more.
    wanted = [*(REPOSITORY / "requirements.txt").read_text().split(), "authlib>=1.3.2"]
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(locked[requirement.name]), requirement


def test_the_guide_has_every_setting_as_it_is():
    text = (REPOSITORY / "cspca" / "guide" / "operating.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(CSPCA_\w+)` \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    known = [
        (
            f"CSPCA_{one.name.upper()}",
            f"{one.default:g} {one.metadata['unit']}".strip(),
            one.metadata["help"],
        )
        for one in fields(Limits)
    ]
    assert told == known, "\n".join(
        f"| `{name}` | {usual} | {what} |" for name, usual, what in known
    )
