"""Nothing is installed without a click, and never over Slicer's own packages."""

from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from panel.shim import displays

from MultiRoundSegLib.errors import PackageMissingError
from MultiRoundSegLib.panel.installing import offer_to_install

MISSING = PackageMissingError("The network needs a package.", "onnxruntime", 20)


class Pip:
    def __init__(self, fails: bool = False) -> None:
        self.asked: list[list[str]] = []
        self.constraints = ""
        self._fails = fails

    def __call__(self, requirements: list[str]) -> None:
        self.asked.append(requirements)
        self.constraints = Path(requirements[-1]).read_text(encoding="utf-8")
        if self._fails:
            raise RuntimeError("no network")


def test_nothing_is_installed_without_consent(displayed: list[Any]) -> None:
    pip = Pip()
    displays.answer_next_question(False)
    assert not offer_to_install(MISSING, pip)
    assert pip.asked == []
    assert "onnxruntime (about 20 MB)" in displayed[0].text


def test_consent_installs_the_package_and_keeps_slicers_own(displayed: list[Any]) -> None:
    pip = Pip()
    displays.answer_next_question(True)
    assert offer_to_install(MISSING, pip)
    assert pip.asked[0][0] == "onnxruntime"
    assert f"numpy=={version('numpy')}\n" in pip.constraints


def test_a_failed_installation_is_said_and_nothing_else_breaks(
    displayed: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    displays.answer_next_question(True)
    assert not offer_to_install(MISSING, Pip(fails=True))
    assert "could not be installed" in displayed[-1].text
    assert "no network" in caplog.text
