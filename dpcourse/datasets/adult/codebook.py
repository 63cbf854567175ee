"""The public facts of Adult: bounds, categories and size, as its codebook and the survey behind it declare them.

Becker & Kohavi 1996, doi:10.24432/C5XW20; the categories are those of the file ``adult.names`` published with it.
The bins of the numeric columns are round numbers, narrow where amounts and hours are known to crowd. They were chosen
by hand, by people who know Adult, which is public; they are constants, and nothing reads them from the data.
"""

from __future__ import annotations

from dpcourse.datasets.columns import Categorical, Numeric
from dpcourse.datasets.schema import Schema

COLUMN_NAMES = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income-per-year",
)
"""The columns of the UCI files, under the names AIF360 gives them."""

_LISTED = "The codebook lists the categories."

# fmt: off
_EDUCATION = (
    "Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college",
    "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate",
)
_COUNTRIES = (
    "United-States", "Cambodia", "England", "Puerto-Rico", "Canada", "Germany", "Outlying-US(Guam-USVI-etc)", "India",
    "Japan", "Greece", "South", "China", "Cuba", "Iran", "Honduras", "Philippines", "Italy", "Poland", "Jamaica",
    "Vietnam", "Mexico", "Portugal", "Ireland", "France", "Dominican-Republic", "Laos", "Ecuador", "Taiwan", "Haiti",
    "Columbia", "Hungary", "Guatemala", "Nicaragua", "Scotland", "Thailand", "Yugoslavia", "El-Salvador",
    "Trinadad&Tobago", "Peru", "Hong", "Holand-Netherlands",
)
_GAIN_EDGES = (
    0, 1, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 10_000, 15_000, 20_000, 50_000, 99_999, 100_000,
)
_LOSS_EDGES = (0, 1, 1_000, 1_400, 1_500, 1_600, 1_700, 1_800, 1_900, 2_000, 2_100, 2_200, 2_300, 2_400, 2_500, 3_000,
               5_000)
_HOURS_EDGES = (1, 10, 20, 25, 30, 35, 40, 41, 45, 50, 51, 60, 61, 70, 80, 100)
_AGE_EDGES = (17, 20, 22, 25, 28, 31, 34, 37, 40, 43, 46, 49, 52, 55, 58, 61, 65, 70, 80, 91)

ADULT_SCHEMA = Schema(
    columns=(
        Numeric("age", 17, 90, _AGE_EDGES,
                "From 17, because the codebook kept AAGE > 16; to 90, because the survey of 1994 top-coded age at 90."),
        Categorical("workclass", (
            "Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay",
            "Never-worked"), _LISTED + " Never-worked does not occur among complete records; it stays declared."),
        Categorical("education", _EDUCATION, _LISTED + " Here they stand in the order of schooling."),
        Numeric("education-num", 1, 16, tuple(range(1, 18)),
                "The codebook lists 16 levels of education; this is the level's rank, from Preschool to Doctorate.",
                determined_by="education"),
        Categorical("marital-status", (
            "Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed", "Married-spouse-absent",
            "Married-AF-spouse"), _LISTED),
        Categorical("occupation", (
            "Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial", "Prof-specialty",
            "Handlers-cleaners", "Machine-op-inspct", "Adm-clerical", "Farming-fishing", "Transport-moving",
            "Priv-house-serv", "Protective-serv", "Armed-Forces"), _LISTED),
        Categorical("relationship", (
            "Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"), _LISTED),
        Categorical("race", ("White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"), _LISTED),
        Categorical("sex", ("Female", "Male"), _LISTED),
        Numeric("capital-gain", 0, 99_999, _GAIN_EDGES,
                "Whole dollars in a field of five digits.", logarithmic=True),
        Numeric("capital-loss", 0, 4_999, _LOSS_EDGES,
                "Whole dollars; declared by the course: a loss above 4,999 would be clipped to it.", logarithmic=True),
        Numeric("hours-per-week", 1, 99, _HOURS_EDGES,
                "From 1, because the codebook kept HRSWK > 0; to 99, because the field has two digits."),
        Categorical("native-country", _COUNTRIES, _LISTED + " The spelling is the codebook's."),
        Categorical("income-per-year", ("<=50K", ">50K"),
                    _LISTED + " The full stop after the labels of adult.test is dropped."),
    ),
    label="income-per-year",
    n=45_222,
    n_reason="The codebook says that 45,222 instances remain if those with unknown values are removed.",
    not_used=("fnlwgt",),
)
# fmt: on
