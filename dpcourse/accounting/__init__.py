"""What a sequence of releases costs: privacy losses, Rényi and zCDP, composition, amplification, calibration."""

from dpcourse.accounting.accountant import LedgerEntry, PrivacyAccountant
from dpcourse.accounting.amplification import amplify_by_sampling
from dpcourse.accounting.calibrate import calibrate_noise_multiplier
from dpcourse.accounting.interface import HasPrivacyLoss, Mechanism
from dpcourse.accounting.pld import PrivacyLoss
from dpcourse.accounting.repeated import RepeatAndSelect
from dpcourse.accounting.shuffling import amplify_by_shuffling

__all__ = [
    "HasPrivacyLoss",
    "LedgerEntry",
    "Mechanism",
    "PrivacyAccountant",
    "PrivacyLoss",
    "RepeatAndSelect",
    "amplify_by_sampling",
    "amplify_by_shuffling",
    "calibrate_noise_multiplier",
]
