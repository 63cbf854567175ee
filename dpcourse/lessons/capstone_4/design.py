"""The public numbers of the project, toy primes, the trusted dealer, and randomness of the operating system."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from dpcourse.datasets.centres import NAMES

PARTIES = len(NAMES)
NEEDED = 3  # centres that open a sum together
BITS = 3  # of one cell in a packed plaintext: four ones are 4, and 3 bits hold 7
FACTORIAL = 24  # 4!: it clears the denominators of Lagrange's formula for four parties
SHARES = 2  # so many centres' noise makes the whole: two may drop out or collude
COUNT_BITS, OFFSET = 24, 2**20  # of a packed count, and what is added so that none is negative

# Safe primes, p = 2p' + 1 with p' prime, from `openssl prime -generate -safe -bits 1024 -hex` (OpenSSL 3.0). They are
# printed here, so whoever reads this opens every ciphertext made with them. A dealer makes two of its own.
TOY_PRIMES = (
    int(
        "E2CFFC1FA19157149F527593D0C7162D421508A4C99A14982236A681B9798E9CBC30D5447BF78990B4B3F190AD8DEB0561B0412DDA937D5B"
        "8F28D1732E463D70E5DB40D9EEDC1BCEA438814C1253859742B1AD0536ACDC58D13691C13BFA0B6020ABB9D2F7B1691DEAA270F9708D35FE"
        "A78971026D016443CF0B8358DC90A4D7",
        16,
    ),
    int(
        "E85F10BC706F46C83C80A689CB0C15E83656792EA3E16C7A9C8ED3D3B8DE33E47409B118246D6ACD5084940214A368C95AD76469B8C7DEBD"
        "CE499BCC7527EB52A5E0E753BE35323677404D64FD46B86BC7AE4C75EE5B4F7505EE30A1576ED3933E229B3A8FA38463C37AA0064E61F743"
        "E7F2244644353AAFF59915CF2BE6281B",
        16,
    ),
)

Part = tuple[int, int]  # a party's number, from 1, and a number of its own


def below(limit: int) -> int:
    """A uniform whole number in [0, limit) from the operating system's cryptographic generator.

    Examples
    --------
    >>> 0 <= below(10**30) < 10**30
    True
    """
    return secrets.randbelow(limit)


def deal(p: int, q: int, draw: Callable[[int], int] = below) -> tuple[int, tuple[Part, ...]]:
    """The trusted dealer: n, and for each of four parties its number and its share of the exponent d.

    With p = 2p' + 1, q = 2q' + 1 and m = p'q', d is 0 modulo m and 1 modulo n. So c^(4d) is (1 + n)^(4 plaintext)
    modulo n²: the random part of a ciphertext has gone. The shares are values of a random polynomial of degree 2 modulo
    nm whose value at 0 is d (Fouque, Poupard & Stern 2000, doi:10.1007/3-540-45472-1_7; Damgård & Jurik 2001,
    doi:10.1007/3-540-44586-2_9). The dealer knows everything: it has to forget p, q and d.

    Examples
    --------
    >>> n, shares = deal(11, 47)
    >>> n, [number for number, _ in shares]
    (517, [1, 2, 3, 4])
    """
    n, m = p * q, (p - 1) // 2 * ((q - 1) // 2)
    d = m * pow(m, -1, n)
    polynomial = [d, *(draw(n * m) for _ in range(NEEDED - 1))]
    return n, tuple((x, sum(one * x**k for k, one in enumerate(polynomial)) % (n * m)) for x in range(1, PARTIES + 1))
