// What is noticed while the configuration and the keys of the peer are read. Nothing ends at the
// first fault, so that an operator learns of all of them at once.

/** Takes sentences for the operator. None of them holds a secret. */
export interface Findings {
  /** The migration goes on, and the report says this. */
  notice(sentence: string): void;
  /** The migration cannot go on with these files. */
  refuse(sentence: string): void;
}

/** The sentences in their order, each of them once. */
export class FindingList implements Findings {
  readonly #notices = new Set<string>();
  readonly #refusals = new Set<string>();

  /** As in `Findings`. */
  notice(sentence: string): void {
    this.#notices.add(sentence);
  }

  /** As in `Findings`. */
  refuse(sentence: string): void {
    this.#refusals.add(sentence);
  }

  /** What the report has to say. */
  get notices(): readonly string[] {
    return [...this.#notices];
  }

  /** Why the migration cannot go on; empty if it can. */
  get refusals(): readonly string[] {
    return [...this.#refusals];
  }
}
