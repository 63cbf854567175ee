"""Execute notebooks in fresh kernels and store their outputs.

    python tools/run_notebooks.py                                # every lesson, companion, solution and capstone
    python tools/run_notebooks.py notebooks/03_laplace.ipynb     # these
    python tools/run_notebooks.py --check                        # run, complain, write nothing

What is stored is what a reader sees without a kernel, and what `make test` compares a new run with, so it has to be the
same on every run: no network, no timings, no random model ids, one BLAS thread, and no message on stderr.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"

KERNEL_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    # Lessons work offline. A proxy that refuses everything shows one that does not.
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
}

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def default_paths() -> list[Path]:
    """Every lesson, companion, solution and capstone; what students are given holds no outputs."""
    folders = (".", "deeper", "solutions", "capstones")
    return [path for folder in folders for path in sorted((NOTEBOOKS / folder).glob("*.ipynb"))]


def execute(path: Path, timeout: int) -> nbformat.NotebookNode:
    """The notebook at `path`, run from top to bottom in a fresh kernel that starts in its folder."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=timeout,
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,  # how a kernel cuts its prints into messages is chance
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    return notebook


def strip_volatile(notebook: nbformat.NotebookNode) -> None:
    """Remove, in place, what differs from run to run or from machine to machine."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
            "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
        }
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        # An id made from the source stays the same however the notebook was written.
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:10]
        seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        kept = {key: cell.metadata[key] for key in ("nbgrader", "tags") if cell.metadata.get(key)}
        if "proof" in kept.get("tags", ()):
            kept["jupyter"] = {"source_hidden": True}  # asserts are for machines: JupyterLab collapses them
        cell.metadata = nbformat.from_dict(kept)
        if cell.cell_type == "code":
            cell.outputs = _streams_joined(cell.outputs)
        for output in cell.get("outputs", []):
            if "metadata" in output:  # but for the size at which a picture with two pixels a point is shown
                sizes = {kind: size for kind, size in output.metadata.items() if kind.startswith("image/")}
                output.metadata = nbformat.from_dict(sizes)
            # A view names a model that dies with the kernel. Without it a reader is shown the static picture.
            if len(output.get("data", {})) > 1:
                output.data.pop(WIDGET_VIEW, None)


def _streams_joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Text printed in one go may arrive in pieces, on a busy machine in more of them: put neighbours together."""
    joined: list[nbformat.NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last["text"] += output.text
        else:
            joined.append(output)
    return joined


def complaints(notebook: nbformat.NotebookNode) -> list[str]:
    """What must not be stored: messages on stderr, empty code cells, cells that were not run."""
    found = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        if cell.execution_count is None:
            found.append(f"cell {number} was not run (is it empty?)")
        for output in cell.outputs:
            if output.get("name") == "stderr":
                found.append(f"cell {number} writes to stderr: {output.text.strip()}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks (default: all that are stored executed)")
    parser.add_argument("--check", action="store_true", help="run and complain, but write nothing")
    parser.add_argument("--timeout", type=int, default=120, help="seconds a cell may take (default 120)")
    arguments = parser.parse_args()

    os.environ.update(KERNEL_ENVIRONMENT)
    if not arguments.check:
        from dpcourse.datasets import load_adult

        source = load_adult().source
        if source != "uci":
            print(f"Refused: stored outputs come from the UCI files, and load_adult() gives the {source}. Use --check.")
            return 1

    failed = 0
    for path in arguments.paths or default_paths():
        start = time.perf_counter()
        try:
            notebook = execute(path, arguments.timeout)
            found = complaints(notebook)
        except CellExecutionError as error:
            found = [str(error)]
        if not found and not arguments.check:
            strip_volatile(notebook)
            nbformat.validate(notebook)
            nbformat.write(notebook, path)
        print(f"{path.name}: {time.perf_counter() - start:.1f} s, {'ok' if not found else 'NOT STORED'}", flush=True)
        for line in found:
            print(f"    {line}")
        failed += bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
