// A Fetch whose answers a test decides, one by one or for all.

import type { Fetch, FetchBounds } from '../../src/platform/ports.ts';

export class ScriptedFetch {
  /** Addresses in the order they were asked for. */
  readonly asked: string[] = [];
  readonly bounds: FetchBounds[] = [];
  /** What is answered, as it stands when the answer is let go. */
  body = '{"keys":[]}';
  status = 200;
  /** Rejects instead. */
  isDown = false;
  #isHeld = false;
  readonly #held: (() => void)[] = [];

  readonly fetch: Fetch = async (url, bounds) => {
    this.asked.push(url);
    this.bounds.push(bounds);
    if (this.#isHeld) await new Promise<void>((resolve) => void this.#held.push(resolve));
    if (this.isDown) throw new Error('the network is down');
    return { status: this.status, headers: new Map(), body: Buffer.from(this.body) };
  };

  /** Keeps answers back until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    for (const resolve of this.#held.splice(0)) resolve();
  }
}

/** A log that keeps what it is told. */
export class KeptLog {
  readonly lines: Readonly<Record<string, unknown>>[] = [];

  warn(fields: Readonly<Record<string, unknown>>, message: string): void {
    this.lines.push({ ...fields, message });
  }
}
