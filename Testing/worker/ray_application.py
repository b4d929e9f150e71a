"""Starts the Ray Serve application with two replicas of a tiny engine, and lets clients talk to it.

Prints, as JSON, the replica that answered each round of each client.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading

import ray
from engine_contract import Told
from fakes import FakeEngine, answer
from ray import serve

from deploy.ray_serve import replicated
from MultiRoundSegLib.conversation import Answer, Conversation, Question
from MultiRoundSegLib.engines import Engine, create_engine
from MultiRoundSegLib.images import Volume
from worker.talking import GRID, VOLUME

CLIENTS, ROUNDS = 8, 3


def tiny_engine() -> Engine:
    """Says which process it is."""

    def reply(question: Question, history: Conversation, volume: Volume) -> Answer:
        return answer(str(os.getpid()))

    return FakeEngine(reply)


def main() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    serve.run(replicated(tiny_engine, 2))
    answered: list[list[str]] = [[] for _ in range(CLIENTS)]

    def talk(number: int) -> None:
        session = create_engine("remote", url=f"http://127.0.0.1:{port}").open(VOLUME)
        history = Conversation(GRID)
        for _ in range(ROUNDS):
            question = Question("who?")
            round_ = history.record(question, session.answer(question, history, progress=Told()))
            answered[number].append(round_.answer.text)

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    serve.shutdown()
    ray.shutdown()
    sys.stdout.write(json.dumps(answered))


if __name__ == "__main__":
    main()
