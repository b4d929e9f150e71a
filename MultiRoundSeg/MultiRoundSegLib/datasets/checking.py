"""Getting typed values out of JSON: whatever is wrong is said with file, item and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from MultiRoundSegLib.errors import DatasetError


def read_json(file: Path) -> Any:
    """The JSON value of a file.

    Raises:
        DatasetError: it cannot be read, or is no JSON.
    """
    try:
        return json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DatasetError(f"{file.name} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise DatasetError(f"{file.name} is no JSON: {error}.") from error


class Item:
    """A JSON object of a data set, and where it stands."""

    def __init__(self, value: Any, place: str) -> None:
        """Take a value that should be an object.

        Args:
            value: what the JSON holds.
            place: file, item and field, for sentences.

        Raises:
            DatasetError: it is no object.
        """
        self.place = place
        if not isinstance(value, dict):
            raise self.fault("", "is no object")
        self._data = value

    def text(self, field: str, default: str | None = None) -> str:
        """A field that holds a text."""
        value = self._data.get(field, default)
        if not isinstance(value, str):
            raise self.fault(field, "is no text")
        return value

    def number(self, field: str) -> int | None:
        """A field that holds a whole number; None where it is absent."""
        value = self._data.get(field)
        if value is not None and type(value) is not int:
            raise self.fault(field, "is no whole number")
        return value

    def items(self, field: str) -> list[Item]:
        """A field that holds a list of objects."""
        value = self._data.get(field)
        if not isinstance(value, list):
            raise self.fault(field, "is no list")
        return [Item(one, f"{self.place}, {field}[{number}]") for number, one in enumerate(value)]

    def get(self, field: str) -> Any:
        """Whatever a field holds."""
        return self._data.get(field)

    def entries(self) -> list[tuple[str, Any]]:
        """All fields and what they hold."""
        return list(self._data.items())

    def fault(self, field: str, what: str) -> DatasetError:
        """The error of a field."""
        return DatasetError(f"{self.place}{f', {field}' if field else ''}: {what}.")
