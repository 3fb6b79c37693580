// Records which declared statuses of which operations the tests have shown.

import type { ApiName } from '../../../src/declare/operations/apis.ts';
import type { AnyOperation } from '../../../src/declare/operations/operation.ts';
import { keyOf } from './published.ts';

/** A status that needs no exchange of its own, and why. */
export interface Exemption {
  readonly status: string;
  readonly method: string;
  readonly api: string;
  /** As keys have it: `/identities/{}`; `*` stands for any text. */
  readonly path: string;
  readonly reason: string;
}

/** Statuses seen and not seen. */
export class Exercised {
  readonly #seen = new Set<string>();

  /** An operation answered with a status. */
  note(api: ApiName, { method, path }: AnyOperation, status: number): void {
    this.#seen.add(`${status} ${keyOf(method, api, path)}`);
  }

  /** What the operations declare and nothing has shown, as `404 GET management /identities/{}`. */
  gaps(operations: readonly AnyOperation[]): string[] {
    return operations.flatMap((operation) => {
      const { apis, method, path, success, errors, access } = operation;
      // privilege-matrix.test.ts calls every operation without a session.
      const named = errors.filter((status) => status !== 401 || access === 'public');
      return apis.flatMap((api) =>
        [success, ...named]
          .map((status) => `${status} ${keyOf(method, api, path)}`)
          .filter((entry) => !this.#seen.has(entry)),
      );
    });
  }
}

/** Reads exemptions: `429 GET * *: reason` a line. @throws SyntaxError for a line that is not. */
export function readExemptions(text: string): Exemption[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, status, method, api, path, reason] =
      /^(\d{3}) ([A-Z]+|\*) ([a-z]+|\*) (\S+): (.+)$/.exec(line) ?? [];
    if (!status || !method || !api || !path || !reason) throw new SyntaxError(line);
    return { status, method, api, path, reason };
  });
}

/** Whether an exemption is for this gap. */
export function covers(exemption: Exemption, gap: string): boolean {
  const parts = gap.split(' ');
  const { status, method, api, path } = exemption;
  return [status, method, api, path].every((pattern, i) => matches(pattern, parts[i] ?? ''));
}

function matches(pattern: string, text: string): boolean {
  const pieces = pattern.split('*').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('.*')}$`).test(text);
}
