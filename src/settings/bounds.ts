// Lets tests lower a bound. A bound is a constant beside the code that it bounds, with `@bound` in
// its doc comment; docs/generated/bounds.md lists all of them. The limits that an operator may set
// are in `limits.ts`.

/** Replacement values for some bounds, by name. A running controller has none. */
export type BoundValues = Readonly<Record<string, number>>;

/** The bounds of some code, with the replacement values of a test. */
export function boundsOf<B extends BoundValues>(
  own: B,
  values: Partial<B> | undefined,
): Readonly<B> {
  return values === undefined ? own : { ...own, ...values };
}
