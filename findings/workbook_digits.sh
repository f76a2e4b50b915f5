#!/usr/bin/env bash
# XlsxWriter and openpyxl write numbers with 16 significant digits: one too few for a double, so that
# 0.1 + 0.2 is read as 0.3. We hand XlsxWriter a float that formats itself with all its digits.
# Needs a network for pip; prints what each writes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q "xlsxwriter==3.3.1" "openpyxl==3.1.5"
"$folder/venv/bin/python" - "$folder" <<'PYTHON'
import sys
import zipfile

import openpyxl
import xlsxwriter

folder = sys.argv[1]
with xlsxwriter.Workbook(f"{folder}/a.xlsx") as workbook:
    workbook.add_worksheet().write_number(0, 0, 0.1 + 0.2)
workbook = openpyxl.Workbook()
workbook.active.append([0.1 + 0.2])
workbook.save(f"{folder}/b.xlsx")
for name, file in (("xlsxwriter", "a"), ("openpyxl", "b")):
    with zipfile.ZipFile(f"{folder}/{file}.xlsx") as packed:
        sheet = packed.read("xl/worksheets/sheet1.xml").decode()
    print(name, sheet.partition("<v>")[2].partition("</v>")[0], "for", repr(0.1 + 0.2))
PYTHON
