// Names an identity that is created when the holder of a CA's certificate enrolls
// (behaviour/cas#names).

/** The parts that a CA's format may contain, by the words in its square brackets. */
export interface NameParts {
  readonly caName: string;
  readonly caId: string;
  /** Empty if the certificate has none. */
  readonly commonName: string;
  readonly requestedName: string;
  readonly identityId: string;
}

/** The name that a format produces from its parts. Unknown words stay unchanged. */
export function nameBy(format: string, parts: NameParts): string {
  return format.replace(/\[(\w+)\]/g, (placeholder, word: string) =>
    Object.hasOwn(parts, word) ? parts[word as keyof NameParts] : placeholder,
  );
}

/**
 * The name, or if it is taken the name with a counter of six digits after it. It needs few steps
 * even among thousands of equal names: if a later number is free, an earlier number that became
 * free again may be skipped.
 */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  const numbered = (count: number) => `${name}${String(count).padStart(6, '0')}`;
  let taken = 0;
  let free = 1;
  while (isTaken(numbered(free))) {
    taken = free;
    free *= 2;
  }
  while (free - taken > 1) {
    const middle = taken + Math.trunc((free - taken) / 2);
    if (isTaken(numbered(middle))) taken = middle;
    else free = middle;
  }
  return numbered(free);
}
