// Builds the tree of a batch as a plain Node program would, with every proof; prints its root and the
// CPU seconds that it took. tree.js N
const { createHash } = require('node:crypto');

const sha256 = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const lp = (part) => {
  const bytes = Buffer.from(part);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
};
const entry = (i) => ({
  subject: `node_01jd8x3m5q9v7w2z4c${10000000 + i}`,
  kind: 'firmware.update',
  payload: sha256(`payload${10000000 + i}`),
});
const leaf = ({ subject, kind, payload }) =>
  sha256(
    Buffer.from([0]),
    lp('batch_01jd8x3m5q9v7w2z4c6e8g0h1k'),
    lp(subject),
    lp(kind),
    lp(payload),
  );

const levelsOver = (leaves) => {
  const all = [leaves];
  for (let level = leaves; level.length > 1; ) {
    const above = [];
    for (let i = 0; i + 1 < level.length; i += 2)
      above.push(sha256(Buffer.from([1]), level[i], level[i + 1]));
    if (level.length % 2 === 1) above.push(level[level.length - 1]);
    all.push(above);
    level = above;
  }
  return all;
};
const proof = (levels, index) => {
  const siblings = [];
  for (const level of levels) {
    const sibling = index ^ 1;
    if (sibling < level.length) siblings.push(level[sibling]);
    index >>= 1;
  }
  return siblings;
};

const entries = Array.from({ length: Number(process.argv[2]) }, (_, i) => entry(i));
const start = process.cpuUsage();
const leaves = entries.map(leaf);
const levels = levelsOver(leaves.sort(Buffer.compare));
let total = 0;
for (let i = 0; i < leaves.length; ++i) total += proof(levels, i).length;
const used = process.cpuUsage(start);
console.log(levels[levels.length - 1][0].toString('hex'), (used.user + used.system) / 1e6, total);
