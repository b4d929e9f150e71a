"""A dialogue on disk: `rounds.json` and one mask file per mask, on the image's own grid.

    folder/rounds.json            format, version, the grid, the rounds (see `round_json`)
    folder/mask_2_1.nii.gz        first mask of round 2, as the engine made it
    folder/corrected_2_1.nii.gz   the same mask as corrected by hand since, where it was

The files are written aside and renamed; `rounds.json` comes last, so a record is whole or absent.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from MultiRoundSegLib.errors import RecordError
from MultiRoundSegLib.images import Geometry, Mask
from MultiRoundSegLib.images.readers import read_segmentation
from MultiRoundSegLib.images.writers import write_mask

from .conversation import Conversation
from .round_json import decode_code, decode_round, encode_round, encode_segment
from .rounds import Reference, Round

FORMAT = "multiroundseg-rounds"
VERSION = 1


def save_record(conversation: Conversation, folder: Path) -> Path:
    """Write a dialogue; masks given before it are the caller's and not written.

    Returns:
        The path of `rounds.json`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "format": FORMAT,
        "version": VERSION,
        "grid": {
            "shape_kji": list(conversation.geometry.shape),
            "ijk_to_ras": conversation.geometry.ijk_to_ras.tolist(),
        },
        "rounds": [_save_round(round_, conversation, folder) for round_ in conversation.rounds],
    }
    path = folder / "rounds.json"
    aside = path.with_suffix(".json.part")
    aside.write_text(json.dumps(record, ensure_ascii=False, indent=1), encoding="utf-8")
    aside.replace(path)
    return path


def load_record(folder: Path, given: tuple[Mask, ...] = ()) -> Conversation:
    """Read a dialogue back.

    Args:
        folder: where `save_record` wrote it.
        given: the masks that were there before the dialogue, in the same order.

    Raises:
        RecordError: it is missing, damaged, or of a newer version.
    """
    record = _read_json(folder / "rounds.json")
    try:
        grid = record["grid"]
        conversation = Conversation(Geometry(tuple(grid["shape_kji"]), grid["ijk_to_ras"]), given)
        for data in record["rounds"]:
            _load_round(data, conversation, folder)
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"The record in {folder.name} is damaged: {error!r}.") from error
    return conversation


def _save_round(round_: Round, conversation: Conversation, folder: Path) -> dict[str, Any]:
    data = encode_round(round_)
    for index, (segment, mask) in enumerate(zip(data["segments"], round_.answer.masks, strict=True)):
        reference = Reference(round_.number, index)
        name = f"{round_.number}_{index + 1}.nii.gz"
        write_mask(folder / f"mask_{name}", mask)
        segment |= {
            "id": segment_id(reference),
            "voxels": mask.voxel_count,
            "volume_ml": round(mask.volume_ml, 4),
            "file": f"mask_{name}",
            "deleted": conversation.is_removed(reference),
            "corrected": None,
        }
        present = conversation.latest(reference)
        if present != mask:
            write_mask(folder / f"corrected_{name}", present)
            segment["corrected"] = {"file": f"corrected_{name}"} | encode_segment(present)
    return data


def segment_id(reference: Reference) -> str:
    """The ID of a round's segment in files: "Round_2_1" is the first mask of round 2."""
    return f"Round_{reference.round_number}_{reference.mask_index + 1}"


def _load_round(data: dict[str, Any], conversation: Conversation, folder: Path) -> None:
    segments = data["segments"]
    masks = [_load_mask(segment, conversation.geometry, folder) for segment in segments]
    round_ = conversation.restore(decode_round(data, masks))
    for index, segment in enumerate(segments):
        reference = Reference(round_.number, index)
        if segment["corrected"]:
            conversation.replace_mask(reference, _load_mask(segment["corrected"], conversation.geometry, folder))
        if segment["deleted"]:
            conversation.remove_mask(reference)


def _load_mask(segment: dict[str, Any], geometry: Geometry, folder: Path) -> Mask:
    masks = read_segmentation(folder / Path(segment["file"]).name, reference=geometry)
    voxels = masks[0] if masks else Mask.empty(geometry)
    return voxels.renamed(segment["name"], decode_code(segment))


def _read_json(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RecordError(f"There is no record in {path.parent.name}: {path.name} is missing.") from error
    except (OSError, ValueError) as error:
        raise RecordError(f"The record {path.name} cannot be read; it is not valid JSON.") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise RecordError(f"{path.name} is not a record of rounds.")
    if record.get("version") != VERSION:
        raise RecordError(f"{path.name} was written by another version ({record.get('version')}); update to read it.")
    return record
