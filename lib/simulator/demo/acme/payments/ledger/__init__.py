def balance(entries: list[int]) -> int:
    return sum(entries)
