// Orders texts by their UTF-8 bytes.

/** Orders texts by their UTF-8 bytes (behaviour/lists) without encoding them. */
export function compareBytes(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return codeUnitRank(a) - codeUnitRank(b);
  }
  return left.length - right.length;
}

/** UTF-16 puts surrogates below U+E000, UTF-8 puts the code points they stand for above U+FFFF. */
function codeUnitRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
