"""Make a folder that the engine `mediround` loads, from what people have.

    python scripts/convert_checkpoint.py --llava DIR --clip DIR --medsam medsam_vit_b.pth --trained DIR --out DIR

The trained result is a folder with pytorch_model*.bin (made by DeepSpeed's zero_to_fp32.py) or *.safetensors in the
published names, low-rank updates merged or not. It alone is enough where it holds all parts.
"""

import argparse
import sys
from pathlib import Path


def main() -> int:
    """Parse, gather, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--llava", type=Path, required=True, help="folder: config.json, tokenizer.model, weights")
    parser.add_argument("--clip", type=Path, required=True, help="folder of CLIP ViT-L/14-336: config.json, weights")
    parser.add_argument("--medsam", type=Path, help="medsam_vit_b.pth")
    parser.add_argument("--trained", type=Path, help="a stage-1 or stage-2 result")
    parser.add_argument("--keep-lora", action="store_true", help="keep low-rank updates apart, to train them on")
    parser.add_argument("--sam-settings", type=Path, help="JSON of the mask encoder's sizes, where it is not ViT-B")
    parser.add_argument("--out", type=Path, required=True, help="folder to make")
    options = parser.parse_args()

    from MultiRoundSegLib.engines.mediround.checkpoint import empty, save
    from MultiRoundSegLib.engines.mediround.conversion import gathered, read_settings, read_tensors
    from MultiRoundSegLib.engines.mediround.official import CheckpointError, separated, translated
    from MultiRoundSegLib.engines.mediround.settings import SamSettings

    try:
        published = read_tensors(options.trained) if options.trained else {}
        trained, updates = separated(published) if options.keep_lora else (translated(published), {})
        corrects = any("mask_quality_MLP" in name for name in trained)
        sizes = SamSettings.read(options.sam_settings) if options.sam_settings else SamSettings()
        settings = read_settings(options.llava, options.clip, sam=sizes, has_correction=corrects)
        tensors = gathered(
            settings,
            language=_optional(read_tensors, options.llava),
            vision=_optional(read_tensors, options.clip),
            sam=read_tensors(options.medsam) if options.medsam else {},
            trained=trained,
            wanted=empty(settings).state_dict(),
        )
        save(options.out, settings, options.llava / "tokenizer.model", tensors, updates)
    except (CheckpointError, OSError) as error:
        print(f"Nothing was written: {error}.", file=sys.stderr)
        return 1
    print(f"{options.out} holds a model {'with' if corrects else 'without'} judgment and correction.")
    return 0


def _optional(read, folder):  # type: ignore[no-untyped-def]
    """The tensors of a folder, which may hold only settings where a trained result brings all weights."""
    has_weights = any(folder.glob("*.safetensors")) or any(folder.glob("*.bin"))
    return read(folder) if has_weights else {}


if __name__ == "__main__":
    sys.exit(main())
