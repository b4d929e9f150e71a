"""The brain network learns, a run goes on as if it had never stopped, and ONNX computes what torch does."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from MultiRoundSegLib.training.brain.label_maps import LabelMap, label_map
from MultiRoundSegLib.training.brain.losses import label_loss
from MultiRoundSegLib.training.brain.muon import orthogonalise
from MultiRoundSegLib.training.brain.network import BrainNetwork, depth_to_space, space_to_depth
from MultiRoundSegLib.training.brain.onnx_file import read_onnx, write_onnx
from MultiRoundSegLib.training.brain.train import Run, Samples, Settings, train

TINY = Settings(
    steps=4,
    warmup_steps=1,
    decay_steps=2,
    coarse_steps=0,
    shape=(32, 32, 32),
    channels=(8, 8, 8, 8),
    held_out=1,
)


def a_head() -> LabelMap:
    """A cube of white matter in two halves, each with a thalamus."""
    numbers = np.zeros((40, 40, 40), np.int64)
    numbers[5:35, 5:35, 5:20] = 2
    numbers[5:35, 5:35, 20:35] = 41
    numbers[12:28, 12:28, 8:18] = 10
    numbers[12:28, 12:28, 22:32] = 49
    return label_map(numbers)


def weights(run: Run) -> list[torch.Tensor]:
    return list(run.network.state_dict().values()) + list(run.average.state_dict().values())


def test_the_loss_falls_on_one_image() -> None:
    run = Run(replace(TINY, steps=60, decay_steps=1))
    image, labels = Samples([a_head()], run.settings)[0]
    losses = [run.learn(image, labels) for _ in range(40)]
    assert np.mean(losses[-5:]) < 0.6 * np.mean(losses[:5])


def test_a_resumed_run_ends_with_the_same_weights(tmp_path) -> None:
    heads = [a_head(), a_head()]
    straight, stopped = Run(TINY), Run(TINY)
    train(straight, heads, tmp_path / "straight.pt", every=2, report=lambda line: None)
    train(stopped, heads, tmp_path / "half.pt", stop=2, report=lambda line: None)
    resumed = Run.load(tmp_path / "half.pt")
    train(resumed, heads, tmp_path / "half.pt", every=2, report=lambda line: None)
    assert resumed.step == straight.step == TINY.steps
    assert all(torch.equal(a, b) for a, b in zip(weights(resumed), weights(straight), strict=True))


def test_the_rate_stays_flat_until_it_falls_so_the_end_can_be_settled_late() -> None:
    short, long = replace(TINY, steps=100, decay_steps=20), replace(TINY, steps=1000, decay_steps=20)
    assert [short.rate(step) for step in range(80)] == [long.rate(step) for step in range(80)]
    assert short.rate(99) == pytest.approx(0.05)


def test_a_perfect_answer_loses_less_than_one_with_swapped_sides() -> None:
    labels = torch.from_numpy(a_head().labels[::2, ::2, ::2].copy())[None]
    kinds = torch.nn.functional.one_hot((labels & 31).long(), 18).permute(0, 4, 1, 2, 3) * 20.0
    side = torch.where(labels >= 32, 20.0, -20.0)[:, None]
    perfect, swapped = (
        label_loss(torch.cat([kinds, side], 1), labels),
        label_loss(torch.cat([kinds, -side], 1), labels),
    )
    assert perfect < 0.01
    assert swapped > 1


def test_onnx_in_half_precision_computes_what_torch_does(tmp_path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    torch.manual_seed(0)
    network = BrainNetwork(18, (8, 8, 8, 8))
    write_onnx(network, tmp_path / "brain.onnx", shape=(32, 32, 32))
    session = onnxruntime.InferenceSession(tmp_path / "brain.onnx", providers=["CPUExecutionProvider"])
    image = torch.rand(1, 1, 48, 32, 64)
    with torch.no_grad():
        expected = network.eval()(image).numpy()
    (found,) = session.run(None, {"image": image.numpy()})
    assert np.abs(found - expected).max() < 5e-3 * np.abs(expected).max()


def test_one_image_is_normalised_alike_in_training_and_in_use() -> None:
    torch.manual_seed(0)
    network = BrainNetwork(18, (8, 8, 8, 8))
    image = torch.rand(1, 1, 32, 32, 32)
    with torch.no_grad():
        assert torch.allclose(network.train()(image), network.eval()(image), atol=1e-4)


def test_depth_to_space_undoes_space_to_depth() -> None:
    image = torch.arange(2 * 4 * 6 * 8.0).reshape(1, 2, 4, 6, 8)
    assert torch.equal(depth_to_space(space_to_depth(image)), image)


def test_an_orthogonalised_matrix_has_singular_values_near_one() -> None:
    matrix = torch.from_numpy(np.random.default_rng(0).standard_normal((6, 20)).astype(np.float32))
    values = torch.linalg.svdvals(orthogonalise(matrix))
    assert values.min() > 0.5
    assert values.max() < 1.3


def test_a_second_run_starts_from_exported_weights_at_full_strength(tmp_path) -> None:
    first = Run(replace(TINY, seed=3))
    for weight in first.average.parameters():
        torch.nn.init.normal_(weight)  # as after training: equal weights would be written once
    write_onnx(first.average, tmp_path / "first.onnx", shape=TINY.shape)
    settings = Settings.of_a_second_run(steps=4, shape=TINY.shape, channels=TINY.channels)
    assert settings.seed != TINY.seed
    assert settings.strength(1) == 1.0
    second = Run(settings)
    second.start_from(tmp_path / "first.onnx")
    theirs = dict(first.average.named_parameters())
    for network in (second.network, second.average):
        for name, weight in network.named_parameters():
            is_new = name.startswith("coarse_heads.")
            assert torch.allclose(weight, theirs[name], atol=5e-3) != is_new, name


def test_weights_of_another_size_are_named(tmp_path) -> None:
    write_onnx(BrainNetwork(18, (8, 8, 8, 8)), tmp_path / "other.onnx", shape=TINY.shape)
    with pytest.raises(ValueError, match=r"stem.conv.weight is \(8, 8, 3, 3, 3\)"):
        read_onnx(BrainNetwork(18, (16, 8, 8, 8)), tmp_path / "other.onnx")
