"""Asks an engine about an image, without Slicer, and writes the rounds and their masks to a folder.

    python scripts/segment.py ct.nii.gz --labels labels.nii.gz --ask "the right kidney" --ask "the other one" --out out

Writes OUT/rounds.json, OUT/segmentation.seg.nrrd for Slicer, and OUT/mask_<round>_<n>.nii.gz. The exit code is
0 only when every round was carried out.
"""

import argparse
import sys
from pathlib import Path


def main() -> int:
    """Parse, read, ask, write."""
    arguments = parse()
    from batch import ask_about, refuse_file, write_result

    from MultiRoundSegLib.errors import MultiRoundSegError

    try:
        refuse_file(arguments.out)
        conversation = ask_about(arguments, say)
        write_result(conversation, arguments.out)
    except (MultiRoundSegError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    for round_ in conversation.rounds:
        print(f"[{round_.number}] {round_.question.text}\n    {round_.answer.text}")
    return 1 if any(round_.answer.status == "error" for round_ in conversation.rounds) else 0


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Ask for structures of an image, round after round.")
    parser.add_argument("image", type=Path, help="NIfTI, NRRD, MetaImage, MGZ, PNG, JPEG, a DICOM file or folder")
    parser.add_argument("--labels", type=Path, help="a segmentation of the image: .seg.nrrd, label map, DICOM SEG")
    parser.add_argument("--names", type=Path, help="the names of the values of a label map: CSV, JSON, colour table")
    parser.add_argument("--series", help="which series of a DICOM folder, by its UID; the largest by default")
    parser.add_argument("--frame", type=int, help="which frame of a 4-D image, from 1")
    parser.add_argument("--modality", help="DICOM modality where the file does not say it: CT, MR ...")
    parser.add_argument("--engine", default="reasoner", help="who answers (default: reasoner)")
    parser.add_argument("--setting", action="append", default=[], metavar="KEY=VALUE", help="of the engine")
    parser.add_argument("--ask", action="append", required=True, metavar="TEXT", help="a question; may be repeated")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    arguments = parser.parse_args()
    if any("=" not in setting for setting in arguments.setting):
        parser.error("a setting is written KEY=VALUE")
    return arguments


def say(fraction: float, message: str) -> None:
    """Progress, on standard error."""
    print(f"{100 * fraction:3.0f} %  {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
