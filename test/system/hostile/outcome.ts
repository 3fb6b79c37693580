// What an attack on a running controller measured, and whether the controller held.

/** The end of one attack. */
export interface Outcome {
  readonly attack: string;
  /** What was measured, by name; times in ms. */
  readonly figures: Readonly<Record<string, number>>;
  /** A sentence for each expectation that was not met; empty when the controller held. */
  readonly failures: readonly string[];
  /**
   * A sentence for each time that was exceeded. They decide only if they are exceeded again and
   * again: other work of the machine can take its cores for some seconds.
   */
  readonly slow?: readonly string[];
}

/** The value that `share` of the numbers do not exceed; 0 for none. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The sentences of the expectations that do not hold. */
export function unmet(expectations: Readonly<Record<string, boolean>>): string[] {
  return Object.entries(expectations).flatMap(([sentence, holds]) => (holds ? [] : [sentence]));
}
