"""The JSON that travels besides messages, for checking and for the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Size = Annotated[int, Field(gt=0, lt=2**31, strict=True)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Row = tuple[Number, Number, Number, Number]


class EngineModel(BaseModel):
    """Who answers."""

    name: str
    version: str
    title: str
    weights: str | None = Field(description="SHA-256 of the weights")


class LimitsModel(BaseModel):
    """How much the worker takes on."""

    volume_bytes: int
    message_bytes: int
    sessions: int
    waiting: int


class Info(BaseModel):
    """What this worker is."""

    protocol: int
    engine: EngineModel
    device: str
    limits: LimitsModel


class Health(BaseModel):
    """That the worker runs."""

    status: Literal["ok"] = "ok"


class VolumeDescription(BaseModel):
    """A volume without its voxels."""

    model_config = ConfigDict(extra="forbid")

    shape: tuple[Size, Size, Size] = Field(description="voxels along (K, J, I)")
    components: Literal[1, 3]
    dtype: Literal["|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<f4", "<f8"]
    ijk_to_ras: tuple[Row, Row, Row, Row] = Field(description="from (i, j, k) to RAS, mm")
    modality: Annotated[str, Field(max_length=16)]
    frame: Annotated[str, Field(max_length=64)] | None
    sha256: Digest


class Opened(BaseModel):
    """A session that was opened."""

    session: str


class Asked(BaseModel):
    """How far a question is."""

    state: Literal["waiting", "running", "done", "failed", "cancelled"]


class Fault(BaseModel):
    """Why something failed."""

    model_config = ConfigDict(extra="allow")

    error: str = Field(description="class of MultiRoundSegLib.errors")
    message: str = Field(description="one sentence")
