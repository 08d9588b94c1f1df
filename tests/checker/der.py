"""DER, read strictly and written: as much of X.690 as certificates and keys need."""

BOOLEAN, INTEGER, BIT_STRING, OCTET_STRING, OID, UTF8_STRING = 0x01, 0x02, 0x03, 0x04, 0x06, 0x0C
UTC_TIME, GENERALIZED_TIME, SEQUENCE, SET = 0x17, 0x18, 0x30, 0x31


def context(number, constructed=True):
    return (0xA0 if constructed else 0x80) | number


def encode(tag, *parts):
    content = b"".join(parts)
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(octets)]) + octets + content


def oid(dotted):
    """The content octets of an object identifier."""
    first, second, *arcs = map(int, dotted.split("."))
    content = bytearray()
    for arc in [40 * first + second, *arcs]:
        groups = [arc & 0x7F]
        while arc := arc >> 7:
            groups.append(0x80 | arc & 0x7F)
        content += bytes(reversed(groups))
    return bytes(content)


class Reader:
    """Takes one element after the other from `data`; raises ValueError for what is not DER."""

    def __init__(self, data):
        self.data = data

    def peek(self):
        return self.data[0] if self.data else None

    def element(self):
        """The next element as (tag, content, whole)."""
        data = self.data
        if len(data) < 2 or data[0] & 0x1F == 0x1F:
            raise ValueError("no DER element")
        size, start = data[1], 2
        if size >= 0x80:
            octets = size & 0x7F
            start += octets
            size = int.from_bytes(data[2:start], "big")
        content, whole = data[start : start + size], data[: start + size]
        if encode(data[0], content) != whole:
            raise ValueError("a length that is not DER")
        self.data = data[start + size :]
        return data[0], content, whole

    def take(self, tag):
        """The content of the next element, which must have `tag`."""
        found, content, _ = self.element()
        if found != tag:
            raise ValueError(f"tag {found:#04x} instead of {tag:#04x}")
        return content

    def whole(self, tag):
        """The same with its header."""
        found, _, whole = self.element()
        if found != tag:
            raise ValueError(f"tag {found:#04x} instead of {tag:#04x}")
        return whole

    def enter(self, tag):
        return Reader(self.take(tag))

    def integer(self):
        content = self.take(INTEGER)
        minimal = content and (len(content) == 1 or not (content[0], content[1] >> 7) in ((0, 0), (0xFF, 1)))
        if not minimal:
            raise ValueError("an INTEGER that is not minimal")
        return int.from_bytes(content, "big", signed=True)

    def bits(self):
        """A BIT STRING of whole octets."""
        content = self.take(BIT_STRING)
        if content[:1] != b"\0":
            raise ValueError("a BIT STRING of no whole octets")
        return content[1:]

    def end(self):
        if self.data:
            raise ValueError("something left over")
