"""What Qt 5.15, the Qt of Slicer 5.12, does not have although PySide6 has it.

The names are those that PySide6 6.12 defines and Qt 5.15 does not; of classes that a panel is unlikely to use,
only the commonest are listed.
"""

from __future__ import annotations

_CLASSES = frozenset(
    [
        "QDirListing",
        "QEventPoint",
        "QInputDevice",
        "QKeyCombination",
        "QPageRanges",
        "QPermission",
        "QPointerEvent",
        "QPointingDevice",
        "QRangeModel",
        "QSinglePointEvent",
        "QStringConverter",
        "QStringDecoder",
        "QStringEncoder",
    ]
)

_MEMBERS = {
    "QAbstractSpinBox": "returnPressed",
    "QAction": "associatedObjects checkableChanged enabledChanged resetEnabled visibleChanged",
    "QCheckBox": "checkStateChanged",
    "QColor": "fromString isValidColorName toTuple",
    "QComboBox": "LabelDrawingMode UseDelegate UseStyle labelDrawingMode setLabelDrawingMode",
    "QCoreApplication": "checkPermission requestPermission instanceExists",
    "QDateTime": "toPython",
    "QDropEvent": "buttons modifiers position",
    "QEvent": "clone isInputEvent isPointerEvent isSinglePointEvent",
    "QFileInfo": "isAlias isOther junctionTarget readSymLink stat",
    "QFont": "clearFeatures featureTags featureValue isFeatureSet legacyWeight setFeature setLegacyWeight"
    " setVariableAxis variableAxisValue",
    "QFontDatabase": "hasFamily",
    "QFormLayout": "isRowVisible setRowVisible",
    "QGuiApplication": "setBadgeNumber",
    "QImage": "deviceIndependentSize flip flipped",
    "QInputEvent": "device deviceType",
    "QKeyEvent": "keyCombination",
    "QKeySequenceEdit": "finishingKeyCombinations isClearButtonEnabled maximumSequenceLength"
    " setClearButtonEnabled setFinishingKeyCombinations setMaximumSequenceLength",
    "QLayout": "horizontalSizeConstraint setHorizontalSizeConstraint setSizeConstraints"
    " setVerticalSizeConstraint unsetContentsMargins verticalSizeConstraint",
    "QListWidget": "setSupportedDragActions supportedDragActions",
    "QLocale": "territory territoryToString",
    "QMessageBox": "DontUseNativeDialog options setOption setOptions testOption",
    "QObject": "emit isQmlExposed isQuickItemType",
    "QPalette": "Accent accent",
    "QPixmap": "deviceIndependentSize",
    "QPlainTextEdit": "zoomInF",
    "QPoint": "toPointF toTuple",
    "QProcess": "startCommand",
    "QRect": "span toRectF",
    "QScrollBar": "createStandardContextMenu",
    "QSinglePointEvent": "globalPosition isBeginEvent isEndEvent isUpdateEvent position scenePosition",
    "QSize": "toSizeF toTuple",
    "QStyleHints": "accessibility colorScheme colorSchemeChanged setColorScheme unsetColorScheme",
    "QTextCursor": "insertMarkdown",
    "QTextDocumentFragment": "fromMarkdown toMarkdown toRawText",
    "QTextEdit": "zoomInF",
    "QThread": "isCurrentThread isMainThread",
    "QTimer": "id intervalAsDuration remainingTimeAsDuration",
    "QWidget": "accessibleIdentifier setAccessibleIdentifier setScreen",
    "Qt": "Dark Light",
}
_MEMBERS_OF = {name: frozenset(members.split()) for name, members in _MEMBERS.items()}


def refuse_class(name: str) -> None:
    """Raise AttributeError if class `name` came with Qt 6."""
    if name in _CLASSES:
        raise AttributeError(f"qt.{name} came with Qt 6; Slicer 5.12 has Qt 5.15.")


def refuse_member(native_class: type, name: str) -> None:
    """Raise AttributeError if member `name` of `native_class` or one of its bases came with Qt 6."""
    for ancestor in native_class.__mro__:
        if name in _MEMBERS_OF.get(ancestor.__name__, ()):
            raise AttributeError(f"{ancestor.__name__}.{name} came with Qt 6; Slicer 5.12 has Qt 5.15.")
