// Runs the cases in cases/, each on a network of its own; every answer must fit its schema.

import { readdirSync, readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import type { ApiName } from '../../src/declare/operation.ts';
import { operations } from '../../src/resources/index.ts';
import { type Answer, bootNetwork, type Network, type Pagination } from '../simulated/network.ts';
import { type Case, type Exchange, readCases, type Step } from './case-file.ts';
import { type Captures, filled, mismatch } from './match.ts';
import { answerProblem, keyOf, operationOf } from './published.ts';

const folder = new URL('./cases/', import.meta.url);
/** Only cases whose title holds this text: for working on one. */
const wanted = process.env['CASE'] ?? '';
/** Operations that some case has seen succeed. */
const succeeded = new Set<string>();

for (const file of readdirSync(folder).sort()) {
  t.test(file, async (t) => {
    for (const one of readCases(readFileSync(new URL(file, folder), 'utf8'))) {
      if (one.title.includes(wanted)) await t.test(one.title, (t) => run(t, one));
    }
  });
}

t.test('every operation that is served succeeds in some case', { skip: wanted !== '' }, (t) => {
  const declared = operations.flatMap(({ apis, method, path }) =>
    apis.map((api) => keyOf(method, api, path)),
  );
  t.same(
    declared.filter((key) => !succeeded.has(key)),
    [],
  );
  t.end();
});

async function run(t: Test, { steps }: Case): Promise<void> {
  const network = await bootNetwork();
  const captures: Captures = new Map();
  for (const step of steps) {
    const problem = await take(network, step, captures);
    if (problem === undefined) continue;
    t.fail(`line ${step.line}: ${problem}`);
    break;
  }
  t.same(network.logged, [], 'nothing went wrong inside');
  await network.stop();
  t.pass();
}

async function take(network: Network, step: Step, captures: Captures): Promise<string | undefined> {
  if (step.kind === 'exchange') return exchange(network, step, captures);
  if (step.what === 'wait') await network.advance(step.ms);
  else await network[step.what]();
  return undefined;
}

async function exchange(
  network: Network,
  step: Exchange,
  captures: Captures,
): Promise<string | undefined> {
  const headers = Object.fromEntries(
    step.headers.map(([name, value]) => [name, filled(value, captures)]),
  );
  const session = headers['zt-session'] ?? headers['net-session'];
  if (session === '-') delete headers['zt-session'];
  const path = filled(step.path, captures);
  const body = filled(step.body, captures);
  const answer = await network.call(step.method, path, {
    headers,
    ...(session === undefined ? {} : { token: null }),
    ...(body === '' ? {} : { body }),
  });
  return (
    (answer.status === step.status ? undefined : `answered ${textOf(answer)}`) ??
    headProblem(step, answer, captures) ??
    bodyProblem(step, answer, captures) ??
    schemaProblem(step.method, path, answer)
  );
}

function textOf({ status, body }: Answer): string {
  return `${status} ${body.toString().slice(0, 1000)}`;
}

function headProblem(step: Exchange, answer: Answer, captures: Captures): string | undefined {
  const { total, limit, offset, ...causes } = step.marks;
  if (step.code !== answer.code) return `answered ${textOf(answer)}`;
  const page: Partial<Pagination> = answer.pagination ?? {};
  const marks = { totalCount: total, limit, offset };
  for (const [name, value] of Object.entries(marks)) {
    const actual = page[name as keyof Pagination];
    if (value !== undefined && actual !== Number(value)) return `${name} is ${actual}`;
  }
  for (const [name, value] of Object.entries(causes)) {
    const actual = answer.cause?.[name];
    if (String(actual) !== filled(value, captures)) return `answered ${textOf(answer)}`;
  }
  for (const [name, value] of step.answerHeaders) {
    const actual = answer.headers[name];
    const problem = mismatch(value, actual, captures, `header ${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function bodyProblem(step: Exchange, answer: Answer, captures: Captures): string | undefined {
  if (step.answer === '') return undefined;
  const { data, error } = answer.json() as { data?: unknown; error?: unknown };
  const actual = answer.status < 300 ? (data ?? answer.json()) : error;
  return mismatch(JSON.parse(step.answer), actual, captures);
}

/** The body against the published schema, and the status against what is declared. */
function schemaProblem(method: string, path: string, answer: Answer): string | undefined {
  const [, base = '', relative = ''] = /^([MC]):([^?]*)/.exec(path) ?? [];
  if (base === '') return undefined;
  const api: ApiName = base === 'M' ? 'management' : 'client';
  const operation = operationOf(method, api, relative);
  if (operation === undefined) {
    succeeded.add(keyOf(method, api, relative));
    return undefined;
  }
  const key = keyOf(method, api, operation.path);
  if (answer.status < 300) {
    succeeded.add(key);
    if (answer.headers['content-type'] !== 'application/json') return undefined;
    return answerProblem(operation, answer.status, answer.json());
  }
  const own = operations.find((one) => one.apis.includes(api) && one.id === operation.operationId);
  const { errors = [] } = own ?? {};
  // A body that refers to something unknown is 404 in places (behaviour §1.5.2) no list names.
  const isReference = answer.status === 404 && answer.cause?.['field'] !== undefined;
  const isDeclared = own === undefined || isReference || [...errors, 405].includes(answer.status);
  return isDeclared ? errorProblem(answer) : `${answer.status} is not declared for ${key}`;
}

function errorProblem(answer: Answer): string | undefined {
  const { error, meta } = answer.json() as {
    error: Record<string, unknown>;
    meta: Record<string, unknown>;
  };
  const text = JSON.stringify({ error, meta });
  const isWhole =
    typeof error['code'] === 'string' &&
    typeof error['message'] === 'string' &&
    /^[0-9a-zA-Z.-]{9,10}$/.test(String(error['requestId'])) &&
    meta['apiVersion'] === '0.0.1' &&
    meta['apiEnrollmentVersion'] === '0.0.1';
  return isWhole ? undefined : `not the envelope of an error: ${text}`;
}
