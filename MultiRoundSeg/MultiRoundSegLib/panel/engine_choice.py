"""Where the engine runs: the widgets of the choice, what is remembered of it, and setting up this computer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import slicer
from slicer.i18n import tr as _

from MultiRoundSegLib.engines import Progress, create_engine
from MultiRoundSegLib.errors import EngineUnavailableError

from .environment import MEGABYTES, PACKAGES, Environment
from .local_worker import LocalWorker
from .task import Task

HERE, COMPUTER, SERVER = "here", "computer", "server"
_GROUP = "MultiRoundSeg/"
_OUTPUT_LINES = 500
_ENDS_WITHIN_S = 3.0
"""A set-up that was stopped has then removed what it had begun."""


class EngineChoice:
    """In Slicer, in a worker on this computer, or in a worker on a server."""

    def __init__(self, ui: Any, environment: Environment, worker: LocalWorker) -> None:
        """Fill and connect the widgets, with what was chosen last.

        Args:
            ui: the panel's widgets.
            environment: where the worker on this computer has its packages.
            worker: the worker on this computer.
        """
        self.ui = ui
        self._environment, self._worker = environment, worker
        self._task: Task | None = None
        self._stop = threading.Event()
        for place, text in (
            (HERE, _("In Slicer (offline reasoner)")),
            (COMPUTER, _("Worker on this computer")),
            (SERVER, _("Worker on a server")),
        ):
            ui.engineSelector.addItem(text, place)
        ui.setupOutput.maximumBlockCount = _OUTPUT_LINES
        self._restore()
        self._connect()
        self.refresh()

    @property
    def place(self) -> str:
        """Where the engine runs."""
        return str(self.ui.engineSelector.currentData)

    def engine(self, progress: Progress) -> tuple[str, dict[str, Any]]:
        """Name and settings for `create_engine`; the worker on this computer is started where it does not run.

        Raises:
            EngineUnavailableError: what was chosen is not there.
            CancelledError: `progress` said so.
        """
        if self.place == HERE:
            return "reasoner", {}
        if self.place == SERVER:
            return "remote", self._server()
        if not self._environment.is_ready:
            raise EngineUnavailableError(
                _("This computer is not set up for a worker yet; press Set up this computer, or choose another engine.")
            )
        return "remote", self._worker.settings(progress)

    def watch(self) -> None:
        """Start the worker on this computer again where it ended; called while a question is being answered."""
        if self.place == COMPUTER:
            self._worker.watch()

    def test(self) -> None:
        """Ask the server who it is, and say what it says."""
        try:
            settings = self._server()
        except EngineUnavailableError as error:
            self._say(str(error))
            return
        self._say(_("Testing the connection…"))
        self._begin(
            lambda post: create_engine("remote", **settings).info,
            lambda info: self._say(
                _("Connected: {title}, version {version}.").format(title=info.title, version=info.version)
            ),
        )

    def set_up(self) -> None:
        """After a click that says what and how much, make the environment of the worker on this computer."""
        question = _(
            "Install the packages of the worker ({packages}), about {megabytes} MB, into a folder of their own?\n\n"
            "{folder}\n\nSlicer's own packages are not touched."
        ).format(packages=", ".join(PACKAGES), megabytes=MEGABYTES, folder=self._environment.folder)
        if not slicer.util.confirmOkCancelDisplay(question, _("Set up this computer")):
            return
        self._worker.forget()
        self._stop.clear()
        wheels = self.ui.wheelsEdit.text.strip()
        self.ui.setupOutput.clear()
        self._say(_("Setting up…"))
        self._begin(
            lambda post: self._environment.make(post, self._stop.is_set, Path(wheels) if wheels else None),
            lambda nothing: self.refresh(),
            self.ui.setupOutput.appendPlainText,
        )

    def remove(self) -> None:
        """Delete the environment of the worker on this computer."""
        self._worker.forget()
        self._say(_("Removing…"))
        self._begin(lambda post: self._environment.remove(), lambda nothing: self.refresh())

    def cancel(self) -> None:
        """Stop setting up."""
        self._stop.set()

    def close(self) -> None:
        """End the worker and whatever runs."""
        self.cancel()
        if self._task:
            self._task.drop(_ENDS_WITHIN_S)
        self._worker.forget()

    def refresh(self) -> None:
        """Show what belongs to the choice, and how it stands."""
        working = self._task is not None and not self._task.is_over
        self.ui.serverWidget.visible = self.place == SERVER
        self.ui.computerWidget.visible = self.place == COMPUTER
        self.ui.testButton.enabled = not working
        self.ui.setupButton.enabled = not working
        self.ui.setupCancelButton.enabled = working
        self.ui.removeButton.enabled = not working and self._environment.folder.exists()
        self.ui.setupButton.text = _("Repair") if self._environment.is_ready else _("Set up this computer")
        self.ui.setupOutput.visible = working or bool(self.ui.setupOutput.plainText)
        self.ui.engineStateLabel.visible = self.place != HERE
        if working:
            return
        if self.place == SERVER:
            self._say(_("Not tested yet."))
        elif self._worker.is_running:
            self._say(_("The worker is running."))
        elif self._environment.is_ready:
            self._say(_("Set up; the worker starts with the first question."))
        else:
            self._say(_("Not set up."))

    def _server(self) -> dict[str, Any]:
        """The settings of the server.

        Raises:
            EngineUnavailableError: no address was given.
        """
        address = self.ui.addressEdit.text.strip()
        if not address:
            raise EngineUnavailableError(_("Write the worker's address first, such as https://server:8642."))
        certificate = self.ui.certificateEdit.text.strip()
        return {"url": address, "token": self.ui.tokenEdit.text or None, "ca_file": certificate or None}

    def _begin(
        self, work: Callable[[Any], Any], done: Callable[[Any], None], posted: Callable[[Any], None] = lambda item: None
    ) -> None:
        self._task = Task(work, lambda result: self._end(lambda: done(result)), self._failed, posted)
        self.refresh()

    def _end(self, say: Callable[[], None]) -> None:
        self._task = None
        self.refresh()
        say()

    def _failed(self, error: Exception) -> None:
        self._end(lambda: self._say(str(error)))

    def _say(self, sentence: str) -> None:
        self.ui.engineStateLabel.text = sentence

    def _restore(self) -> None:
        settings = slicer.app.userSettings()
        self.ui.addressEdit.text = settings.value(f"{_GROUP}address", "") or ""
        self.ui.certificateEdit.text = settings.value(f"{_GROUP}certificate", "") or ""
        self.ui.tokenEdit.text = settings.value(f"{_GROUP}token", "") or ""
        self.ui.rememberCheckBox.checked = bool(self.ui.tokenEdit.text)
        chosen = self.ui.engineSelector.findData(settings.value(f"{_GROUP}engine", HERE))
        self.ui.engineSelector.setCurrentIndex(max(chosen, 0))

    def _keep(self) -> None:
        settings = slicer.app.userSettings()
        settings.setValue(f"{_GROUP}engine", self.place)
        settings.setValue(f"{_GROUP}address", self.ui.addressEdit.text.strip())
        settings.setValue(f"{_GROUP}certificate", self.ui.certificateEdit.text.strip())
        if self.ui.rememberCheckBox.checked and self.ui.tokenEdit.text:
            settings.setValue(f"{_GROUP}token", self.ui.tokenEdit.text)
        else:
            settings.remove(f"{_GROUP}token")

    def _changed(self) -> None:
        self._keep()
        self.refresh()

    def _connect(self) -> None:
        self.ui.engineSelector.connect("currentIndexChanged(int)", lambda index: self._changed())
        for edit in (self.ui.addressEdit, self.ui.tokenEdit, self.ui.certificateEdit):
            edit.connect("editingFinished()", self._keep)
        self.ui.rememberCheckBox.connect("toggled(bool)", lambda checked: self._keep())
        self.ui.testButton.connect("clicked(bool)", lambda checked: self.test())
        self.ui.setupButton.connect("clicked(bool)", lambda checked: self.set_up())
        self.ui.setupCancelButton.connect("clicked(bool)", lambda checked: self.cancel())
        self.ui.removeButton.connect("clicked(bool)", lambda checked: self.remove())
