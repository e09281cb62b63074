"""Runs the estimators of shapiq and shap on games given as tables.

Reads one JSON object a line from standard input:
    {"id": 7, "table": "FILE", "n": 12, "budget": 120, "seed": 3, "methods": ["shapiq KernelSHAP"], "trace": true}
A table file holds v(S) of every coalition as little-endian float64, at the index whose bit i says whether player i is
in S. Writes one JSON object a line for every method of a request:
    {"id": 7, "method": "shapiq KernelSHAP", "values": [...], "evaluations": 120, "asked": [...], "seconds": 0.02}
"evaluations" counts distinct coalitions; "asked" lists them in the order of first asking, with "trace". A method that
refuses the budget or fails gives {"error": "..."} instead of values. The first line of output, before any request, is
    {"versions": {"shapiq": "1.8.0", ...}, "methods": [...]}
"""

import contextlib
import json
import os
import random
import sys
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
warnings.filterwarnings("ignore")

import importlib.metadata

import numpy as np

out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever a library prints must not mix with the answers

import shap
import shapiq
from shapiq import approximator as shapiq_methods


class Oracle:
    """The game, asked by boolean rows; remembers which coalitions were asked."""

    def __init__(self, table, n):
        self.table, self.power = table, 1 << np.arange(n, dtype=np.int64)
        self.asked = {}

    def __call__(self, rows):
        rows = np.atleast_2d(np.asarray(rows))
        masks = (rows > 0.5).astype(np.int64) @ self.power
        for m in masks.tolist():
            self.asked.setdefault(m)
        return self.table[masks].astype(float)


def from_shapiq(make):
    def run(oracle, n, budget, seed):
        result = make(n, seed).approximate(budget, oracle)
        return [float(result[(i,)]) for i in range(n)]

    return run


def shapiq_class(name, **options):
    cls = getattr(shapiq_methods, name, None)  # older versions lack some
    return cls and from_shapiq(lambda n, seed: cls(n=n, random_state=seed, **options))


def shap_permutation(oracle, n, budget, seed):
    masker = shap.maskers.Independent(np.zeros((1, n)))
    explainer = shap.PermutationExplainer(oracle, masker, seed=seed)
    return explainer(np.ones((1, n)), max_evals=budget, silent=True).values[0].tolist()


def shap_kernel(l1_reg):
    def run(oracle, n, budget, seed):
        np.random.seed(seed)
        explainer = shap.KernelExplainer(oracle, np.zeros((1, n)), seed=seed)
        values = explainer.shap_values(np.ones((1, n)), nsamples=max(1, budget - 2), l1_reg=l1_reg, silent=True)
        return np.asarray(values).reshape(-1).tolist()

    return run


METHODS = {
    "shapiq PermutationSamplingSV": shapiq_class("PermutationSamplingSV"),
    "shapiq StratifiedSamplingSV": shapiq_class("StratifiedSamplingSV"),
    "shapiq OwenSamplingSV": shapiq_class("OwenSamplingSV"),
    "shapiq SVARM": shapiq_class("SVARM"),
    "shapiq UnbiasedKernelSHAP": shapiq_class("UnbiasedKernelSHAP", pairing_trick=True),
    "shapiq KernelSHAP": shapiq_class("KernelSHAP"),
    "shapiq KernelSHAP paired": shapiq_class("KernelSHAP", pairing_trick=True),
    "shapiq LeverageSHAP": shapiq_class("LeverageSHAP"),
    "shapiq kADDSHAP": shapiq_class("kADDSHAP", max_order=2),
    "shapiq PolySHAP": shapiq_class("PolySHAP"),
    "shapiq OddSHAP": shapiq_class("OddSHAP"),
    "shapiq RegressionMSR": shapiq_class("RegressionMSR", index="SV"),
    "shapiq ProxySHAP": shapiq_class("ProxySHAP", index="SV", max_order=1),
    "shapiq ProxySHAP adjusted": shapiq_class("ProxySHAP", index="SV", max_order=1, adjustment=True),
    "shap PermutationExplainer": shap_permutation,
    "shap KernelExplainer": shap_kernel("num_features(10)"),
    "shap KernelExplainer no l1": shap_kernel(False),
}
METHODS = {name: run for name, run in METHODS.items() if run}


def answer(request, table):
    n = request["n"]
    for name in request["methods"]:
        reply = {"id": request["id"], "method": name}
        oracle = Oracle(table, n)
        random.seed(request["seed"])
        np.random.seed(request["seed"])
        start = time.perf_counter()
        try:
            values = METHODS[name](oracle, n, request["budget"], request["seed"])
            if not np.all(np.isfinite(values)):
                raise ValueError("values are not finite")
            reply["values"] = values
        except Exception as e:  # a peer's own refusal is a result, too
            reply["error"] = f"{type(e).__name__}: {e}"[:200]
        reply["seconds"] = time.perf_counter() - start
        reply["evaluations"] = len(oracle.asked)
        if request.get("trace"):
            reply["asked"] = list(oracle.asked)
        print(json.dumps(reply), file=out, flush=True)


def main():
    packages = ["shapiq", "shap", "numpy", "scipy", "scikit-learn", "lightgbm"]
    versions = {p: importlib.metadata.version(p) for p in packages}
    versions["python"] = sys.version.split()[0]
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        versions["xgboost"] = importlib.metadata.version("xgboost-cpu")
    print(json.dumps({"versions": versions, "methods": list(METHODS)}), file=out, flush=True)
    path, table = None, None
    for line in sys.stdin:
        request = json.loads(line)
        if request["table"] != path:
            path = request["table"]
            table = np.fromfile(path, dtype="<f8")
        answer(request, table)


if __name__ == "__main__":
    main()
