"""The part of `datetime` that match files use."""

_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class date:  # noqa: N801
    """As `datetime.date`."""

    @staticmethod
    def fromisoformat(text: str) -> None:
        """Checks a date such as `2026-11-27`; raises `ValueError` if there is no such day."""
        year, month, day = [int(part) for part in text.split("-")]
        is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        if not (year > 0 and 1 <= month <= 12 and 1 <= day <= _LENGTHS[month - 1] + (is_leap and month == 2)):
            raise ValueError("no such day")
