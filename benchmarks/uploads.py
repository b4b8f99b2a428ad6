"""What reading uploads costs the server: ``python -m benchmarks.uploads`` (Linux, one minute).

Reads large tables and small files that unpack to much, and takes them into use, as the app does. Prints for each how
long it took, by how much this process grew beyond the numbers it keeps, and how long another of its threads had to wait
at worst. Beside that stands how long a process of its own had to wait at the same time, which is what the machine did
and not the reading. Numbers depend on the machine and on what else it does: nothing here is a test.
"""

from __future__ import annotations

import gc
import io
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from dpviz.datasets.tables import read_isolated, to_dataset
from dpviz.datasets.tables.decision import decide
from dpviz.errors import DpvizError
from dpviz.ui.data.columns import describe_columns
from dpviz.ui.session.chosen_data import PreparedData, keep_session_dataset, prepare

PROMISED_MEGABYTES, PROMISED_MILLISECONDS = 300, 200
PAUSE = 0.002


OUTSIDE = f"""
import select, sys, time
print("begun", flush=True)
longest, last = 0.0, time.perf_counter()
while not select.select([sys.stdin], [], [], 0)[0]:
    time.sleep({PAUSE})
    now = time.perf_counter()
    longest, last = max(longest, now - last), now
print(longest)
"""


def wait(ended: threading.Event, longest: list[float]) -> None:
    """Sleep again and again, and append the longest time between two awakenings."""
    gap, last = 0.0, time.perf_counter()
    while not ended.is_set():
        time.sleep(PAUSE)
        now = time.perf_counter()
        gap, last = max(gap, now - last), now
    longest.append(gap)


def main() -> None:
    """Read every file and print a table."""
    print(f"{'file':34}{'MB':>8}{'seconds':>9}{'grown, MB':>11}{'thread, ms':>12}{'process, ms':>12}")
    read_isolated(b"a,b\n1,2\n", "t.csv")
    for name, filename, content in files():
        outside = subprocess.Popen([sys.executable, "-c", OUTSIDE], stdin=-1, stdout=-1, text=True)
        assert outside.stdout is not None
        outside.stdout.readline()  # it has begun
        gc.collect()
        ended, waited = threading.Event(), list[float]()
        thread = threading.Thread(target=wait, args=(ended, waited))
        before, start = private_megabytes(), time.perf_counter()
        thread.start()
        kept = use(content, filename)
        seconds = time.perf_counter() - start
        prepared = [held for held in kept if isinstance(held, PreparedData)]
        numbers = sum(array.nbytes for held in prepared for array in (held.dataset.X, held.X))
        grown = private_megabytes() - before - numbers / 1e6
        ended.set()
        thread.join()
        other = float(outside.communicate("end\n")[0])
        size = len(content) / 1e6
        print(f"{name:34}{size:8.2f}{seconds:9.2f}{grown:11.1f}{waited[0] * 1e3:12.0f}{other * 1e3:12.0f}", flush=True)
        del kept
    print(f"Promised on a machine that is not overloaded: {PROMISED_MEGABYTES} MB, {PROMISED_MILLISECONDS} ms.")


def use(content: bytes, filename: str) -> list[object]:
    """Read a file, describe its columns, scale its numbers and place its points; return what the app then keeps."""
    kept: list[object] = []
    try:
        table = read_isolated(content, filename, repair=True)
        kept += [table, describe_columns(table, decide(table.frame))]
        prepared = prepare(replace(keep_session_dataset(to_dataset(table)), scaling="standardise"))
        kept += [prepared, prepared.display()]
    except DpvizError as error:
        kept.append(error)
    return kept


def files() -> Iterator[tuple[str, str, bytes]]:
    """Make the files one by one."""
    rng = np.random.default_rng(0)
    for name, cell in (("numbers", "{:.3f}"), ("texts", "word{:.0f}")):
        block = "\n".join(",".join(cell.format(x) for x in row) for row in rng.normal(0, 300, size=(10_000, 12))) + "\n"
        yield f"990,000 × 12 {name}", "t.csv", (",".join(map(chr, range(97, 109))) + "\n" + 99 * block).encode()
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({f"c{d}": rng.normal(size=1_000_000) for d in range(20)}), stream)
    yield "1,000,000 × 20 in Parquet", "t.parquet", stream.getvalue()
    codes = pa.array(np.arange(800_000, dtype=np.int32) % 3)
    long = pa.DictionaryArray.from_arrays(codes, pa.array([letter * 300 for letter in "xyz"]))
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"a": long, "b": long}), stream)
    yield "480 MB of text in Parquet", "t.parquet", stream.getvalue()
    yield "2,000,000 digits", "t.csv", b"1" * 2_000_000 + b"x"
    yield "500,000 quotation marks", "t.csv", b'a,"\n' * 500_000
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(900_000, np.int32)), pa.array(["x" * 500]))
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({f"c{d}": texts for d in range(15)}), stream)
    yield "6.8 GB of text in Parquet", "t.parquet", stream.getvalue()
    for part in ("xl/workbook.xml", "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            with archive.open(part, "w", force_zip64=True) as target:
                for _ in range(480):
                    target.write(b"<x/>" * 250_000)
        yield f"480 MB in {part}", "t.xlsx", stream.getvalue()


def private_megabytes() -> float:
    """Return the memory that only this process has, in MB."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(float(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1e3


if __name__ == "__main__":
    main()
