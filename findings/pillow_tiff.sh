#!/bin/sh
# Pillow opens TIFF files whose numbers it then reads otherwise than they were stored, unsaid.
# Seen with Pillow 13.0.0, on files that tifffile 2026.3.3 writes:
#     planar colour of 16 bits: read otherwise
#     16 bits, 0 is white: read otherwise
#     signed 8 bits: read otherwise
#     unsigned 32 bits: read otherwise
#     colour of 16 bits: read otherwise
#     two channels: read otherwise
#     BigTIFF, heaviest byte first, 16 bits: not opened
#     8 bits: as stored
# Exits 0 while it is so, 1 when it is not any more, 2 when they cannot be installed.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
"$place/env/bin/pip" install --quiet pillow==13.0.0 tifffile==2026.3.3 || exit 2
cd "$place"
"$place/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import tifffile
from PIL import Image

grey = np.arange(63, dtype=np.uint16).reshape(9, 7) * 1000
colours = np.dstack([grey, grey[::-1], grey])
cases = {
    "planar colour of 16 bits": (np.moveaxis(colours, 2, 0), {"photometric": "rgb"}),
    "16 bits, 0 is white": (grey, {"photometric": "miniswhite"}),
    "signed 8 bits": ((grey // 300).astype(np.int16).astype(np.int8) - 90, {}),
    "unsigned 32 bits": (grey.astype(np.uint32) * 60_000, {}),
    "colour of 16 bits": (colours, {"photometric": "rgb"}),
    "two channels": ((np.dstack([grey, grey[::-1]]) // 300).astype(np.uint8),
                     {"photometric": "minisblack"}),
    "BigTIFF, heaviest byte first, 16 bits": (grey, {"bigtiff": True, "byteorder": ">"}),
    "8 bits": ((grey // 300).astype(np.uint8), {}),
}  # fmt: skip
outcomes = {}
for name, (stored, options) in cases.items():
    planar = {"planarconfig": "separate"} if name.startswith("planar") else {}
    tifffile.imwrite("a.tif", stored, **options, **planar)
    meant = np.moveaxis(stored, 0, 2) if planar else stored
    meant = 65535 - meant if "white" in name else meant
    try:
        pixels = np.asarray(Image.open("a.tif"))
        same = pixels.shape == meant.shape and np.array_equal(pixels, meant)
        outcomes[name] = "as stored" if same else "read otherwise"
    except Exception:
        outcomes[name] = "not opened"
    print(f"{name}: {outcomes[name]}")
sys.exit(sum(outcome == "as stored" for outcome in outcomes.values()) != 1)
PYTHON
