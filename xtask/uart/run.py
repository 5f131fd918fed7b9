"""Builds a board's top with Icarus and runs test_uart.py on it; arguments: folder, top, files."""

import sys
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner

folder, top, *files = sys.argv[1:]
runner = get_runner("icarus")
runner.build(
    sources=[Path(file) for file in files],
    hdl_toplevel=top,
    build_dir=folder,
    timescale=("1ps", "1fs"),
    always=True,
)
results = runner.test(hdl_toplevel=top, test_module="test_uart", build_dir=folder)
tests, failed = get_results(results)
print(f"{tests} tests, {failed} failed")
sys.exit(1 if failed or tests < 4 else 0)
