"""How many rounds of dialogues in words are understood, over all and by language, setting and kind of question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from MultiRoundSegLib.datasets.checking import Item

from .questions import Prediction

OTHER_ANSWERS = ("none", "clarify", "text")


@dataclass
class Score:
    """Rounds that were asked, and those that were understood."""

    right: int = 0
    rounds: int = 0

    @property
    def percent(self) -> float:
        """The share that was understood."""
        return 100 * self.right / self.rounds if self.rounds else 0.0


def score(dialogues: Iterable[Item], predictions: Mapping[str, Sequence[Prediction]]) -> dict[str, Score]:
    """The scores of predictions: of "all", and of each language, setting and kind that the dialogues name.

    Args:
        dialogues: with the gold of their rounds.
        predictions: of each round, by the dialogue's ID; a missing one is wrong.

    Raises:
        DatasetError: a round has no usable gold.
    """
    scores: dict[str, Score] = {"all": Score()}
    for dialogue in dialogues:
        given = predictions.get(dialogue.text("id"), ())
        for number, asked in enumerate(dialogue.items("rounds")):
            right = is_right(asked, given[number]) if number < len(given) else False
            for group in _groups(dialogue, asked):
                counted = scores.setdefault(group, Score())
                counted.rounds += 1
                counted.right += right
    return scores


def has_gold(dialogues: Iterable[Item]) -> bool:
    """Whether the gold of every round is told."""
    return all(isinstance(asked.get("gold"), dict) for dialogue in dialogues for asked in dialogue.items("rounds"))


def is_right(asked: Item, prediction: Prediction) -> bool:
    """Whether the prediction of a round is its gold; sets of structures are compared without order.

    Raises:
        DatasetError: the round has no usable gold.
    """
    gold = asked.get("gold")
    if isinstance(gold, dict) and "structures" in gold:
        equally_good = [gold["structures"], *gold.get("or", [])]
        return "structures" in prediction and set(prediction["structures"]) in map(set, equally_good)
    for answer in OTHER_ANSWERS:
        if isinstance(gold, dict) and answer in gold:
            return bool(prediction.get(answer))
    raise asked.fault("gold", "names no structures and no other answer")


def table_of(scores: Mapping[str, Score]) -> str:
    """The scores as lines of text."""
    return "\n".join(
        f"{group:32}{counted.right:>5} of {counted.rounds:>5}{counted.percent:>8.1f} %"
        for group, counted in scores.items()
    )


def _groups(dialogue: Item, asked: Item) -> Iterator[str]:
    yield "all"
    for item, field in ((dialogue, "language"), (dialogue, "setting"), (asked, "kind")):
        if item.get(field):
            yield f"{field} {item.get(field)}"
