"""A built data set: repeatable, whole, patients apart, and its report counts what is there."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import build_dataset
import numpy as np
import pytest
import SimpleITK
from PIL import Image

from MultiRoundSegLib.anatomy import load_knowledge
from MultiRoundSegLib.datasets import Dialogue, faults_of, read_dialogues
from MultiRoundSegLib.datasets.building import BuildSettings, Case, build, find_cases, scans_of, source_in
from MultiRoundSegLib.datasets.building.build import split
from MultiRoundSegLib.datasets.building.report import Report
from MultiRoundSegLib.datasets.building.settings import SPLITS, Format
from MultiRoundSegLib.datasets.building.wordings import first, load_wordings
from MultiRoundSegLib.errors import DatasetError

BOXES = {"liver": (4, 2), "spleen": (6, 30), "kidney_right": (26, 6), "kidney_left": (26, 28), "aorta": (24, 18)}
LABELS = {"background": 0, **{name: number for number, name in enumerate(BOXES, start=1)}, "xyzzy": 9}
SETTINGS = BuildSettings(slices=2, shares=(0.6, 0.2, 0.2), rounds={2: 1, 4: 1})


def scans(root: Path, patients: int = 6) -> Path:
    """Scans as nnU-Net has them, the structures of each elsewhere."""
    (root / "imagesTr").mkdir(parents=True)
    (root / "labelsTr").mkdir()
    for number in range(patients):
        rng = np.random.default_rng(number)
        labels = np.zeros((10, 44, 44), np.uint8)
        for value, (row, column) in enumerate(BOXES.values(), start=1):
            top, left = row + rng.integers(0, 4), column + rng.integers(0, 4)
            labels[:, top : top + 9 + value % 2, left : left + 10] = value
        labels[0, 0, 0] = 9
        image = rng.normal(0, 100, labels.shape).astype(np.int16)
        SimpleITK.WriteImage(SimpleITK.GetImageFromArray(image), str(root / f"imagesTr/P{number}_0000.nii.gz"))
        SimpleITK.WriteImage(SimpleITK.GetImageFromArray(labels), str(root / f"labelsTr/P{number}.nii.gz"))
    (root / "dataset.json").write_text(json.dumps({"labels": LABELS}))
    return root


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    return find_cases(scans(tmp_path_factory.mktemp("scans")), modality="CT")


def made(cases: list[Case], out: Path, settings: BuildSettings) -> Report:
    knowledge = load_knowledge()
    return build(scans_of(cases, knowledge.anatomy, settings), out, knowledge, settings, lambda share, name: None)


def files(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def read(out: Path, kind: str) -> dict[str, list[Dialogue]]:
    """The dialogues of each split, which have no faults."""
    found: dict[str, list[Dialogue]] = {}
    for file in sorted(out.glob("*/*.json") if kind == "mr-medseg" else out.glob("*/*/*.json")):
        assert list(faults_of(kind, file, file.parent)) == []
        found.setdefault(file.relative_to(out).parts[0], []).extend(read_dialogues(kind, file, file.parent))
    return found


@pytest.mark.parametrize("kind", ["mr-medseg", "mturn-seg"])
def test_what_is_built_is_repeatable_whole_and_counted(cases: list[Case], tmp_path: Path, kind: Format) -> None:
    settings = [BuildSettings(kind, seed, slices=2, shares=SETTINGS.shares) for seed in (0, 0, 1)]
    reports = [made(cases, tmp_path / str(number), one) for number, one in enumerate(settings)]
    first, again, other = (files(tmp_path / str(number)) for number in range(3))
    assert first == again
    assert first != other
    dialogues = read(tmp_path / "0", kind)
    assert set(dialogues) == set(SPLITS)
    turns = [turn for told in dialogues.values() for dialogue in told for turn in dialogue.turns]
    report = json.loads(first["report.json"])
    assert report["split"] == {name: len(told) for name, told in dialogues.items()} == reports[0].of("split")
    assert sum(report["rounds"].values()) == sum(report["language"].values()) == reports[0].dialogues
    assert sum(int(rounds) * count for rounds, count in report["rounds"].items()) == len(turns)
    for counted in ("relation", "family", "structure", "reference"):
        assert sum(report[counted].values()) == len(turns)
    assert report["reference"]["none"] == sum(not turn.about for turn in turns)
    assert report["left out"] == {"xyzzy": 6}
    assert report["settings"]["format"] == kind
    assert sorted(patient for names in report["patients"].values() for patient in names) == [f"P{n}" for n in range(6)]
    page = first["report.html"].decode()
    asked = [html.unescape(text) for text in re.findall(r"\]</b> (.*?)<br>", page)]
    assert len(asked) > 10
    assert set(asked) <= {turn.question for turn in turns}
    samples = re.findall(r'src="(samples/\d\d\.png)"', page)
    assert sorted(samples) == sorted(name for name in first if name.startswith("samples"))


def test_mturn_seg_has_a_file_for_each_language_and_modality(cases: list[Case], tmp_path: Path) -> None:
    made(cases, tmp_path, BuildSettings("mturn-seg", slices=1, refusals=0.5, rounds={4: 1}))
    assert sorted(path.parent.name for path in tmp_path.glob("train/*/*.json")) == ["MultiEN_CT", "MultiZH_CT"]
    assert {dialogue.modality for told in read(tmp_path, "mturn-seg").values() for dialogue in told} == {"CT"}


@pytest.mark.parametrize("shares", [(0.8, 0.1, 0.1), (1, 1, 1), (0.5, 0.5, 0), (1, 0, 0), (0, 0, 1)])
@pytest.mark.parametrize("count", [1, 2, 3, 6, 50])
def test_every_split_with_a_share_has_patients_of_its_own(shares: tuple[float, float, float], count: int) -> None:
    patients = [f"P{number}" for number in range(count)]
    found = split([*patients, *patients], BuildSettings(shares=shares))
    assert sorted(patient for names in found.values() for patient in names) == sorted(patients)
    assert sum(bool(names) for names in found.values()) == min(count, sum(share > 0 for share in shares))
    assert not [name for name, share in zip(SPLITS, shares, strict=True) if found[name] and not share]


def test_unseen_wordings_are_never_taught(cases: list[Case], tmp_path: Path) -> None:
    made(cases, tmp_path, BuildSettings(slices=2, shares=SETTINGS.shares, unseen_wordings=True))
    patterns: list[str] = []
    for words in load_wordings().apart():
        texts = [*words.of("request", "en"), *words.of("request", "zh")]
        patterns.append("|".join(re.escape(text).replace(r"\{what\}", ".+") for text in texts))
    for name, told in read(tmp_path, "mr-medseg").items():
        own, other = patterns if name == "train" else patterns[::-1]
        questions = [turn.question for dialogue in told for turn in dialogue.turns]
        assert all(re.fullmatch(own, question) for question in questions)
        assert not any(re.fullmatch(other, question) for question in questions)


def test_plain_answers_name_first_and_in_the_same_words(cases: list[Case], tmp_path: Path) -> None:
    settings = replace(SETTINGS, answers="plain", unseen_wordings=True, refusals=0.3)
    made(cases, tmp_path, settings)
    turns = [turn for told in read(tmp_path, "mr-medseg").values() for dialogue in told for turn in dialogue.turns]
    shown = r"It is [a-z ]+: \[SEG\]\.|这是\w+：\[SEG\]。"
    absent = r"There is no [a-z ]+ in this picture\.|这张图里没有\w+。"
    assert all(re.fullmatch(shown if turn.truth else absent, turn.answer) for turn in turns)
    assert {bool(turn.truth) for turn in turns} == {True, False}


def test_restated_questions_have_the_same_words_in_all_splits(cases: list[Case], tmp_path: Path) -> None:
    made(cases, tmp_path, replace(SETTINGS, answers="restating", unseen_wordings=True))
    words = load_wordings().apart()[0].for_restating()
    assert {words.text("described", "en", first, phrase="PHRASE")} == {"the structure described"}
    texts = [text for (_, asks, _), some in words.parts.items() if asks in ("subject", "object") for text in some[:1]]
    known = re.compile("|".join(re.sub(r"\\{\w+\\}", ".+", re.escape(text)) for text in texts), re.IGNORECASE)
    for told in read(tmp_path, "mr-medseg").values():
        answers = [turn.answer for dialogue in told for turn in dialogue.turns if turn.about]
        described = [
            answer for answer in answers if not re.search("the structure described|所描述的结构", answer, re.I)
        ]
        assert described
        assert all(known.search(answer) for answer in described)


def pictures(root: Path) -> Path:
    """An unpacked SA-Med2D-20M of three scans with two pictures each."""
    (root / "images").mkdir(parents=True)
    (root / "masks").mkdir()
    index: dict[str, list[str]] = {}
    for case, number in ((case, number) for case in range(3) for number in range(2)):
        name = f"ct_00--A--Case_{case}--x_{number:04d}"
        noise = np.random.default_rng(case + 10 * number).integers(0, 256, (44, 44), np.uint8)
        Image.fromarray(noise).save(root / f"images/{name}.png")
        masks = []
        for value, (row, column) in list(enumerate(BOXES.values(), start=1))[: 3 + 2 * number]:
            region = np.zeros((44, 44), np.uint8)
            region[row : row + 10, column : column + 10] = 255
            masks.append(f"masks/{name}--{value:04d}_000.png")
            Image.fromarray(region).save(root / masks[-1])
        index[f"images/{name}.png"] = masks
    (root / "SAMed2D_v1.json").write_text(json.dumps(index))
    classes = {name: number for number, name in enumerate([*list(BOXES)[:4], "xyzzy"], start=1)}
    (root / "SAMed2D_v1_class_mapping_id.json").write_text(json.dumps({"A": classes}))
    return root


def test_pictures_of_sa_med2d_20m_are_built_from(tmp_path: Path) -> None:
    root = pictures(tmp_path / "in")
    settings = BuildSettings("mturn-seg", shares=(1, 1, 1), refusals=0.3, rounds={4: 1})
    knowledge = load_knowledge()

    def made_from(out: Path) -> Report:
        source = source_in(root, knowledge.anatomy, settings)
        return build(source, out, knowledge, settings, lambda share, name: None)

    report = made_from(tmp_path / "out")
    told = read(tmp_path / "out", "mturn-seg")
    assert report.of("split") == {"train": 4, "val": 4, "test": 4} == {name: len(found) for name, found in told.items()}
    assert report.of("left out") == {"xyzzy": 3}
    for dialogues in told.values():
        assert len({dialogue.image.name.split("--")[2] for dialogue in dialogues}) == 1
        assert {dialogue.modality for dialogue in dialogues} == {"ct"}
    assert not {"left_of", "right_of", "behind", "in_front_of", "above", "below"} & set(report.of("relation"))
    assert 0 < report.of("relation")["refused"] == report.of("structure")["(not there)"]
    next(root.glob("images/*_0001.png")).write_bytes(b"no picture")
    with pytest.raises(DatasetError, match=r"The picture ct_00--A--Case_\d--x_0001.png cannot be read"):
        made_from(tmp_path / "other")


def test_what_cannot_be_built_is_told(cases: list[Case], tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="There is no labelled scan to build from"):
        made([], tmp_path, SETTINGS)
    (tmp_path / "names.csv").write_text("\n".join(f"{value},thing {value}" for value in range(1, 10)))
    unnamed = [Case(case.patient, case.image, case.labels, tmp_path / "names.csv") for case in cases]
    with pytest.raises(DatasetError, match="No slice shows two structures that are known"):
        made(unnamed, tmp_path / "out", SETTINGS)
    assert not list((tmp_path / "out").rglob("*.json"))
    with pytest.raises(ValueError, match="MTurn-Seg has no masks that a user drew"):
        BuildSettings(format="mturn-seg", drawn=0.1)
    with pytest.raises(ValueError, match="how common each number of rounds from 1 is"):
        BuildSettings(rounds={0: 1})
    for shares in ((0, 0, 0), (1, -1, 1)):
        with pytest.raises(ValueError, match="shares are not negative, and one of them is positive"):
            BuildSettings(shares=shares)


def test_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: object) -> int:
        monkeypatch.setattr("sys.argv", ["build_dataset.py", *map(str, arguments)])
        return build_dataset.main()

    root, out = scans(tmp_path / "scans", 3), tmp_path / "out"
    options = ["--modality", "CT", "--language", "zh", "--plane", "axial", "--slices", 1, "--dialogues", 2]
    assert run(root, "--out", out, *options, "--seed", 3, "--shares", 1, 1, 1) == 0
    said = capsys.readouterr()
    assert "6 dialogues: {'train': 2, 'val': 2, 'test': 2}; see" in said.out
    assert "Left out, as their names are no structures': xyzzy" in said.out
    assert "100 %" in said.err
    assert sum(len(told) for told in read(out, "mr-medseg").values()) == 6
    assert run(pictures(tmp_path / "pictures"), "--out", tmp_path / "other", "--unseen-wordings") == 0
    capsys.readouterr()
    assert run(tmp_path / "nothing", "--out", out) == 1
    assert capsys.readouterr().err.startswith("There is no folder")
    assert run(root, "--out", out, "--format", "mturn-seg", "--drawn", 0.2) == 1
    assert capsys.readouterr().err.startswith("MTurn-Seg has no masks that a user drew")
    own = ["--rounds", 2, 3, "--refusals", 0.3, "--drawn", 0.5]
    assert run(root, "--out", tmp_path / "own", *own) == 0
    told = [dialogue for one in read(tmp_path / "own", "mr-medseg").values() for dialogue in one]
    assert {len(dialogue.turns) for dialogue in told} <= {1, 2, 3}
    turns = [turn for dialogue in told for turn in dialogue.turns]
    assert any(turn.truth is None for turn in turns)
    assert any(turn.drawn and turn.drawn.read().any() and not turn.about for turn in turns)


def test_scans_of_one_patient_keep_their_own_pictures(tmp_path: Path) -> None:
    first, second = scans(tmp_path / "a", 1), scans(tmp_path / "b", 1)
    pair = [replace(case, patient="P/1") for folder in (first, second) for case in find_cases(folder)]
    brighter = SimpleITK.ReadImage(str(pair[1].image)) / 2
    SimpleITK.WriteImage(brighter, str(pair[1].image))
    made(pair, tmp_path / "out", SETTINGS)
    pictures = {path.read_bytes() for path in (tmp_path / "out").rglob("images/*.png")}
    assert {path.stem.split("_", 1)[1][:5] for path in (tmp_path / "out").rglob("images/*.png")} == {"P-1_1", "P-1_2"}
    assert len(pictures) > 1


@pytest.mark.parametrize("fault", [{"slices": 0}, {"least_pixels": 0}, {"refusals": 1.5}, {"languages": ()}])
def test_settings_that_make_no_sense_are_refused(fault: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"at least 1|shares from 0 to 1"):
        BuildSettings(format="mturn-seg", **fault)  # type: ignore[arg-type]
