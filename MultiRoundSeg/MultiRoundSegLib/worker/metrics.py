"""Figures for Prometheus: nothing in them tells what was asked or seen."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from .service import Service


class Metrics:
    """The figures of one app."""

    def __init__(self, service: Service) -> None:
        """Watch a service."""
        self._registry = registry = CollectorRegistry()
        self.answers = Counter("multiroundseg_answers", "Questions that ended, by how.", ["state"], registry=registry)
        self.seconds = Histogram(
            "multiroundseg_answer_seconds",
            "Seconds from question to end.",
            buckets=(0.1, 0.3, 1, 3, 10, 30, 100),
            registry=registry,
        )
        self.received = Counter("multiroundseg_received_bytes", "Bytes of voxels received.", registry=registry)
        for name, text, value in (
            ("sessions", "Sessions that are open.", lambda: service.session_count),
            ("waiting", "Questions in line.", lambda: len(service.line)),
            ("kept_bytes", "Bytes of voxels kept.", lambda: service.kept_bytes),
        ):
            Gauge(f"multiroundseg_{name}", text, registry=registry).set_function(value)

    def ended(self, state: str, seconds: float) -> None:
        """Count a question that is over."""
        self.answers.labels(state).inc()
        self.seconds.observe(seconds)

    def text(self) -> bytes:
        """The figures as Prometheus reads them."""
        return generate_latest(self._registry)
