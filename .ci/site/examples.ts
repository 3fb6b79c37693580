// Examples for the API reference: requests that the contract tests send, with the part of the
// answer that they check, so that every example is one that works.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiName } from '../../src/declare/operations/apis.ts';
import { type Exchange, readCases } from '../../test/contract/harness/case-file.ts';

/** A request that succeeded, and a part of its answer. */
export interface Example {
  /** The body of the request; empty when there is none. */
  readonly request: string;
  readonly status: number;
  /** `data` of the answer in part, as JSON; empty when the test says nothing of it. */
  readonly answer: string;
}

/** Longer ones are tests of bounds, and no examples. */
const exampleCharactersMax = 2000;

/** How requests of the cases name the APIs. */
const marks: Readonly<Record<ApiName, string>> = { client: 'C', management: 'M', fabric: 'F' };

/** All examples of an operation; those of whose answer more is known come first. */
export type ExamplesOf = (api: ApiName, method: string, path: string) => readonly Example[];

/** Reads the cases at `root`. */
export function readExamples(root: string): ExamplesOf {
  const folder = join(root, 'test/contract/cases');
  const exchanges = readdirSync(folder)
    .sort()
    .flatMap((name) => readCases(readFileSync(join(folder, name), 'utf8')))
    .flatMap(({ steps }) => steps)
    .filter((step) => step.kind === 'exchange')
    .filter(({ status }) => status >= 200 && status < 300);
  return (api, method, path) => {
    const wanted = new RegExp(
      `^${marks[api]}:${path.replaceAll(/\{\w+\}/g, '\\{\\w+\\}')}(?:\\?.*)?$`,
    );
    const fitting = exchanges
      .filter((one) => one.method === method && wanted.test(one.path))
      .map(exampleOf)
      .filter((one) => one !== undefined);
    const isTold = ({ answer }: Example) => answer !== '';
    return [...fitting.filter(isTold), ...fitting.filter((one) => !isTold(one))];
  };
}

function exampleOf({ body, status, answer }: Exchange): Example | undefined {
  try {
    const [request, data] = [body, answer].map(readable);
    if (request === undefined || data === undefined) return undefined;
    const isLong = request.length + data.length > exampleCharactersMax;
    return isLong ? undefined : { request, status, answer: data };
  } catch {
    // A body that is no JSON: a certificate, or a test of malformed ones.
    return undefined;
  }
}

/** JSON in lines, empty for none. @throws SyntaxError for what is no JSON */
function readable(text: string): string {
  if (text === '') return '';
  const value = withoutMarks(JSON.parse(text));
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty ? '' : JSON.stringify(value, undefined, 2);
}

/** `…` for what the test only keeps or only wants to be there; what must be absent is left out. */
function withoutMarks(value: unknown): unknown {
  if (typeof value === 'string') return /^@\w+$|^\((?!absent)\w+\)$/.test(value) ? '…' : value;
  if (Array.isArray(value))
    return value.map((entry) => (entry === '...' ? '…' : withoutMarks(entry)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== '(absent)');
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutMarks(inner)]));
}
