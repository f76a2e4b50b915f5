"""LibreOffice without a window, in one language or another."""

import shutil
import subprocess
from pathlib import Path

import pytest

SOFFICE = shutil.which("soffice")

needs_office = pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed here")

TABS = "csv:Text - txt - csv (StarCalc):9,34,76,1,,0,true,false"
"""Fields by tabs, text in quotes, in UTF-8, and cells as they are, not as they look."""


def converted(file: Path, kind: str, language: str = "en-US") -> Path:
    """Open a file in LibreOffice and save it as another kind, such as ``pdf``, in a new folder."""
    folder = file.parent / f"{kind.partition(':')[0]}-{language}"
    profile = folder / "profile" / "user"
    profile.mkdir(parents=True)
    (profile / "registrymodifications.xcu").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
        '<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" '
        f'oor:op="fuse"><value>{language}</value></prop></item></oor:items>'
    )
    words = [str(SOFFICE), f"-env:UserInstallation={profile.parent.as_uri()}", "--headless"]
    words += ["--convert-to", kind, "--outdir", str(folder), str(file)]
    subprocess.run(words, check=True, capture_output=True, timeout=240)
    return folder / f"{file.stem}.{kind.partition(':')[0]}"
