"""The mistakes that many exercises share: one name and one question for each, wherever it is made.

An exercise says what it saw, in its own terms; the name that tests compare, and the question that leads to the repair,
come from here. A mistake that one exercise alone knows keeps a name of its own.
"""

from __future__ import annotations

import enum

from dpcourse.checks.diagnosis import Diagnosis


class Shared(enum.Enum):
    """A mistake with its name and its question."""

    EPSILON_IGNORED = "epsilon-ignored", "Your function is given `epsilon`. Where does it enter?"
    EPSILON_INVERTED = (
        "epsilon-inverted",
        "Smaller ε is more private, so it needs more noise. Is ε upside down?",
    )
    WRONG_POWER = "wrong-power", "The scale is inversely proportional to ε: is there a root of ε in yours, or a square?"
    CENTRE_FOR_SCALE = (
        "centre-for-scale",
        "rng.laplace(loc, scale) takes the centre first and the scale second. Which of the two did you give?",
    )
    NOT_CENTRED = "noise-not-centred", "What do you add to the truth besides noise? Average a thousand draws of it."
    ONE_SIDED = (
        "one-sided-noise",
        "Laplace noise falls on both sides of 0. Is there an abs(), or exponential noise on one side only?",
    )
    CUT_DECIMALS = (
        "cut-decimals",
        "floor moves every result down, ceil up, int() towards 0. Which goes to the nearest, and is one asked for?",
    )
    THIN_TAILS = (
        "thin-tails",
        "Far from the truth normal noise falls too fast to keep an ε with δ = 0. Which noise keeps it?",
    )
    NOISE_ENDS = (
        "noise-ends",
        "A result just beyond the bound can come from one of two neighbours only, and no ε holds. Where is your noise "
        "cut, or drawn again?",
    )
    WRONG_SHAPE_OF_NOISE = "wrong-shape-of-noise", "Is your noise drawn from one law, whatever the data?"
    TOO_LITTLE_NOISE = "too-little-noise", "How much can one person change the result, and is that in the scale?"
    TOO_MUCH_NOISE = "too-much-noise", "Which smaller scale still keeps the claim?"
    NO_NOISE = "no-noise", "Where does the randomness come in?"
    NOISE_PER_PERSON = "noise-per-person", "One draw for the result is enough. Where do you draw one for each person?"
    SHARED_NOISE = (
        "shared-noise",
        "Subtract two of your results: what is left of the noise? How is a draw for each of them made?",
    )
    NOBODY = (
        "nobody",
        "An empty dataset is a dataset. Is there noise around its zeros, and does your function get there?",
    )
    EMPTY_EXACT = "empty-exact", "Which cells get noise: those that somebody is in, or those that are declared?"
    EXACT_TOTAL = (
        "exact-total",
        "The total is private, too. What makes your noise cancel, or your counts add up to a fixed number?",
    )
    LINKED_NOISE = "linked-noise", "Which numbers have a draw in common, where each needs one of its own?"
    UNEVEN_NOISE = "uneven-noise", "Which one scale follows from public numbers only?"
    NOISE_BY_SIZE = (
        "noise-by-size",
        "The scale may depend on public numbers only: ε, and what one person can change. What does yours depend on?",
    )
    SCALE_FROM_DATA = (
        "scale-from-data",
        "Sensitivity is about every possible person, not about those who are there. Which public numbers give it?",
    )
    NOT_EVERYWHERE = (
        "not-everywhere",
        "You were asked about datasets of many sizes, at many ε. What does your noise depend on besides ε and what "
        "one person can change?",
    )
    CUT_AT_ZERO = "cut-at-zero", "Why not leave the counts as the noise makes them?"
    WRONG_TRUTH = "wrong-truth", "What comes out of your function if you leave the noise out?"
    SHARE = "a-share", "The number of people is wanted. Do you take a mean where a sum is asked for?"
    COUNTS_EVERYBODY = "counts-everybody", "Who is to be counted: everybody, or those who say yes?"
    COUNTS_NO = "counts-no", "True is yes. Whom do you count?"
    WRONG_ORDER = "wrong-order", "Which result belongs to which place?"
    IGNORES_DATA = (
        "ignores-data",
        "Noise alone keeps every secret and answers nothing. Where does the data come in?",
    )

    def __init__(self, key: str, question: str) -> None:
        self.key, self.question = key, question

    def seen(self, what: str, question: str = "") -> Diagnosis:
        """The diagnosis of this mistake: what was seen, and the question, or a closer one of the exercise's own."""
        return Diagnosis(self.key, what, question or self.question)
