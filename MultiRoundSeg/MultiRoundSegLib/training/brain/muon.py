"""Muon: momentum whose step is orthogonalised (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon/).

A small convolutional network under-fits for lack of steps on a processor; Muon needs fewer of them than Adam.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

_QUINTIC = (3.4445, -4.7750, 2.0315)  # Jordan's coefficients: singular values go to about 1 in five steps


class Muon(torch.optim.Optimizer):
    """For the kernels of convolutions; each is seen as a matrix (outputs, inputs x positions).

    Args:
        parameters: weights of two or more dimensions.
        lr: length of a step, in units of a matrix with singular values 1.
        momentum: of the gradient's running sum, with Nesterov's look ahead.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], lr: float, momentum: float = 0.95) -> None:
        super().__init__(parameters, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self) -> None:
        """Move every weight against its orthogonalised momentum."""
        for group in self.param_groups:
            for weight in group["params"]:
                state = self.state[weight]
                if not state:
                    state["momentum"] = torch.zeros_like(weight)
                state["momentum"].lerp_(weight.grad, 1 - group["momentum"])
                ahead = weight.grad.lerp(state["momentum"], group["momentum"])
                update = orthogonalise(ahead.flatten(1))
                scale = max(1.0, update.shape[0] / update.shape[1]) ** 0.5
                weight.add_(update.view_as(weight), alpha=-group["lr"] * scale)


def orthogonalise(matrix: Tensor, iterations: int = 5) -> Tensor:
    """The nearest matrix with singular values of about 1, by a Newton-Schulz iteration.

    The iteration multiplies from the left by polynomials of the Gram matrix; these are gathered, so that
    the long side of a kernel's matrix is touched twice only.

    Args:
        matrix: (M, N).
        iterations: Newton-Schulz steps.
    """
    x = matrix.T if matrix.shape[0] > matrix.shape[1] else matrix
    x = x / (x.norm() + 1e-7)
    gram = x @ x.T
    identity = torch.eye(len(gram), device=x.device)
    product = identity
    for _ in range(iterations):
        factor = _QUINTIC[0] * identity + _QUINTIC[1] * gram + _QUINTIC[2] * gram @ gram
        product = factor @ product
        gram = factor @ gram @ factor
    x = product @ x
    return x.T if matrix.shape[0] > matrix.shape[1] else x
