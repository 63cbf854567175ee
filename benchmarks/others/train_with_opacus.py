"""Logistic regression by Opacus, one model a line of standard input: run by `benchmarks.learning`, not by hand.

It runs in an environment of its own, which holds PyTorch and Opacus and not this course. The first argument is a file
of arrays `X` and `y`; a request is a JSON object of the settings below; the answer is the averaged parameters, the
intercept last, and the seconds the training took.

Two ways of getting a batch to the same optimiser: "loader" is the one of Opacus' own tutorials, a `DataLoader` made
private; "gathered" indexes a tensor once a batch, which leaves only what Opacus does to a gradient.
"""

from __future__ import annotations

import json
import platform
import sys
import time
import warnings

import numpy as np
import opacus
import torch
from opacus import PrivacyEngine
from opacus.utils.uniform_sampler import UniformWithReplacementSampler
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")  # that the noise is not cryptographic; ours is not either
torch.set_num_threads(1)


def train(X: torch.Tensor, y: torch.Tensor, request: dict) -> tuple[np.ndarray, PrivacyEngine]:
    torch.manual_seed(request["seed"])
    model = torch.nn.Linear(X.shape[1], 1)
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    batch_size = -(-len(X) // round(1 / request["sampling_rate"]))  # Opacus samples at the rate 1 / number of batches
    engine = PrivacyEngine(accountant="prv")
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=request["learning_rate"], momentum=request["momentum"]),
        data_loader=DataLoader(TensorDataset(X, y), batch_size=batch_size),
        noise_multiplier=request["noise_multiplier"],
        max_grad_norm=request["clip_norm"],
        poisson_sampling=True,
    )
    assert abs(loader.sample_rate - request["sampling_rate"]) < 1e-12
    loss = torch.nn.BCEWithLogitsLoss()
    steps, average = request["steps"], 0.0
    for step, (features, labels) in enumerate(batches(X, y, loader, request)):
        optimizer.zero_grad()
        loss(model(features)[:, 0], labels).backward()
        optimizer.step()
        if step >= steps // 2:
            theta = torch.cat([model._module.weight[0], model._module.bias]).detach()
            average = average + theta / (steps - steps // 2)
    return average.numpy().astype(float), engine


def batches(X: torch.Tensor, y: torch.Tensor, loader: DataLoader, request: dict):
    """Poisson batches, `steps` of them."""
    steps = request["steps"]
    if request["batches"] == "gathered":
        sampler = UniformWithReplacementSampler(num_samples=len(X), sample_rate=loader.sample_rate, steps=steps)
        yield from ((X[index], y[index]) for index in map(torch.tensor, sampler))
        return
    while steps > 0:
        for batch in loader:
            yield batch
            steps -= 1
            if not steps:
                return


def main() -> None:
    arrays = np.load(sys.argv[1])
    X, y = (torch.tensor(arrays[name], dtype=torch.float32) for name in ("X", "y"))
    versions = f"Opacus {opacus.__version__}, PyTorch {torch.__version__}, Python {platform.python_version()}"
    print(json.dumps({"versions": versions, "threads": torch.get_num_threads()}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        wall, cpu = time.perf_counter(), time.process_time()
        theta, engine = train(X, y, request)
        answer = {"theta": theta.tolist(), "cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        if "delta" in request:  # `eps_error` is added to the estimate: 0.01 unless asked for less
            answer["epsilon"] = engine.accountant.get_epsilon(request["delta"], eps_error=1e-3)
            answer["epsilon as it comes"] = engine.get_epsilon(request["delta"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
