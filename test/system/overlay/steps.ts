// The steps of a scenario, each of which prints one line.

/** Runs steps, and knows whether all have succeeded. */
export class Steps {
  isWhole = true;

  /** Prints that a step has failed. */
  fail(name: string, thrown: unknown): void {
    this.isWhole = false;
    console.log(`not ok ${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }

  /** @returns whether it succeeded */
  async step(name: string, body: () => Promise<unknown>): Promise<boolean> {
    const began = performance.now();
    try {
      const said = await body();
      const more = typeof said === 'string' ? `: ${said}` : '';
      console.log(`ok ${name} (${Math.round(performance.now() - began)} ms)${more}`);
      return true;
    } catch (thrown) {
      this.fail(name, thrown);
      return false;
    }
  }
}
