// Reads privilege-matrix.txt: the answer of each operation to each kind of caller.

import { readFileSync } from 'node:fs';
import { type ApiName, apiNames, basePaths } from '../../../src/declare/operations/apis.ts';
import { prefixes } from '../../simulated/network.ts';

/** The kinds of callers, as the columns have them. */
export const callerKinds = [
  ...(['none', 'dead', 'ended', 'idle', 'off'] as const),
  ...(['partial', 'p-admin', 'full', 'other', 'admin'] as const),
] as const;

/** One of them. */
export type CallerKind = (typeof callerKinds)[number];

/** What an operation answers every kind of caller. */
export interface MatrixRow {
  readonly line: number;
  readonly method: string;
  readonly api: ApiName;
  readonly path: string;
  /** In the words of the legend. */
  readonly cells: Readonly<Record<CallerKind, string>>;
  /** The permission, in the words of the legend; undefined where none is asked for. */
  readonly permission: string | undefined;
}

/** Whether a permission opens the operation of a row. */
export function opens({ method, permission = 'admin' }: MatrixRow, name: string): boolean {
  if (permission === 'admin') return false;
  const [entity] = permission.split('.');
  return name === permission || name === entity || (method === 'GET' && name === 'admin_readonly');
}

/** The key of an operation in the table: `GET C /sessions/{id}`. */
export function matrixKey({ method, api, path }: Pick<MatrixRow, 'method' | 'api' | 'path'>) {
  return `${method} ${prefixes[api].slice(0, 1)} ${path}`;
}

/** The address of a row with ids in place of the parameters of its path, in their order. */
export function addressOf({ api, path }: MatrixRow, ids: readonly string[]): string {
  let next = 0;
  return basePaths[api] + path.replace(/\{[^}]+\}/g, (name) => ids[next++] ?? name);
}

/** The rows of the file. @throws SyntaxError with the line that isn't understood. */
export function readMatrix(): MatrixRow[] {
  const text = readFileSync(new URL('./privilege-matrix.txt', import.meta.url), 'utf8');
  return text.split('\n').flatMap((line, i) => (/^(#|$)/.test(line) ? [] : readRow(line, i + 1)));
}

const answers = /^(20[012]|own|-|403|404|no-auth|no-code|no-ha|opaque|offline)$/;

function readRow(text: string, line: number): MatrixRow {
  const [method = '', api = '', path = '', ...rest] = text.split(/\s+/);
  const cells = rest.slice(0, callerKinds.length);
  const [permission, ...more] = rest.slice(callerKinds.length);
  // Every management operation that a full session is refused says what opens it.
  const asks = api !== 'C' && /^(-|403)$/.test(cells[callerKinds.indexOf('full')] ?? '');
  const isSound =
    /^[CMF]$/.test(api) &&
    path.startsWith('/') &&
    cells.length === callerKinds.length &&
    asks === (permission !== undefined) &&
    more.length === 0 &&
    cells.every((cell) => answers.test(cell));
  if (!isSound) throw new SyntaxError(`privilege-matrix.txt, line ${line}: ${text}`);
  return {
    line,
    method,
    api: apiNames.find((name) => prefixes[name] === `${api}:`) ?? 'client',
    path,
    cells: Object.fromEntries(
      callerKinds.map((kind, i) => [kind, cells[i] ?? '']),
    ) as MatrixRow['cells'],
    permission,
  };
}
