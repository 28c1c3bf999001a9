"""Validates a notebook, executes it in this folder, and prints what its last code cell printed.

    python notebook.py lab.ipynb
"""

import sys

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=nbformat.NO_CONVERT)
nbformat.validate(notebook)
nbclient.NotebookClient(notebook, timeout=900).execute()
last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
print("".join(out.text for out in last.outputs if out.output_type == "stream" and out.name == "stdout"), end="")
