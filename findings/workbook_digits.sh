#!/bin/sh
# XlsxWriter and openpyxl write numbers with 16 significant digits, one too few for a double.
# Seen with XlsxWriter 3.3.1 and openpyxl 3.1.5:
#     xlsxwriter 0.3 for 0.30000000000000004
#     openpyxl 0.3 for 0.30000000000000004
# Our workbooks hand XlsxWriter a float that formats itself with all its digits.
# Exits 0 while it is so, 1 when it is not any more, 2 when they cannot be installed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet xlsxwriter==3.3.1 openpyxl==3.1.5 || exit 2
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
all_digits = False
for name, file in (("xlsxwriter", "a"), ("openpyxl", "b")):
    with zipfile.ZipFile(f"{folder}/{file}.xlsx") as packed:
        sheet = packed.read("xl/worksheets/sheet1.xml").decode()
    written = sheet.partition("<v>")[2].partition("</v>")[0]
    print(name, written, "for", repr(0.1 + 0.2))
    all_digits = all_digits or float(written) == 0.1 + 0.2
sys.exit(all_digits)
PYTHON
