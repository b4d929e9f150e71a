"""Other words for a data set, from a language model on loopback, reviewed and asked anew."""

import csv
import json
from pathlib import Path

import pytest
import rewrite_dataset
from chat_endpoint import Endpoint

from MultiRoundSegLib.datasets import read_dialogues
from MultiRoundSegLib.datasets.building.rewriting import Text, rewrite, usable
from MultiRoundSegLib.errors import DatasetError
from MultiRoundSegLib.wire.chat import ChatEndpoint, UnusableAnswerError

DATA = [
    {
        "task": "segmentation",
        "base": "[null]",
        "conversations": [
            {"from": "human", "value": "[IMAGE256:images/a.png] Segment the liver."},
            {"from": "gpt", "value": "It is the liver: [MASK-DECODE:masks/a_0.png]."},
            {
                "from": "human",
                "value": "[MASK-ENCODE:masks/a_0.png][BOX-ENCODE:masks/a_0.png] 标出[1]下方的结构。",
                "ind": 0,
                "relation": "below",
            },
            {"from": "gpt", "value": "这是右肾：[REF-DECODE:masks/a_0.png][MASK-DECODE:masks/a_1.png]。"},
        ],
    }
]
GOOD = ["Please outline the liver.", "Here is the liver {mask}", "请把[1]下面的那个勾出来。", "右肾在此{mask}"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "train.json"
    path.write_text(json.dumps(DATA), encoding="utf-8")
    return path


def said(*texts: str) -> list[str | int | None]:
    return [json.dumps({"text": text}) for text in texts]


def values(path: Path) -> list[str]:
    return [turn["value"] for turn in json.loads(path.read_text(encoding="utf-8"))[0]["conversations"]]


def chat(endpoint: Endpoint, timeout: float = 5.0) -> ChatEndpoint:
    return ChatEndpoint(endpoint.address, "m", timeout)


def fill(review: Path, *decisions: tuple[str, str, str]) -> None:
    with review.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row, (decision, text, note) in zip(rows, decisions, strict=True):
        row.update(decision=decision, text=text, note=note)
    with review.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_words_change_and_files_stay_in_their_places(endpoint: Endpoint, file: Path, tmp_path: Path) -> None:
    endpoint.answers = said(*GOOD)
    assert rewrite(file, tmp_path / "out", chat(endpoint)) == {"new": 4}
    assert values(tmp_path / "out" / "train.json") == [
        "[IMAGE256:images/a.png] Please outline the liver.",
        "Here is the liver [MASK-DECODE:masks/a_0.png]",
        "[MASK-ENCODE:masks/a_0.png][BOX-ENCODE:masks/a_0.png] 请把[1]下面的那个勾出来。",
        "右肾在此[REF-DECODE:masks/a_0.png][MASK-DECODE:masks/a_1.png]",
    ]
    (dialogue,) = read_dialogues("mr-medseg", tmp_path / "out" / "train.json", tmp_path)
    assert [(turn.about, turn.relation) for turn in dialogue.turns] == [((), ""), ((1,), "below")]
    sent = json.dumps(endpoint.sent, ensure_ascii=False)
    assert ".png" not in sent


def test_a_run_that_was_stopped_asks_only_what_is_left(endpoint: Endpoint, file: Path, tmp_path: Path) -> None:
    endpoint.answers = [*said(*GOOD[:2]), 500, 500]
    assert rewrite(file, tmp_path / "out", chat(endpoint)) == {"new": 2, "unanswered": 2}
    assert values(tmp_path / "out" / "train.json")[2:] == values(file)[2:]
    with (tmp_path / "out" / "answers.jsonl").open("a") as cache:
        cache.write('{"key": "cut o')
    endpoint.answers = said(*GOOD[2:])
    assert rewrite(file, tmp_path / "out", chat(endpoint)) == {"new": 4}
    assert len(endpoint.sent) == 6


def test_what_can_not_be_used_is_asked_once_more_and_then_left(endpoint: Endpoint, file: Path, tmp_path: Path) -> None:
    endpoint.answers = ["no JSON", *said(GOOD[0], "lost its mask", "again", *GOOD[2:])]
    assert rewrite(file, tmp_path / "out", chat(endpoint)) == {"new": 3, "same": 1}
    assert values(tmp_path / "out" / "train.json")[1] == values(file)[1]
    assert "no JSON object" in str(endpoint.sent[1]["messages"])


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("[]", "no JSON object"),
        ('{"text": 3}', "no line"),
        ('{"text": " "}', "no line"),
        ('{"text": "a\\nb [1] {mask}"}', "no line"),
        (json.dumps({"text": "x" * 500}), "no line"),
        ('{"text": "[1]的{mask}"}', "another language"),
        ('{"text": "that of [2]: {mask}"}', "numbers"),
        ('{"text": "that of [1]"}', "{mask}"),
        ('{"text": "that of [1] {mask} {mask}"}', "{mask}"),
        ('{"text": "that of [1] {mask} [MASK-DECODE:other.png]"}', "{mask}"),
    ],
)
def test_an_answer_keeps_language_numbers_and_mask(answer: str, fault: str) -> None:
    with pytest.raises(UnusableAnswerError, match=fault):
        usable(answer, Text("0-1", "gpt", "It lies below [1]: {mask}.", ("[MASK-DECODE:a.png]",)))


def test_a_review_is_applied_and_what_was_rejected_is_asked_anew(
    endpoint: Endpoint, file: Path, tmp_path: Path
) -> None:
    endpoint.answers = said(*GOOD)
    rewrite(file, tmp_path / "one", chat(endpoint))
    review = tmp_path / "one" / "review.csv"
    fill(review, ("accept", "", ""), ("edit", "That is the liver: {mask}.", ""), ("reject", "", "clumsy"), ("", "", ""))
    endpoint.answers = said("[1]下面是什么？请标出。", GOOD[3])
    counts = rewrite(file, tmp_path / "two", chat(endpoint), review)
    assert counts == {"new": 3, "edited": 1}
    assert values(tmp_path / "two" / "train.json")[1] == "That is the liver: [MASK-DECODE:masks/a_0.png]."
    assert values(tmp_path / "two" / "train.json")[2].endswith("[1]下面是什么？请标出。")
    asked = json.loads(endpoint.sent[4]["messages"][1]["content"])  # type: ignore[index]
    assert (asked["rejected"], asked["because"]) == (GOOD[2], "clumsy")
    with (tmp_path / "two" / "review.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert [row["decision"] for row in csv.DictReader(stream)] == ["accept", "accept", "", ""]


def test_what_a_person_filled_in_is_not_lost_when_the_run_goes_on(
    endpoint: Endpoint, file: Path, tmp_path: Path
) -> None:
    endpoint.answers = [*said(*GOOD[:2]), 500, 500]
    rewrite(file, tmp_path / "out", chat(endpoint))
    review = tmp_path / "out" / "review.csv"
    fill(review, ("accept", "", ""), ("reject", "", "clumsy"), ("accept", "", ""), ("", "", ""))
    endpoint.answers = said(*GOOD[2:])
    rewrite(file, tmp_path / "out", chat(endpoint))
    with review.open(encoding="utf-8-sig", newline="") as stream:
        rows = [(row["decision"], row["note"]) for row in csv.DictReader(stream)]
    assert rows == [("accept", ""), ("reject", "clumsy"), ("", ""), ("", "")]


@pytest.mark.parametrize(
    ("decision", "fault"),
    [
        (("maybe", "", ""), "line 3: a decision is accept, reject or edit"),
        (("edit", " ", ""), "line 3: an edit needs its text"),
        (("edit", "no mask", ""), "edit of 0-1 must keep {mask}"),
    ],
)
def test_a_review_that_can_not_be_used_is_told(
    endpoint: Endpoint, file: Path, tmp_path: Path, decision: tuple[str, str, str], fault: str
) -> None:
    endpoint.answers = said(*GOOD)
    rewrite(file, tmp_path / "one", chat(endpoint))
    nothing = ("", "", "")
    fill(tmp_path / "one" / "review.csv", nothing, decision, nothing, nothing)
    endpoint.answers = said(*GOOD)
    with pytest.raises(DatasetError, match=fault):
        rewrite(file, tmp_path / "two", chat(endpoint), tmp_path / "one" / "review.csv")


def test_the_script(
    endpoint: Endpoint, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: object) -> int:
        monkeypatch.setattr("sys.argv", ["rewrite_dataset.py", *map(str, arguments)])
        return rewrite_dataset.main()

    endpoint.answers = said(*GOOD)
    assert run(file, "--llm", endpoint.address, "--out", tmp_path / "out") == 0
    assert "4 new" in capsys.readouterr().out
    assert run(file, "--llm", "localhost", "--out", tmp_path / "out") == 1
    assert "starts with http://" in capsys.readouterr().err
