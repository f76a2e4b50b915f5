"""The fetching process, told that the stand-in's files are the ones to expect."""

import hashlib
import json
import os

from cspca.datasets import remote


def expect(files: dict[str, str]) -> None:
    """Take the checksums of other files for the known ones: by file name, the new one."""
    if "coil-20-proc.zip" in files:
        remote.COIL_MD5 = files["coil-20-proc.zip"]
    if not files.keys() - {"coil-20-proc.zip"}:
        return
    # They take a second to load.
    import sklearn.datasets._lfw as lfw
    import sklearn.datasets._olivetti_faces as olivetti

    known = [olivetti.FACES, lfw.FUNNELED_ARCHIVE, *lfw.TARGETS]
    changed = [
        one._replace(checksum=files[one.filename]) if one.filename in files else one
        for one in known
    ]
    olivetti.FACES, lfw.FUNNELED_ARCHIVE, lfw.TARGETS = changed[0], changed[1], tuple(changed[2:])


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def main() -> None:
    expect(json.loads(os.environ["STAND_IN_SHA256"]))
    remote.main()
