// What systemd does with a service that has ended, by the lines of its unit: for machines whose
// first process is another one. The rules are those of systemd.service(5) and systemd.unit(5).

import type { Ended } from './process.ts';

/** A service as its unit has it restarted. */
export class UnitStandIn {
  readonly #text: string;
  /** When it was started, in s of a clock that only the waits between two starts move. */
  readonly #startedAt: number[] = [0];
  #nowSeconds = 0;

  /** A service that has just been started. @param text of the unit */
  constructor(text: string) {
    this.#text = text;
  }

  /**
   * What becomes of it once its process has ended. A service that may not start as often as it has
   * to stays down, as systemd's "start request repeated too quickly".
   */
  after({ code, signal }: Pick<Ended, 'code' | 'signal'>): 'starts again' | 'stays down' {
    if (!this.#wantsRestart(code, signal)) return 'stays down';
    this.#nowSeconds += this.#number('RestartSec', 0.1);
    const intervalSeconds = this.#number('StartLimitIntervalSec', 10);
    const recent = this.#startedAt.filter((at) => at > this.#nowSeconds - intervalSeconds);
    const isTooOften = intervalSeconds > 0 && recent.length >= this.#number('StartLimitBurst', 5);
    if (isTooOften) return 'stays down';
    this.#startedAt.push(this.#nowSeconds);
    return 'starts again';
  }

  #wantsRestart(code: number | null, signal: string | null): boolean {
    const end = String(code ?? signal);
    if (this.#words('RestartPreventExitStatus').includes(end)) return false;
    if (this.#words('RestartForceExitStatus').includes(end)) return true;
    const isClean = code === 0 || this.#words('SuccessExitStatus').includes(end);
    const [restart = 'no'] = this.#words('Restart');
    switch (restart) {
      case 'always':
        return true;
      case 'on-failure':
        return !isClean;
      case 'no':
        return false;
      default:
        throw new Error(`this stand-in knows no Restart=${restart}`);
    }
  }

  /** The words of a line, which a later line of the same name replaces. */
  #words(name: string): string[] {
    const lines = [...this.#text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))];
    return (lines.at(-1)?.[1] ?? '').split(/\s+/).filter((word) => word !== '');
  }

  #number(name: string, otherwise: number): number {
    const [word] = this.#words(name);
    return word === undefined ? otherwise : Number(word);
  }
}
