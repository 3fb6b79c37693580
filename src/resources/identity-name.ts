// What an identity is called that comes into being when the holder of a CA's certificate enrolls
// (behaviour/cas#names).

/** What a CA's format may name, by the words that stand in its square brackets. */
export interface NameParts {
  readonly caName: string;
  readonly caId: string;
  /** Empty where the certificate has none. */
  readonly commonName: string;
  readonly requestedName: string;
  readonly identityId: string;
}

/** The name that a format makes of its parts. Words it doesn't know stay as they are. */
export function nameBy(format: string, parts: NameParts): string {
  return format.replace(/\[(\w+)\]/g, (placeholder, word: string) =>
    Object.hasOwn(parts, word) ? parts[word as keyof NameParts] : placeholder,
  );
}

/**
 * The name, or where it is taken the name with a counter of six digits behind it. In a few steps
 * also among thousands of one name: where a later number is found free, an earlier one that became
 * free again may be passed over.
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
