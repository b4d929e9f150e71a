"""Small data sets in the published formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from scipy import sparse

SIZE = (12, 20)


def region(number: int) -> np.ndarray:
    """A box of its own for each number."""
    mask = np.zeros(SIZE, bool)
    mask[2 : 6 + number, 3 * number : 3 * number + 3] = True
    return mask


def picture(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (*SIZE, 3), np.uint8)


def mr_medseg_conversation(root: Path, name: str = "ct_00--AbdomenCT1K--Case_00011--x_0040") -> dict[str, Any]:
    """Three rounds: the second is about the first, the third about the second."""
    for folder in ("images", "masks"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture()).save(root / f"images/{name}.png")
    masks = [f"masks/{name}_round_{number:02d}.png" for number in range(3)]
    for number, mask in enumerate(masks):
        Image.fromarray(region(number).astype(np.uint8) * 255).save(root / mask)
    said = [
        {"from": "human", "value": f"[IMAGE256:images/{name}.png] Segment the liver."},
        {"from": "gpt", "value": f"[MASK-DECODE:{masks[0]}]."},
    ]
    for number, words in ((1, "Segment what lies right of it."), (2, "And the next one?")):
        before = masks[number - 1]
        said += [
            {"from": "human", "value": f"[MASK-ENCODE:{before}][BOX-ENCODE:{before}] {words}", "ind": number - 1},
            {"from": "gpt", "value": f"It is [REF-DECODE:{before}][MASK-DECODE:{masks[number]}]."},
        ]
    return {"task": "segmentation", "base": "[null]", "conversations": said}


def mr_medseg(root: Path, conversations: int = 2) -> Path:
    """A file of conversations."""
    file = root / "test.json"
    names = [f"ct_00--Tiny--Case_{number:02d}--x_0001" for number in range(conversations)]
    file.write_text(json.dumps([mr_medseg_conversation(root, name) for name in names]))
    return file


def mturn_seg_document(root: Path, label: str = "x___T2_1_1.(3,12,20,1).npz") -> dict[str, Any]:
    """One sample: two masks, the second about the first, and a question answered in words between."""
    (root / "image").mkdir(parents=True, exist_ok=True)
    (root / "label").mkdir(exist_ok=True)
    Image.fromarray(picture()).save(root / "image/T2_1_1.png")
    matrix = sparse.csr_matrix(np.stack([region(number).ravel() for number in range(3)]).astype(np.uint8))
    sparse.save_npz(root / "label" / label, matrix)
    return {
        "name": "CHAOS",
        "dimension": "2D",
        "modality": "mr_t2w",
        "labels": {"0": "background", "1": "liver", "2": "kidney_right", "3": "spleen"},
        "dataset": [
            {
                "image": "image/T2_1_1.png",
                "label": f"label/{label}",
                "class_ids": [1, 2, 3],
                "questions": [
                    {"id": "CHAOS_1", "question": "请分割肝脏。", "answer": "好的", "label": "liver"}
                    | {"referring label": "none", "area": 12, "area center": [1.0, 3.5]},
                    {"id": "CHAOS_2", "question": "它有什么功能？", "answer": "解毒。"},
                    {"id": "CHAOS_3", "question": "再分割它旁边的脾。", "answer": "", "label": "3"}
                    | {"referring label": "liver"},
                ],
            }
        ],
    }


def mturn_seg(root: Path) -> Path:
    """A file of one sample."""
    root.mkdir(parents=True, exist_ok=True)
    file = root / "MultiZH_CHAOS.json"
    file.write_text(json.dumps(mturn_seg_document(root), ensure_ascii=False), encoding="utf-8")
    return file
