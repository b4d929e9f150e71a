"""A language model as planner: a real HTTP server that answers as such endpoints do, well and badly."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from chat_endpoint import Endpoint

from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.engines import create_engine, no_progress
from MultiRoundSegLib.errors import EngineUnavailableError
from MultiRoundSegLib.images import Geometry, Mask, Volume
from MultiRoundSegLib.wire.chat import KEY_VARIABLE

GRID = Geometry((2, 2, 4), np.eye(4))
NAMES = ("liver", "spleen", "kidney_left", "kidney_right")


def ask(endpoint: Endpoint, *answers: str | int | None, questions: Sequence[str] = ("the thing",)) -> Answer:
    endpoint.answers = list(answers)
    given = [Mask.from_crop(np.ones((1, 1, 1)), (0, 0, n), GRID, name) for n, name in enumerate(NAMES)]
    history = Conversation(GRID, given)
    volume = Volume(np.zeros(GRID.shape, np.int16), GRID, "CT")
    engine = create_engine("reasoner", segmenters="labels", llm=endpoint.address, llm_model="tiny", llm_timeout=1)
    session = engine.open(volume)
    for text in questions:
        answer = session.answer(Question(text), history, progress=no_progress)
        history.record(Question(text), answer)
    return answer


def plan(action: str, *structures: str) -> str:
    return json.dumps({"action": action, "structures": structures, "rounds": [], "reason": "because"})


def test_it_chooses_among_the_structures_that_are_there(endpoint: Endpoint) -> None:
    answer = ask(endpoint, plan("segment", "liver", "kidney_left"))
    assert [mask.label for mask in answer.masks] == ["liver", "left kidney"]


def test_it_is_sent_words_only(endpoint: Endpoint) -> None:
    ask(endpoint, plan("segment", "liver"), plan("none"), questions=("first", "second"))
    told = json.loads(endpoint.sent[1]["messages"][1]["content"])  # type: ignore[index]
    assert told == {
        "question": "second",
        "picked_rounds": [],
        "rounds": [{"number": 1, "question": "first", "status": "answered", "structures": ["liver"]}],
        "structures": list(NAMES),
    }
    assert endpoint.sent[1]["model"] == "tiny"


@pytest.mark.parametrize(
    ("words", "status"),
    [(plan("none"), "none"), (plan("clarify", "kidney_left", "kidney_right"), "clarify"), (plan("text"), "text")],
)
def test_it_may_ask_back_or_say_no_or_want_words(endpoint: Endpoint, words: str, status: str) -> None:
    answer = ask(endpoint, words)
    assert (answer.status, answer.masks) == (status, ())


@pytest.mark.parametrize(
    "bad",
    [
        "the liver, I think",
        "{",
        "[]",
        '{"action": "draw"}',
        '{"action": "segment"}',
        plan("segment", "gallbladder"),
        plan("clarify", "liver"),
        '{"action": "segment", "structures": "liver"}',
        '{"action": "segment", "structures": ["liver"], "rounds": ["one"]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_plan_over_what_is_there_is_asked_once_more_and_then_done_without(
    endpoint: Endpoint, bad: str
) -> None:
    answer = ask(endpoint, bad, "Sure! " + plan("segment", "spleen"), questions=("the liver",))
    assert [mask.label for mask in answer.masks] == ["spleen"]
    answer = ask(endpoint, bad, bad, questions=("the liver",))
    assert [mask.label for mask in answer.masks] == ["liver"]
    assert "built-in planner" in answer.text


@pytest.mark.parametrize("failure", [None, 500, 404, 302])
def test_without_an_answer_the_built_in_planner_does_it(endpoint: Endpoint, failure: int | None) -> None:
    answer = ask(endpoint, failure, questions=("the liver",))
    assert [mask.label for mask in answer.masks] == ["liver"]
    assert "built-in planner" in answer.text


def test_the_key_comes_from_the_environment(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "secret")
    ask(endpoint, plan("segment", "liver"))
    assert endpoint.keys == ["Bearer secret"]


def test_the_key_does_not_travel_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "secret")
    with pytest.raises(EngineUnavailableError, match="https"):
        create_engine("reasoner", llm="http://models.example.org/v1")


@pytest.mark.parametrize("address", ["localhost:11434", "ftp://localhost", "http://user:word@localhost/v1"])
def test_an_address_is_checked(address: str) -> None:
    with pytest.raises(EngineUnavailableError, match="http"):
        create_engine("reasoner", llm=address)


def test_nothing_is_sent_without_being_asked_for(endpoint: Endpoint) -> None:
    engine = create_engine("reasoner", segmenters="labels")
    history = Conversation(GRID, [Mask.from_crop(np.ones((1, 1, 1)), (0, 0, 0), GRID, "liver")])
    volume = Volume(np.zeros(GRID.shape, np.int16), GRID, "CT")
    answer = engine.open(volume).answer(Question("the liver"), history, progress=no_progress)
    assert answer.status == "answered"
    assert endpoint.sent == []


def test_on_this_computer_it_is_asked_directly_whatever_proxy_is_set(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Endpoint()
    monkeypatch.setenv("http_proxy", proxy.address)
    try:
        ask(endpoint, plan("segment", "liver"))
    finally:
        proxy.server.shutdown()
        proxy.server.server_close()
    assert (len(endpoint.sent), proxy.sent) == (1, [])


def test_the_key_is_not_replaced_by_what_a_netrc_file_says(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password other")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv(KEY_VARIABLE, "secret")
    ask(endpoint, plan("segment", "liver"))
    assert endpoint.keys == ["Bearer secret"]


@pytest.mark.parametrize("text", ["the kidney", "thank you", "[7]", "how large is the liver?"])
def test_every_answer_says_that_the_built_in_planner_gave_it(endpoint: Endpoint, text: str) -> None:
    answer = ask(endpoint, "no JSON", "still none", questions=(text,))
    assert ("built-in planner" in answer.text) == (text != "how large is the liver?"), answer.text


def test_names_that_an_answer_in_words_does_not_need_do_no_harm(endpoint: Endpoint) -> None:
    assert ask(endpoint, plan("text", "no such thing")).status == "text"
    assert len(endpoint.sent) == 1
