"""Was this record in the training set? Scores that answer, and the ROC curves that judge them."""

from dpcourse.attacks.membership.curves import Rate, RocBand, auc, best_accuracy, roc, roc_band, tpr_at_fpr
from dpcourse.attacks.membership.scores import confidence_scores, lira_scores, margin_scores, rmia_scores

__all__ = [
    "Rate",
    "RocBand",
    "auc",
    "best_accuracy",
    "confidence_scores",
    "lira_scores",
    "margin_scores",
    "rmia_scores",
    "roc",
    "roc_band",
    "tpr_at_fpr",
]
