"""Installing a Python package into Slicer, after a click that says what and how large."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import slicer
from slicer.i18n import tr as _

from MultiRoundSegLib.errors import PackageMissingError

KEPT = ("numpy", "scipy", "SimpleITK", "pydicom", "requests", "pillow", "vtk")
"""Packages of Slicer that no installation may replace."""


def offer_to_install(missing: PackageMissingError, pip: Callable[[list[str]], None] | None = None) -> bool:
    """Ask whether to install a package; on consent install it, keeping Slicer's own packages as they are.

    Args:
        missing: what is needed.
        pip: installs packages; Slicer's own function by default.

    Returns:
        Whether it is installed now.
    """
    question = _("{reason} Download and install {package} (about {megabytes} MB) into Slicer now?").format(
        reason=missing, package=missing.package, megabytes=missing.megabytes
    )
    if not slicer.util.confirmOkCancelDisplay(question, _("Install a package")):
        return False
    constraints = Path(slicer.app.temporaryPath) / "MultiRoundSeg-constraints.txt"
    constraints.write_text("".join(f"{line}\n" for line in kept_versions()), encoding="utf-8")
    try:
        (pip or slicer.util.pip_install)([missing.package, "--constraint", str(constraints)])
    except Exception:
        logging.exception("The package %s could not be installed.", missing.package)
        slicer.util.errorDisplay(
            _("{package} could not be installed; the error log says why. Everything else works as before.").format(
                package=missing.package
            )
        )
        return False
    return True


def kept_versions() -> list[str]:
    """The versions of Slicer's own packages as pip constraints."""
    lines = []
    for package in KEPT:
        try:
            lines.append(f"{package}=={version(package)}")
        except PackageNotFoundError:
            continue
    return lines
