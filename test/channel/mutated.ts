// Bytes with some of them changed, cut out, repeated or exchanged.

/** Bytes that lengths and counts are sensitive to. */
const edges = [0, 1, 2, 7, 8, 0x0a, 0x12, 0x7f, 0x80, 0xfe, 0xff];

/** The bytes with one to four changes. */
export function mutatedBy(random: (below: number) => number, bytes: Buffer): Buffer {
  let changed = Buffer.from(bytes);
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(changed.length + 1);
    const to = Math.min(changed.length, at + random(12));
    const cut = [changed.subarray(0, at), changed.subarray(to)];
    const kind = random(6);
    if (kind === 0) changed = Buffer.concat(cut);
    else if (kind === 1) changed = changed.subarray(0, at);
    else if (kind === 2) changed = Buffer.concat([changed.subarray(0, to), changed.subarray(at)]);
    else if (at < changed.length) {
      changed[at] = kind === 3 ? random(256) : (edges[random(edges.length)] ?? 0);
    }
  }
  return changed;
}
