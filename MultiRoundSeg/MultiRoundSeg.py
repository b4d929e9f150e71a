"""The doorway through which Slicer finds the module; everything else is in MultiRoundSegLib."""

from pathlib import Path

import qt
import slicer
from slicer.i18n import tr as _
from slicer.i18n import translate
from slicer.ScriptedLoadableModule import (
    ScriptedLoadableModule,
    ScriptedLoadableModuleLogic,
    ScriptedLoadableModuleWidget,
)
from slicer.util import VTKObservationMixin

from MultiRoundSegLib.panel.chat_panel import ChatPanel
from MultiRoundSegLib.panel.choices import Choices
from MultiRoundSegLib.panel.engine_choice import EngineChoice
from MultiRoundSegLib.panel.environment import Environment
from MultiRoundSegLib.panel.local_worker import LocalWorker
from MultiRoundSegLib.panel.logic import MultiRoundSegLogic as _Logic


class MultiRoundSeg(ScriptedLoadableModule):
    """What Slicer lists: title, category, help."""

    def __init__(self, parent):
        """Describe the module."""
        ScriptedLoadableModule.__init__(self, parent)
        parent.title = _("MultiRoundSeg")
        parent.categories = [translate("qSlicerAbstractCoreModule", "Segmentation")]
        parent.dependencies = ["Segmentations", "Sequences"]
        parent.contributors = ["MultiRoundSeg developers"]
        parent.helpText = _(
            "Ask for structures of a scan in English or Chinese; every round gives an answer in words "
            "and a named segment. For research and teaching, not for diagnosis."
        )
        parent.acknowledgementText = _("Builds on the ideas of MediRound, MTurn-Seg, MedSeg-R and MedSG-Bench.")


class MultiRoundSegWidget(ScriptedLoadableModuleWidget, VTKObservationMixin):
    """The panel's life in Slicer: set up, shown, scene closed and loaded."""

    def __init__(self, parent=None):
        """Nothing is built before `setup`."""
        ScriptedLoadableModuleWidget.__init__(self, parent)
        VTKObservationMixin.__init__(self)
        self.logic = None
        self.panel = None
        self.choices = None

    def setup(self):
        """Build the panel; called when the module is first opened."""
        ScriptedLoadableModuleWidget.setup(self)
        panel_widget = slicer.util.loadUI(self.resourcePath("UI/MultiRoundSeg.ui"))
        self.layout.addWidget(panel_widget)
        panel_widget.setMRMLScene(slicer.mrmlScene)
        self.logic = MultiRoundSegLogic()
        ui = slicer.util.childWidgetVariables(panel_widget)
        folder = Path(slicer.app.slicerUserSettingsFilePath).parent / "MultiRoundSeg" / "worker"
        environment = Environment(folder)
        choice = EngineChoice(ui, environment, LocalWorker(environment.command))
        self.panel = ChatPanel(ui, self.logic, choice)
        selectors = {"volume": ui.volumeSelector, "segmentation": ui.segmentationSelector, "atlas": ui.atlasSelector}
        self.choices = Choices(self.logic.getParameterNode, selectors)
        scene = slicer.mrmlScene
        self.addObserver(scene, scene.StartCloseEvent, self.onSceneStartClose)
        self.addObserver(scene, scene.EndCloseEvent, self.onSceneChanged)
        self.addObserver(scene, scene.EndImportEvent, self.onSceneChanged)

    def cleanup(self):
        """Let go of scene and engine; called before the module is reloaded or Slicer exits."""
        self.removeObservers()
        if self.panel:
            self.panel.close()
        self.panel = None

    def enter(self):
        """The module was opened: show the dialogue as it is now."""
        self.resume()

    def onSceneStartClose(self, caller, event):
        """The scene is about to close: stop what runs."""
        self.panel.let_go()

    def onSceneChanged(self, caller, event):
        """A scene was closed or loaded: show its dialogue, once the selectors know its nodes."""
        qt.QTimer.singleShot(0, self.resume)

    def resume(self):
        """Show the dialogue of the present scene."""
        if self.panel:
            self.choices.restore()
            self.panel.refresh()


class MultiRoundSegLogic(_Logic, ScriptedLoadableModuleLogic):
    """The logic, with the parameter node that Slicer keeps for the module."""

    def __init__(self):
        """Start with no engine."""
        ScriptedLoadableModuleLogic.__init__(self)
        _Logic.__init__(self)
