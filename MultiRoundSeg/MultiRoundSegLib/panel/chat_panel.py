"""The chat panel: reads its widgets, calls the logic, shows the outcome."""

from __future__ import annotations

import logging
from collections.abc import Callable
from html import escape
from typing import Any

import qt
import slicer
from slicer.i18n import tr as _

from MultiRoundSegLib.conversation import Conversation, Reference
from MultiRoundSegLib.errors import MultiRoundSegError, PackageMissingError
from MultiRoundSegLib.images import SliceView

from .asking import WindowProgress
from .chips import Chips
from .engine_choice import EngineChoice
from .installing import offer_to_install
from .keys import QuestionKeys
from .logic import MultiRoundSegLogic
from .messages import SHOW, dialogue_html, parse_link
from .overlap import Overlap
from .scene_images import view_of
from .watch import SegmentWatch


class ChatPanel:
    """Connects the widgets of MultiRoundSeg.ui with the logic."""

    def __init__(
        self,
        ui: Any,
        logic: MultiRoundSegLogic,
        choice: EngineChoice,
        install: Callable[[PackageMissingError], bool] = offer_to_install,
    ) -> None:
        """Fill and connect the widgets.

        Args:
            ui: the named child widgets of MultiRoundSeg.ui as attributes.
            logic: what answers.
            choice: where the engine runs.
            install: asks the user whether to install a package; tells whether it is there now.
        """
        self.ui = ui
        self._install = install
        self.logic = logic
        self.choice = choice
        self._running: WindowProgress | None = None
        self._closed = False
        self._notices: list[str] = []
        self._shown: tuple[Any, int, list[str]] = (None, 0, [])
        self._chips = Chips(ui.chipsContents.layout())
        self._watch = SegmentWatch(self.refresh)
        self._keys = QuestionKeys(self.ask, self.cancel)
        ui.questionEdit.installEventFilter(self._keys)
        for overlap, text in (
            (Overlap.ALLOW, _("Allow overlap")),
            (Overlap.PROTECT, _("Protect earlier segments")),
            (Overlap.OVERWRITE, _("Overwrite earlier segments")),
        ):
            ui.overlapSelector.addItem(text, overlap.value)
        self._connect()
        self.refresh()

    @property
    def volume_node(self) -> Any:
        """The scan that is asked about, or None."""
        return self.ui.volumeSelector.currentNode()

    def let_go(self) -> None:
        """Stop what runs and let go of the scene."""
        self.cancel()
        self._watch.stop()
        self.logic.close()

    def close(self) -> None:
        """Let go of everything, the worker on this computer too."""
        self._closed = True
        self.let_go()
        self.choice.close()

    def ask(self) -> None:
        """Send the question; on any trouble the question stays in the field and the scene as it was."""
        text = self.ui.questionEdit.plainText.strip()
        if self._running or not text:
            return
        if self.volume_node is None:
            self._notify(_("Load a scan and choose it as the volume first."))
            return
        self._running = WindowProgress(self.ui.progressBar, self.choice.watch)
        self._notices = []
        self._set_enabled()
        missing = None
        try:
            self._ask(text)
        except PackageMissingError as error:
            missing = error
            self._notices.append(str(error))
        except MultiRoundSegError as error:
            self._notices.append(str(error))
        except Exception:
            self._notices.append(_unexpected())
        finally:
            self._running = None
            self.refresh()
        if missing and not self._closed and self._install(missing):
            self.ask()

    def cancel(self) -> None:
        """Stop the running question."""
        if self._running:
            self._running.cancel()

    def undo(self) -> None:
        """Take back the last round."""
        self._try(lambda: self.logic.undo(self.volume_node))

    def show(self) -> None:
        """Centre the views on the pressed chip, or on the last result."""
        pressed = self._chips.pressed
        self._try(lambda: self.logic.show(self.volume_node, pressed[-1] if pressed else None))

    def follow(self, link: Any) -> None:
        """A segment was clicked: show it; a proposed answer was clicked: send it."""
        kind, number, item = parse_link(link.toString())
        if kind == SHOW:
            self._try(lambda: self.logic.show(self.volume_node, Reference(number, item - 1)))
        else:
            self._try(lambda: self._choose(number, item))

    def refresh(self) -> None:
        """Show the dialogue of the chosen volume as the scene has it now."""
        if self._running or self._closed:
            return
        notices = list(self._notices)
        conversation = self._conversation(notices) if self.volume_node else None
        self._watch.watch(self.logic.segmentations(self.volume_node) if conversation else [])
        colours = self.logic.colours(self.volume_node) if conversation else {}
        html = dialogue_html(conversation, colours, notices) if conversation else _hint(notices)
        self._show_messages(html, len(conversation.rounds) if conversation else 0, notices)
        if conversation:
            self._chips.show(conversation)
        else:
            self._chips.clear()
        self._set_enabled(conversation)

    def _show_messages(self, html: str, rounds: int, notices: list[str]) -> None:
        """Show the dialogue; scroll to a round or notice that is new at its end, else stay where the reader is."""
        bar = self.ui.messageBrowser.verticalScrollBar()
        volume_node, rounds_before, notices_before = self._shown
        is_new = (
            volume_node is not self.volume_node or rounds > rounds_before or (notices and notices != notices_before)
        )
        position = bar.value
        self._shown = (self.volume_node, rounds, notices)
        self.ui.messageBrowser.setHtml(html)
        if is_new:
            self.ui.messageBrowser.moveCursor(qt.QTextCursor.End)
        else:
            bar.value = position

    def _ask(self, text: str) -> None:
        assert self._running is not None, "a question runs"
        engine, settings = self.choice.engine(self._running)
        self.logic.ask(
            self.volume_node,
            text,
            self.ui.segmentationSelector.currentNode(),
            self._chips.pressed,
            engine=engine,
            settings=settings,
            view=self._view(),
            overlap=self.ui.overlapSelector.currentData,
            atlasNode=self.ui.atlasSelector.currentNode(),
            progress=self._running,
        )
        self.ui.questionEdit.plainText = ""
        self._chips.release()

    def _view(self) -> SliceView | None:
        """The slice that the red viewer shows, where the layout has one."""
        layout = slicer.app.layoutManager()
        widget = layout.sliceWidget("Red") if layout else None
        return view_of(widget.mrmlSliceNode(), self.volume_node) if widget else None

    def _choose(self, number: int, item: int) -> None:
        """Send the proposed answer `item` of round `number`, both counted from 1."""
        choices = self.logic.conversation(self.volume_node).rounds[number - 1].answer.choices
        self.ui.questionEdit.plainText = choices[item - 1]
        self.ask()

    def _conversation(self, notices: list[str]) -> Conversation | None:
        """The dialogue; where it cannot be read, None and a notice why, unless that is said already."""
        try:
            return self.logic.conversation(self.volume_node, self.ui.segmentationSelector.currentNode())
        except MultiRoundSegError as error:
            reason = str(error)
        except Exception:
            reason = _unexpected()
        if reason not in notices:
            notices.append(reason)
        return None

    def _try(self, action: Any) -> None:
        self._notices = []
        try:
            action()
        except MultiRoundSegError as error:
            self._notices.append(str(error))
        except Exception:
            self._notices.append(_unexpected())
        self.refresh()

    def _notify(self, sentence: str) -> None:
        self._notices = [sentence]
        self.refresh()

    def _connect(self) -> None:
        self.ui.askButton.connect("clicked(bool)", lambda checked: self.ask())
        self.ui.cancelButton.connect("clicked(bool)", lambda checked: self.cancel())
        self.ui.undoButton.connect("clicked(bool)", lambda checked: self.undo())
        self.ui.showButton.connect("clicked(bool)", lambda checked: self.show())
        self.ui.messageBrowser.connect("anchorClicked(QUrl)", self.follow)
        self.ui.volumeSelector.connect("currentNodeChanged(vtkMRMLNode*)", self._volume_changed)

    def _volume_changed(self, node: Any) -> None:
        self._notices = []
        self.refresh()

    def _set_enabled(self, conversation: Conversation | None = None) -> None:
        running = self._running is not None
        has_rounds = conversation is not None and bool(conversation.rounds)
        self.ui.askButton.enabled = not running
        self.ui.cancelButton.enabled = running
        self.ui.undoButton.enabled = has_rounds and not running
        self.ui.showButton.enabled = has_rounds and not running
        for selector in (
            self.ui.volumeSelector,
            self.ui.segmentationSelector,
            self.ui.atlasSelector,
            self.ui.engineSelector,
        ):
            selector.enabled = not running
        self.ui.progressBar.visible = running


def _hint(notices: list[str]) -> str:
    lines = notices or [_("Load a scan, and a segmentation of it if you have one, then ask for a structure.")]
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _unexpected() -> str:
    """Log the exception that is being handled, and what to say of it."""
    logging.exception("Something unexpected went wrong.")
    return str(_("Something unexpected went wrong; the error log says more."))
