"""Private learners that behave like scikit-learn's."""

from dpcourse.learning.logistic import DPLogisticRegression
from dpcourse.learning.perturbation import (
    ObjectivePerturbationLogisticRegression,
    OutputPerturbationLogisticRegression,
)

__all__ = [
    "DPLogisticRegression",
    "ObjectivePerturbationLogisticRegression",
    "OutputPerturbationLogisticRegression",
]
