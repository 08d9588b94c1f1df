"""Builds the tree of a batch as a plain Python program would, with every proof; prints its root and
the CPU seconds that it took. tree.py N
"""

import hashlib
import sys
import time


def sha256(data):
    return hashlib.sha256(data).digest()


def lp(data):
    return len(data).to_bytes(4, "big") + data


def entry(i):
    payload = sha256(b"payload%d" % (10000000 + i))
    return b"node_01jd8x3m5q9v7w2z4c%d" % (10000000 + i), b"firmware.update", payload


def leaf(fields):
    return sha256(b"\0" + b"".join(map(lp, (b"batch_01jd8x3m5q9v7w2z4c6e8g0h1k", *fields))))


def levels_over(leaves):
    levels = [leaves]
    while len(leaves) > 1:
        above = [sha256(b"\1" + leaves[i] + leaves[i + 1]) for i in range(0, len(leaves) - 1, 2)]
        leaves = above + leaves[len(leaves) - len(leaves) % 2 :]
        levels.append(leaves)
    return levels


def proof(levels, index):
    siblings = []
    for level in levels:
        if (index ^ 1) < len(level):
            siblings.append(level[index ^ 1])
        index //= 2
    return siblings


entries = [entry(i) for i in range(int(sys.argv[1]))]
start = time.process_time()
levels = levels_over(sorted(map(leaf, entries)))
total = sum(len(proof(levels, i)) for i in range(len(levels[0])))
print(levels[-1][0].hex(), time.process_time() - start, total)
