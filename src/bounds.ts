// How a test makes a bound small. A bound is a constant beside the code that it bounds, with
// `@bound` in its doc comment; docs/generated/bounds.md lists all of them. What an operator may set
// is in `limits.ts`.

/** Values in place of some bounds, by their names. A running controller has none. */
export type BoundValues = Readonly<Record<string, number>>;

/** The bounds of some code, with the values that a test put in place of theirs. */
export function boundsOf<B extends BoundValues>(
  own: B,
  values: Partial<B> | undefined,
): Readonly<B> {
  return values === undefined ? own : { ...own, ...values };
}
