// Refusals that are the same for every operation, tried on each: invalid bodies, pages and filters,
// unknown ids, a full queue.

import type { Test } from 'tap';
import { operations } from '../../../src/assembly/operations.ts';
import type { ApiName } from '../../../src/declare/operations/apis.ts';
import type { AnyOperation } from '../../../src/declare/operations/operation.ts';
import { resources } from '../../../src/resources/index.ts';
import { type Answer, bootNetwork, type Network, prefixes } from '../../simulated/network.ts';
import type { AnswerCheck } from './answer-check.ts';
import { create } from './examples.ts';
import { sampleBody, wrongBodies } from './sample-body.ts';

/** A walk over all operations. */
export interface Refusal {
  readonly title: string;
  walk(t: Test, check: AnswerCheck): Promise<void>;
}

/** The walks. */
export const refusals: readonly Refusal[] = [
  { title: 'no operation takes a body that is none', walk: refuseBodies },
  { title: 'no list takes a page or a filter that is none', walk: refusePages },
  { title: 'no operation finds what is not there', walk: refuseIds },
  { title: 'no operation writes behind a full queue', walk: refuseWrites },
];

interface Served {
  readonly operation: AnyOperation;
  readonly api: ApiName;
}

const served: readonly Served[] = operations.flatMap((operation) =>
  operation.apis.map((api) => ({ operation, api })),
);

const pathOf = ({ operation, api }: Served, path = operation.path) =>
  prefixes[api] + path.replace(/\{[^}]+\}/g, 'no-such-id');

async function refuseBodies(t: Test, check: AnswerCheck): Promise<void> {
  const network = await bootNetwork();
  for (const one of served) {
    const { body, bodyType } = one.operation;
    if (body === undefined || bodyType !== undefined) continue;
    for (const wrong of wrongBodies(body)) {
      const path = pathOf(one) + requiredQuery(one.operation);
      const answer = await sent(t, check, network, one, path, wrong);
      t.equal(answer.status, 400, `${one.operation.id}: ${wrong}`);
    }
  }
  await network.stop();
}

async function refusePages(t: Test, check: AnswerCheck): Promise<void> {
  const network = await bootNetwork();
  const ids = await oneOfEach(network);
  const queries = [
    ['limit=x', 'INVALID_PAGINATION'],
    ['offset=1.5', 'INVALID_PAGINATION'],
    ['filter=(', 'INVALID_FILTER'],
    ['filter=noSuchField%20%3D%201', 'INVALID_FILTER'],
  ] as const;
  for (const one of served) {
    const { isList, errors, path } = one.operation;
    if (!isList || !errors.includes(400)) continue;
    const [, plural = ''] = path.split('/');
    const ofKind = path.replace('{kind}', 'identity');
    const base = pathOf(one, ofKind.replace('{id}', ids.get(plural) ?? 'none-was-made'));
    for (const [query, code] of queries) {
      const answer = await sent(t, check, network, one, `${base}?${query}`);
      t.match(answer, { status: 400, code }, `${base}?${query}`);
    }
  }
  await network.stop();
}

async function refuseIds(t: Test, check: AnswerCheck): Promise<void> {
  const network = await bootNetwork();
  for (const one of served) {
    const { path, body, bodyType, errors } = one.operation;
    if (!path.includes('{') || !errors.includes(404)) continue;
    const sample = body === undefined || bodyType !== undefined ? undefined : sampleBody(body);
    const answer = await sent(t, check, network, one, pathOf(one), sample);
    t.match(answer, { status: 404, code: 'NOT_FOUND' }, `${one.operation.id}: ${answer.body}`);
  }
  await network.stop();
}

/** Operations that sign the JWT of an enrollment before they decide, and refuse nothing by then. */
const signing: ReadonlySet<string> = new Set([
  'createIdentity',
  'createEdgeRouter',
  'createRouter',
  'createTransitRouter',
  'reEnrollEdgeRouter',
  'reEnrollAuthenticator',
  'createEnrollment',
  'refreshEnrollment',
]);

async function refuseWrites(t: Test, check: AnswerCheck): Promise<void> {
  const network = await bootNetwork();
  const { config } = network;
  network.config = { ...config, limits: { ...config.limits, writesWaitingMax: 0 } };
  await network.restart();
  for (const one of served) {
    const { id, writes, body, bodyType, errors, prepare } = one.operation;
    // What is prepared is refused for what it finds before it would write, but for what only signs.
    if (!writes || !errors.includes(429)) continue;
    if (prepare !== undefined && !signing.has(id)) continue;
    const sample = body === undefined || bodyType !== undefined ? undefined : sampleBody(body);
    const answer = await sent(t, check, network, one, pathOf(one), sample);
    t.match(answer, { status: 429, code: 'SERVER_TOO_MANY_REQUESTS' }, one.operation.id);
  }
  await network.stop();
}

async function sent(
  t: Test,
  check: AnswerCheck,
  network: Network,
  { operation }: Served,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await network.call(operation.method, path, body === undefined ? {} : { body });
  t.equal(check.problem(operation.method, path, answer), undefined, path);
  return answer;
}

const requiredQuery = ({ queryRequired = [] }: AnyOperation) =>
  queryRequired.length === 0 ? '' : `?${queryRequired.map((name) => `${name}=x`).join('&')}`;

/** An id of every resource that can be made from its example, or is there from the start. */
async function oneOfEach(network: Network): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  // Clients ask for what belongs to a service that they may dial.
  await network.create('service-policies', {
    name: 'everybody',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  });
  for (const resource of resources) {
    const { path, example, verbs } = resource;
    // Several resources may share one space of names.
    if (example !== undefined) ids.set(path, await create(network, resource, `one of ${path}`));
    else if (verbs.management?.includes('list')) {
      const [first] = await network.must<{ id: string }[]>('GET', `M:/${path}`);
      if (first !== undefined) ids.set(path, first.id);
    }
  }
  return ids;
}
