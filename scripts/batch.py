"""What `segment.py` does: reads the image, holds the dialogue, writes the result."""

import re
from argparse import Namespace
from pathlib import Path

from MultiRoundSegLib.anatomy import load_anatomy
from MultiRoundSegLib.conversation import Conversation, Question, Reference
from MultiRoundSegLib.conversation.record import save_record, segment_id
from MultiRoundSegLib.engines import Progress, create_engine, hold_dialogue
from MultiRoundSegLib.images import Mask
from MultiRoundSegLib.images.readers import read_segmentation, read_volume
from MultiRoundSegLib.images.writers import SegmentStyle, write_masks_seg_nrrd

_OURS = re.compile(r"rounds\.json|(mask|corrected)_\d+_\d+\.nii\.gz|segmentation\.seg\.nrrd")
"""The names of files that a dialogue writes; a person's "mask_liver.nii.gz" is none of them."""

_GREY = (128, 128, 128)


def ask_about(arguments: Namespace, progress: Progress) -> Conversation:
    """Hold the dialogue of a command line (see `segment.py`).

    Raises:
        MultiRoundSegError: the image, the labels or the engine cannot be used.
    """
    volume = read_volume(arguments.image, series=arguments.series, frame=arguments.frame, modality=arguments.modality)
    given: list[Mask] = []
    if arguments.labels:
        given = read_segmentation(arguments.labels, reference=volume.geometry, names=arguments.names)
        for mask in given:
            mask.source = arguments.labels.name
    engine = create_engine(arguments.engine, **dict(setting.split("=", 1) for setting in arguments.setting))
    conversation = Conversation(volume.geometry, given)
    questions = [Question(text, frame=volume.frame) for text in arguments.ask]
    hold_dialogue(engine, volume, questions, conversation, progress=progress)
    return conversation


def refuse_file(folder: Path) -> None:
    """Refuse a place that cannot become a folder, before anything is computed.

    Raises:
        NotADirectoryError: it is a file.
    """
    place = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not place.is_dir():
        raise NotADirectoryError(f"{place} is a file; name a folder to write to.")


def write_result(conversation: Conversation, folder: Path) -> None:
    """Write `rounds.json`, the masks, and where there is any mask `segmentation.seg.nrrd`.

    What an earlier dialogue left in the folder is removed first.
    """
    for path in folder.iterdir() if folder.exists() else ():
        if _OURS.fullmatch(path.name):
            path.unlink()
    save_record(conversation, folder)
    made = [
        (Reference(round_.number, index), mask)
        for round_ in conversation.rounds
        for index, mask in enumerate(round_.answer.masks)
    ]
    if made:
        write_masks_seg_nrrd(
            folder / "segmentation.seg.nrrd",
            [mask for _, mask in made],
            conversation.geometry,
            styles=[style(reference, mask) for reference, mask in made],
        )


def style(reference: Reference, mask: Mask) -> SegmentStyle:
    """ID, colour and side of a round's segment, from its structure where that is known."""
    entity = load_anatomy().identify(mask.label, mask.code)
    red, green, blue = entity.colour if entity else _GREY
    side = entity.side_code if entity else None
    return SegmentStyle(segment_id(reference), (red / 255, green / 255, blue / 255), side)
