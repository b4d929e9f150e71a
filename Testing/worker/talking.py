"""Talking to a worker by plain requests, as the protocol says."""

from __future__ import annotations

import json
import uuid
from typing import Any

import numpy as np
import requests

from MultiRoundSegLib.conversation import Answer, Conversation, Question, Reference
from MultiRoundSegLib.images import Geometry, Volume
from MultiRoundSegLib.wire.masks import encode_mask
from MultiRoundSegLib.wire.message import Message
from MultiRoundSegLib.wire.rounds import decode_answer, encode_ask
from MultiRoundSegLib.wire.volumes import chunks, describe, travelling_voxels

GRID = Geometry((6, 8, 10), np.diag([2.0, 2.0, 3.0, 1.0]))
VOLUME = Volume(np.arange(480, dtype=np.int16).reshape(GRID.shape), GRID, "CT", name="Jane Doe")


class Talk:
    """One client of a worker."""

    def __init__(self, url: str, volume: Volume = VOLUME, token: str = "") -> None:
        self.url, self.volume, self.history = f"{url}/v1", volume, Conversation(volume.geometry)
        self.http = requests.Session()
        self.http.trust_env = False
        if token:
            self.http.headers["Authorization"] = f"Bearer {token}"
        self.voxels = travelling_voxels(volume)
        self.description = describe(volume, self.voxels)
        self.session = ""

    def open(self) -> str:
        """Open a session, sending the voxels where they are asked for."""
        opened = self.post("/sessions", self.description)
        if opened.status_code == 404:
            sent = self.put(f"/volumes/{self.description['sha256']}", b"".join(chunks(self.voxels)))
            assert sent.status_code == 204, sent.text
            opened = self.post("/sessions", self.description)
        assert opened.status_code == 201, opened.text
        self.session = opened.json()["session"]
        return self.session

    def post(self, path: str, data: Any) -> requests.Response:
        return self.http.post(self.url + path, json=data, timeout=10)

    def put(self, path: str, data: bytes, **headers: str) -> requests.Response:
        return self.http.put(self.url + path, data=data, headers=headers, timeout=10)

    def get(self, path: str) -> requests.Response:
        return self.http.get(self.url + path, timeout=10)

    def delete(self, path: str) -> requests.Response:
        return self.http.delete(self.url + path, timeout=10)

    def put_question(self, text: str, *references: Reference, job: str = "") -> str:
        """Ask, and give the path of the job."""
        path = f"/sessions/{self.session}/jobs/{job or uuid.uuid4()}"
        asked = self.put(path, encode_ask(Question(text, references=references), self.history).encode())
        assert asked.status_code == 202, asked.text
        return path

    def follow(self, path: str) -> list[tuple[str, dict[str, Any]]]:
        """All events of a job to its end; masks that are wanted are sent."""
        events = []
        with self.http.get(f"{self.url}{path}/events", stream=True, timeout=10) as stream:
            name = ""
            for line in stream.iter_lines(decode_unicode=True):
                if line.startswith("event:"):
                    name = line[6:].strip()
                elif line.startswith("data:"):
                    events.append((name, json.loads(line[5:])))
                    if name == "masks":
                        self._send(path, events[-1][1]["wanted"])
        return events

    def result(self, path: str) -> Answer:
        """The answer of a job that is over."""
        response = self.get(f"{path}/result")
        assert response.status_code == 200, response.text
        return decode_answer(Message.decode(response.content), self.volume.geometry)

    def ask(self, text: str, *references: Reference) -> Answer:
        """A whole round, which is then part of the history."""
        path = self.put_question(text, *references)
        self.follow(path)
        answer = self.result(path)
        self.history.record(Question(text, references=references), answer)
        return answer

    def _send(self, path: str, wanted: list[dict[str, int]]) -> None:
        for place in wanted:
            reference = Reference(place["round"], place["mask"] - 1)
            message = encode_mask(self.history.latest(reference))
            sent = self.put(f"{path}/masks/{place['round']}/{place['mask']}", message.encode())
            assert sent.status_code == 204, sent.text
