"""Sample scans are kept only as they were recorded; nothing here needs the network."""

from __future__ import annotations

import hashlib
import io
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import sample_data
from sample_data import Archive, SampleDataError, digest, fetch

SCAN = b"a scan"
SLICES = {"1.dcm": b"first slice", "2.dcm": b"second slice"}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def a_tar(path: Path, files: dict[str, bytes], *, links: dict[str, str] | None = None) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return path


def a_zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def recorded(packed: Path, **members: tuple[str, str]) -> Archive:
    """What `sample_data.json` would say of an archive; members are (path inside, SHA-256)."""
    return {
        "requirement": "scans==1.0",
        "sha256": digest(packed),
        "members": {name: {"path": path, "sha256": hash_} for name, (path, hash_) in members.items()},
    }


def copying(packed: Path) -> Callable[[Archive, Path], Path]:
    """A download that copies a local archive."""
    return lambda _archive, folder: Path(shutil.copy(packed, folder))


def no_network(_archive: Archive, _folder: Path) -> Path:
    raise SampleDataError("There is no network.")


@pytest.mark.parametrize("pack", [a_tar, a_zip])
def test_a_sample_is_taken_out_of_either_kind_of_archive(
    tmp_path: Path, pack: Callable[[Path, dict[str, bytes]], Path]
) -> None:
    packed = pack(tmp_path / "packed", {"scans/data/ct.nrrd": SCAN, "scans/setup.py": b"code"})
    archive = recorded(packed, ct=("scans/data/ct.nrrd", sha256(SCAN)))

    path = fetch("ct", archives=[archive], data=tmp_path / "data", download=copying(packed))

    assert path == tmp_path / "data" / "scans-1.0" / "ct.nrrd"
    assert path.read_bytes() == SCAN
    assert [file.name for file in (tmp_path / "data").rglob("*") if file.is_file()] == ["ct.nrrd"]


@pytest.mark.parametrize("pack", [a_tar, a_zip])
def test_a_series_is_a_folder_of_its_slices(tmp_path: Path, pack: Callable[[Path, dict[str, bytes]], Path]) -> None:
    packed = pack(tmp_path / "packed", {f"scans/series/{name}": slice_ for name, slice_ in SLICES.items()})
    lines = "".join(f"{sha256(slice_)}  {name}\n" for name, slice_ in SLICES.items())
    archive = recorded(packed, series=("scans/series", sha256(lines.encode())))

    folder = fetch("series", archives=[archive], data=tmp_path / "data", download=copying(packed))

    assert {file.name: file.read_bytes() for file in folder.iterdir()} == SLICES


def test_the_second_use_needs_no_network(tmp_path: Path) -> None:
    packed = a_tar(tmp_path / "packed", {"ct.nrrd": SCAN, "labels.nrrd": b"labels"})
    archive = recorded(packed, ct=("ct.nrrd", sha256(SCAN)), labels=("labels.nrrd", sha256(b"labels")))
    fetch("ct", archives=[archive], data=tmp_path / "data", download=copying(packed))

    path = fetch("labels", archives=[archive], data=tmp_path / "data", download=no_network)

    assert path.read_bytes() == b"labels"


def test_a_damaged_sample_is_downloaded_again(tmp_path: Path) -> None:
    packed = a_tar(tmp_path / "packed", {"ct.nrrd": SCAN})
    archive = recorded(packed, ct=("ct.nrrd", sha256(SCAN)))
    fetch("ct", archives=[archive], data=tmp_path / "data", download=copying(packed)).write_bytes(b"half a sc")

    path = fetch("ct", archives=[archive], data=tmp_path / "data", download=copying(packed))

    assert path.read_bytes() == SCAN


def test_an_archive_with_other_bytes_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    packed = a_tar(tmp_path / "packed", {"ct.nrrd": SCAN})
    archive = recorded(packed, ct=("ct.nrrd", sha256(SCAN))) | {"sha256": sha256(b"another archive")}

    with pytest.raises(SampleDataError, match="packed is missing or is not the recorded one"):
        fetch("ct", archives=[archive], data=tmp_path / "data", download=copying(packed))

    assert list((tmp_path / "data").iterdir()) == []


def test_one_wrong_file_keeps_its_whole_archive_out(tmp_path: Path) -> None:
    packed = a_tar(tmp_path / "packed", {"ct.nrrd": SCAN, "labels.nrrd": b"labels"})
    archive = recorded(packed, ct=("ct.nrrd", sha256(SCAN)), labels=("labels.nrrd", sha256(b"others")))

    with pytest.raises(SampleDataError, match=r"labels\.nrrd"):
        fetch("ct", archives=[archive], data=tmp_path / "data", download=copying(packed))

    assert list((tmp_path / "data").iterdir()) == []


def test_names_that_lead_out_of_the_folder_write_nothing_there(tmp_path: Path) -> None:
    outside = {"../evil": b"1", "series/../../evil": b"2", "series/..": b"3", f"{tmp_path}/evil": b"4"}
    packed = a_tar(tmp_path / "packed", outside | {"series/1.dcm": SCAN})
    line = f"{sha256(SCAN)}  1.dcm\n"
    archive = recorded(packed, series=("series", sha256(line.encode())))

    folder = fetch("series", archives=[archive], data=tmp_path / "data", download=copying(packed))

    assert [file.name for file in folder.iterdir()] == ["1.dcm"]
    assert list(tmp_path.rglob("evil")) == []


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(SCAN)
    packed = a_tar(tmp_path / "packed", {}, links={"ct.nrrd": str(secret)})
    archive = recorded(packed, ct=("ct.nrrd", sha256(SCAN)))

    with pytest.raises(SampleDataError, match=r"ct\.nrrd is missing"):
        fetch("ct", archives=[archive], data=tmp_path / "data", download=copying(packed))


def test_an_unknown_name_gets_the_choice_of_names() -> None:
    with pytest.raises(SampleDataError, match="no sample 'ct_knee'; choose from ct_chest, "):
        fetch("ct_knee")


@pytest.fixture
def a_local_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A wheel that pip finds in a folder, with every index switched off."""
    index = tmp_path / "index"
    index.mkdir()
    about = "Metadata-Version: 2.1\nName: scans\nVersion: 1.0\n"
    wheel = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {
        "scans/ct.nrrd": SCAN,
        "scans-1.0.dist-info/METADATA": about.encode(),
        "scans-1.0.dist-info/WHEEL": wheel.encode(),
        "scans-1.0.dist-info/RECORD": b"",
    }
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return a_zip(index / "scans-1.0-py3-none-any.whl", files)


def test_pip_downloads_with_the_settings_of_the_user(tmp_path: Path, a_local_index: Path) -> None:
    archive = recorded(a_local_index, ct=("scans/ct.nrrd", sha256(SCAN)))

    assert fetch("ct", archives=[archive], data=tmp_path / "data").read_bytes() == SCAN


def test_pip_refuses_an_archive_with_another_hash(tmp_path: Path, a_local_index: Path) -> None:
    archive = recorded(a_local_index, ct=("scans/ct.nrrd", sha256(SCAN))) | {"sha256": sha256(b"another")}

    with pytest.raises(SampleDataError, match=r"pip could not download scans==1\.0 as recorded"):
        fetch("ct", archives=[archive], data=tmp_path / "data")

    assert list((tmp_path / "data").iterdir()) == []


def test_every_recorded_sample_states_its_source_its_licence_and_its_hashes() -> None:
    for archive in sample_data.ARCHIVES:
        assert archive["source"]
        assert archive["licence"]
        hashes = [archive["sha256"], *(member["sha256"] for member in archive["members"].values())]
        assert all(len(bytes.fromhex(hash_)) == 32 for hash_ in hashes)
