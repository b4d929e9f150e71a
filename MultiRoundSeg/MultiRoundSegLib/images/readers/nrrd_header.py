"""The text header of a NRRD file: its fields and its key/value pairs.

ITK keeps the key/value pairs but hides whether a further axis counts layers or components, so the
header is read here. Source: the NRRD format definition (teem.sourceforge.net/nrrd/format.html).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from MultiRoundSegLib.errors import ImageReadError

_LONGEST_HEADER = 64 * 1024 * 1024


@dataclass(frozen=True)
class NrrdHeader:
    """What stands before the voxels.

    Attributes:
        fields: "type", "sizes", "kinds" ... as written.
        pairs: key/value pairs such as "Segment0_Name".
    """

    fields: dict[str, str]
    pairs: dict[str, str]

    @property
    def counts_layers(self) -> bool:
        """Whether a further axis counts images (layers, frames) and not components of a voxel."""
        return "list" in self.fields.get("kinds", "").split()


def read_nrrd_header(path: Path) -> NrrdHeader:
    """Read the header of a .nrrd, .nhdr or .seg.nrrd file.

    Raises:
        ImageReadError: it is not a NRRD file.
    """
    with path.open("rb") as file:
        if not file.read(4) == b"NRRD":
            raise ImageReadError(f"{path.name} is not a NRRD file or is empty; choose another file.")
        file.readline()
        header = NrrdHeader({}, {})
        read = 0
        for line in iter(file.readline, b""):
            read += len(line)
            text = line.decode("utf-8", errors="replace").rstrip("\r\n")
            if not text or read > _LONGEST_HEADER:
                break
            _take(text, header)
    return header


def escaped(text: str) -> str:
    """A value of a key/value pair as NRRD writes it, on one line."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _take(line: str, header: NrrdHeader) -> None:
    if line.startswith("#"):
        return
    key, pair, value = line.partition(":=")
    if pair:
        header.pairs[key] = value.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\")
        return
    name, _, value = line.partition(":")
    header.fields[name.strip()] = value.strip()
