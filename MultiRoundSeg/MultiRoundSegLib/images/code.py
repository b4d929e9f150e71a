"""A coded concept, as DICOM and Slicer's terminologies write it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """One entry of a coding scheme (DICOM PS3.3 section 8.8).

    Attributes:
        scheme: coding scheme designator (0008,0102), for example "SCT" for SNOMED CT.
        value: code value (0008,0100), for example "10200004".
        meaning: code meaning (0008,0104), for example "Liver".
    """

    scheme: str
    value: str
    meaning: str
