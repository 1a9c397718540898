import unittest

from src.prices import format_price


class FormatPrice(unittest.TestCase):
    def test_negative(self) -> None:
        self.assertEqual(format_price(-5), "-0.05 EUR")


if __name__ == "__main__":
    unittest.main()
