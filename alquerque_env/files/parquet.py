"""Columns as a Parquet file, which needs the extra `data`, and what is in it as Croissant metadata."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import require
from .atomic import open_whole
from .regular import checksum

SUFFIX = ".parquet"
HEAD = Path(__file__).with_name("croissant.json")
"""What the metadata of every file begins with, such as the terms of Croissant."""

_KINDS = {"U": "sc:Text", "i": "sc:Integer", "b": "sc:Boolean"}

Columns = Mapping[str, np.ndarray]


def write_parquet(path: Path, columns: Columns, about: Mapping[str, str], *, overwrite: bool = True) -> None:
    """Writes columns, whole or not at all; errors are those of `write_whole`.

    Args:
      path: The file.
      columns: Arrays of one length by their names. Each row of an array with more axes becomes one list.
      about: Texts that the file says about itself.
      overwrite: Whether an existing file is replaced.

    Raises:
      MissingExtraError: If PyArrow is not installed.
    """
    require("pyarrow", "data")
    import pyarrow
    from pyarrow.parquet import write_table

    def column(values: np.ndarray) -> Any:
        flat = pyarrow.array(values.ravel())
        width = int(np.prod(values.shape[1:]))
        return flat if values.ndim == 1 else pyarrow.FixedSizeListArray.from_arrays(flat, width)

    table = pyarrow.table({name: column(values) for name, values in columns.items()})
    with open_whole(path, overwrite=overwrite) as file:
        write_table(table.replace_schema_metadata(dict(about)), file, compression="zstd")


def croissant(
    path: Path, columns: Columns, meanings: Mapping[str, str], *, name: str, description: str, version: str, day: str
) -> str:
    """The metadata of a file of `write_parquet`, by Croissant 1.1, as JSON-LD.

    Args:
      path: The file, which is named relative to its metadata.
      columns: What is in it.
      meanings: A sentence about each column.
      name: The name of the data set.
      description: What it is.
      version: Of the package that made it.
      day: When it was made, as YYYY-MM-DD.
    """
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"rows/{column}",
            "name": column,
            "description": meanings[column],
            "dataType": _KINDS[values.dtype.kind],
            "source": {"fileObject": {"@id": path.name}, "extract": {"column": column}},
            **({"isArray": True, "arrayShape": str(int(np.prod(values.shape[1:])))} if values.ndim > 1 else {}),
        }
        for column, values in columns.items()
    ]
    file = {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": "application/x-parquet",
        "sha256": checksum(path),
    }
    head = json.loads(HEAD.read_text(encoding="utf-8"))
    about = {"name": name, "description": description, "version": version, "datePublished": day}
    rows = {"@type": "cr:RecordSet", "@id": "rows", "name": "rows", "field": fields}
    return json.dumps({**head, **about, "distribution": [file], "recordSet": [rows]}, indent=2) + "\n"
