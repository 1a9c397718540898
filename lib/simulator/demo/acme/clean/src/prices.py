"""Prices as people write them."""


def format_price(cents: int, currency: str = "EUR") -> str:
    """Returns 1234 as "12.34 EUR"."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d} {currency}"
