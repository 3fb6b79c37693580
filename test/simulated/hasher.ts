// The simulated Hasher: instant, replayable, counted, and held on demand.

import { createHash } from 'node:crypto';
import { formatPhc, parsePhc } from '../../src/auth/passwords/password-hash.ts';
import type { Argon2Parameters, Hasher } from '../../src/platform/ports.ts';

/** One call that was made. */
export interface HasherCall {
  readonly call: 'hash' | 'verify';
  readonly password: string;
  /** What the call costs: given, or as the PHC string says. */
  readonly parameters: Argon2Parameters;
}

/** A hasher of SHA-256 with salts that count up: equal runs give equal hashes. */
export class SimulatedHasher implements Hasher {
  /** All calls, in order, held ones too. */
  readonly calls: HasherCall[] = [];
  readonly #held: (() => void)[] = [];
  #isHolding = false;
  #salts = 0;

  /** Calls from now on settle only when they are let go. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Lets the first `count` held calls go on. */
  letGo(count: number): void {
    for (const go of this.#held.splice(0, count)) go();
  }

  /** Lets all held calls go on, and no more are held. */
  release(): void {
    this.#isHolding = false;
    this.letGo(this.#held.length);
  }

  /** Calls that were made and are held. */
  get heldCount(): number {
    return this.#held.length;
  }

  async hash(password: string, parameters: Argon2Parameters): Promise<string> {
    this.calls.push({ call: 'hash', password, parameters });
    const salt = Buffer.alloc(16);
    salt.writeUInt32BE((this.#salts += 1), 12);
    await this.#pass();
    return formatPhc(parameters, salt, digest(salt.toString('base64'), password));
  }

  async verify(phc: string, password: string): Promise<boolean> {
    const parsed = parsePhc(phc);
    if (parsed === undefined) throw new Error('not a PHC string');
    const { memoryKib, timeCost, parallelism } = parsed;
    this.calls.push({ call: 'verify', password, parameters: { memoryKib, timeCost, parallelism } });
    await this.#pass();
    const [, , , , salt = '', hash = ''] = phc.split('$');
    return digest(`${salt}==`, password).toString('base64').startsWith(hash);
  }

  #pass(): Promise<void> {
    if (!this.#isHolding) return Promise.resolve();
    return new Promise((resolve) => {
      this.#held.push(resolve);
    });
  }
}

function digest(salt: string, password: string): Buffer {
  return createHash('sha256').update(salt).update('\0').update(password).digest();
}
