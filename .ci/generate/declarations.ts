// Types that are printed: what they are made from, and how they are laid out.

/** One file of printed types. Git ignores it, and each build brings it up to date. */
export interface PrintedTypes {
  /** The path below the root of a checkout. */
  readonly file: string;
  /** The files that the types are made from. */
  readonly sources: readonly string[];
  /** The path of the module that prints them. */
  readonly printer: string;
  /** @param texts what the sources hold */
  print(texts: readonly string[]): string;
}

/** A type with these members: on one line where it is short. */
export function membersOf(members: readonly string[]): string {
  const line = `{ ${members.join(' ')} }`;
  if (line.length <= lineColumnsMax && !line.includes('\n')) return line;
  // Tabs, because indentation would be a third of the file otherwise.
  return `{\n${members.join('\n').replaceAll(/^/gm, '\t')}\n}`;
}

const lineColumnsMax = 80;
