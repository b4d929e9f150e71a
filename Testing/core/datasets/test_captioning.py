"""Captions and conversations from a language model on loopback: checked, reviewed, asked anew."""

import csv
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import caption_dataset
import numpy as np
import pytest
from chat_endpoint import Endpoint
from core.datasets.test_building import scans
from PIL import Image

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.datasets.building import BuildSettings, Source, find_cases, scans_of
from MultiRoundSegLib.datasets.building.captioning import Written, caption
from MultiRoundSegLib.datasets.building.facts import Facts, facts_of
from MultiRoundSegLib.datasets.building.grounded import grounded
from MultiRoundSegLib.datasets.building.scenes import Scene
from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.wire.chat import ChatEndpoint, UnusableAnswerError

SETTINGS = BuildSettings(slices=1, planes=("axial",), languages=("en",), shares=(1, 0, 0))
ANATOMY = load_knowledge().anatomy
CAPTION = "The <p>liver</p>{liver} lies in front of the <p>right kidney</p>{right kidney}."
PAIR = ("Which organ filters the blood on the left?", "The <p>left kidney</p>{left kidney}.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scans(tmp_path_factory.mktemp("scans"), patients=1)


@pytest.fixture(scope="module")
def scene(folder: Path) -> Scene:
    source = source_of(folder)
    return next(source.scenes(source.patients[0]))


def source_of(folder: Path) -> Source:
    return scans_of(find_cases(folder, modality="CT"), ANATOMY, SETTINGS)


def facts(scene: Scene, language: str = "en") -> Facts:
    return facts_of(scene, load_knowledge(), language)  # type: ignore[arg-type]


def marked(text: str, scene: Scene) -> str:
    """A text with the numbers of structures in the place of their names in braces."""
    for mark, entity in facts(scene).shown.items():
        text = text.replace(f"{{{entity.name('en')}}}", f"{{{mark}}}")
    return text


def said(scene: Scene, text: str, pairs: Sequence[tuple[str, str]]) -> list[str | int | None]:
    """The answers of the endpoint: a caption and a conversation."""
    conversation = [{"question": question, "answer": marked(answer, scene)} for question, answer in pairs]
    return [json.dumps({"caption": marked(text, scene)}), json.dumps({"conversation": conversation})]


def made(folder: Path, out: Path, endpoint: Endpoint, review: Path | None = None) -> Written:
    chat = ChatEndpoint(endpoint.address, "m", 5.0)
    return caption(source_of(folder), out, load_knowledge(), chat, SETTINGS, pairs=2, review=review)


def items(out: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((out / "train" / "train.json").read_text(encoding="utf-8"))
    return found


def rows(review: Path) -> list[dict[str, str]]:
    with review.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def fill(review: Path, **decisions: dict[str, str]) -> None:
    """Decide on rows by the last part of their identity."""
    found = rows(review)
    for row in found:
        row.update(decisions.get(f"n{row['id'].rsplit('-', 1)[1]}", {}))
    with review.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(found[0]))
        writer.writeheader()
        writer.writerows(found)


def test_phrases_get_the_masks_of_what_they_name(
    endpoint: Endpoint, folder: Path, scene: Scene, tmp_path: Path
) -> None:
    endpoint.answers = said(scene, CAPTION, [PAIR] * 2)
    written = made(folder, tmp_path, endpoint)
    assert written.counts == {"captions": 1, "pairs": 2}
    assert written.left_out == {"xyzzy": 1}
    (item,) = items(tmp_path)
    assert item["caption"]["value"] == "The <p> liver </p> [SEG] lies in front of the <p> right kidney </p> [SEG]."
    assert (item["modality"], item["language"]) == ("CT", "en")
    regions = {entity.name("en"): region for entity, region in scene.regions.items()}
    for file, name in zip(item["caption"]["masks"], ("liver", "right kidney"), strict=True):
        with Image.open(tmp_path / "train" / file) as mask:
            assert np.array_equal(np.asarray(mask) == 255, regions[name])
    with Image.open(tmp_path / "train" / item["image"]) as picture:
        assert np.array_equal(np.asarray(picture), scene.picture)
    assert [turn["from"] for turn in item["conversations"]] == ["human", "gpt"] * 2
    assert item["conversations"][1]["value"] == "The <p> left kidney </p> [SEG]."
    assert len(item["conversations"][1]["masks"]) == 1
    report = json.loads((tmp_path / "report.json").read_text())
    assert report == {"splits": {"train": 1}, "captions": 1, "pairs": 2, "left out": {"xyzzy": 1}}


def test_files_of_an_earlier_run_are_replaced(endpoint: Endpoint, folder: Path, scene: Scene, tmp_path: Path) -> None:
    endpoint.answers = said(scene, CAPTION, [PAIR] * 2)
    made(folder, tmp_path, endpoint)
    files = [*tmp_path.rglob("masks/*.png"), *tmp_path.rglob("images/*.png")]
    before = {file: file.read_bytes() for file in files}
    for file in files:
        file.write_bytes(b"of other scans")
    made(folder, tmp_path, endpoint)
    assert {file: file.read_bytes() for file in files} == before


def test_only_words_are_sent_and_the_facts_hold(endpoint: Endpoint, folder: Path, scene: Scene, tmp_path: Path) -> None:
    endpoint.answers = said(scene, CAPTION, [PAIR] * 2)
    made(folder, tmp_path, endpoint)
    sent = json.dumps(endpoint.sent)
    assert scene.name not in sent
    assert scene.patient not in sent
    assert ".png" not in sent
    told = json.loads(endpoint.sent[0]["messages"][1]["content"])  # type: ignore[index]
    names = {structure["name"]: mark for mark, structure in told["structures"].items()}
    assert f"{names['right kidney']} lies behind {names['liver']}" in told["facts"]
    assert f"{names['aorta']} carries blood to {names['left kidney']}" in told["facts"]
    assert f"{names['spleen']} lies to the patient's left of {names['liver']}" in told["facts"]
    assert "caption" in json.loads(endpoint.sent[1]["messages"][1]["content"])  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (3, "no line"),
        (" ", "no line"),
        ("The <p>liver</p>{liver}.\nIt is large.", "no line"),
        ("x" * 1001, "no line"),
        ("<p>肝</p>{liver}在这里。", "not in English"),
        ("The <p>liver</p> is here.", "something is marked"),
        ("The liver{liver} is here.", "something is marked"),
        ("The <p>liver</p>{liver} [SEG].", "something is marked"),
        ("The <p>liver</p>{9}.", r"no structure \{9\}"),
        ("The <p>liver</p>{spleen}.", "no name of"),
        ("The <p>right kidney</p>{left kidney}.", "no name of"),
        ("The <p>organ</p>{liver}.", "no name of"),
        ("The <p>liver</p>{liver} and the pancreas.", "'pancreas' is none"),
    ],
)
def test_a_text_that_is_not_grounded_is_refused(scene: Scene, text: object, fault: str) -> None:
    with pytest.raises(UnusableAnswerError, match=fault):
        grounded(marked(text, scene) if isinstance(text, str) else text, facts(scene), ANATOMY)


def test_what_the_scan_has_and_the_picture_does_not_show_may_be_named(scene: Scene) -> None:
    spleen = next(entity for entity in scene.regions if entity.name("en") == "spleen")
    without = replace(
        scene,
        regions={entity: region for entity, region in scene.regions.items() if entity != spleen},
        absent=(spleen,),
    )
    told = facts(without)
    assert told.told["not in this picture"] == ["spleen"]
    assert grounded("There is no spleen here.", told, ANATOMY).marks == ()
    with pytest.raises(UnusableAnswerError, match="no name of"):
        grounded("The <p>spleen</p>{1}.", told, ANATOMY)
    assert grounded(f"右侧是<p>右肾</p>{{{_mark(without, 'right kidney')}}}。", facts(without, "zh"), ANATOMY).marks


def _mark(scene: Scene, name: str) -> int:
    return next(mark for mark, entity in facts(scene).shown.items() if entity.name("en") == name)


def test_a_run_that_was_stopped_asks_only_what_is_left(
    endpoint: Endpoint, folder: Path, scene: Scene, tmp_path: Path
) -> None:
    answers = said(scene, CAPTION, [PAIR] * 2)
    endpoint.answers = [answers[0], 500]
    assert made(folder, tmp_path, endpoint).counts == {"captions": 1, "unanswered": 1, "pairs": 0}
    assert items(tmp_path)[0]["conversations"] == []
    endpoint.answers = answers[1:]
    assert made(folder, tmp_path, endpoint).counts == {"captions": 1, "pairs": 2}
    assert len(endpoint.sent) == 3


def test_what_can_not_be_used_is_asked_once_more_and_then_counted(
    endpoint: Endpoint, folder: Path, scene: Scene, tmp_path: Path
) -> None:
    good = said(scene, CAPTION, [PAIR] * 2)
    unmarked = said(scene, "The liver is here.", [PAIR] * 3)
    question = said(scene, CAPTION, [("Where is the <p>liver</p>{liver}?", "Here."), PAIR])
    question[1] = str(question[1]).replace("{liver}", f"{{{_mark(scene, 'liver')}}}")
    endpoint.answers = [unmarked[0], good[0], unmarked[1], question[1]]
    assert made(folder, tmp_path, endpoint).counts == {"captions": 1, "unusable": 1, "pairs": 0}
    complaints = [str(sent["messages"]) for sent in endpoint.sent]
    assert "names no structure with its mark" in complaints[1]
    assert "no list of 2 pairs" in complaints[3]
    endpoint.answers = [500]
    with pytest.raises(DatasetError, match="no answer was usable"):
        made(folder, tmp_path / "other", endpoint)


def test_a_review_is_applied_and_what_was_rejected_is_asked_anew(
    endpoint: Endpoint, folder: Path, scene: Scene, tmp_path: Path
) -> None:
    endpoint.answers = said(scene, CAPTION, [PAIR] * 2)
    made(folder, tmp_path / "one", endpoint)
    review = tmp_path / "one" / "review.csv"
    assert [row["speaker"] for row in rows(review)] == ["caption", "human", "gpt", "human", "gpt"]
    edited = marked("Here is the <p>liver</p>{liver}.", scene)
    fill(
        review,
        n0={"decision": "edit", "text": edited},
        n1={"decision": "accept"},
        n4={"decision": "reject", "note": "the same again"},
    )
    other = ("What lies behind the liver?", "The <p>right kidney</p>{right kidney}.")
    endpoint.answers = said(scene, CAPTION, [other])[1:]
    assert made(folder, tmp_path / "two", endpoint, review).counts == {"captions": 1, "pairs": 2}
    assert not endpoint.answers, "nothing else was asked"
    asked = json.loads(endpoint.sent[-1]["messages"][1]["content"])  # type: ignore[index]
    assert asked["because"] == "the same again"
    assert asked["rejected"][0] == PAIR[0]
    (item,) = items(tmp_path / "two")
    assert item["caption"]["value"] == "Here is the <p> liver </p> [SEG]."
    assert [turn["value"] for turn in item["conversations"][::2]] == [PAIR[0], other[0]]
    assert [row["decision"] for row in rows(tmp_path / "two" / "review.csv")] == ["accept", "accept", "", "", ""]
    fill(review, n0={"decision": "edit", "text": "The liver{liver}."})
    with pytest.raises(DatasetError, match=r"The text of .* en-0 cannot be used: in .* something is marked"):
        made(folder, tmp_path / "three", endpoint, review)


def test_the_script(
    endpoint: Endpoint,
    folder: Path,
    scene: Scene,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(*arguments: object) -> int:
        monkeypatch.setattr("sys.argv", ["caption_dataset.py", *map(str, arguments)])
        return caption_dataset.main()

    endpoint.answers = said(scene, CAPTION, [PAIR] * 2)
    few = ("--language", "en", "--plane", "axial", "--slices", 1, "--pairs", 2, "--modality", "CT")
    assert run(folder, "--llm", endpoint.address, "--out", tmp_path / "out", *few) == 0
    assert "1 captions, 2 pairs" in capsys.readouterr().out
    assert run(folder, "--llm", "localhost", "--out", tmp_path / "out") == 1
    assert "starts with http://" in capsys.readouterr().err
