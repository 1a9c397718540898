def read(address: str) -> float:
    raise ConnectionError(address)
