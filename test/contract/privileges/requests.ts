// A valid request for every operation, about objects made for it: bodies of resources from their
// examples, others by hand.

import { operations } from '../../../src/assembly/operations.ts';
import { fabricResources, resources } from '../../../src/resources/index.ts';
import type { CallOptions } from '../../simulated/network.ts';
import type { Party, World } from './callers.ts';
import { clientRequests } from './client-requests.ts';
import { fabricRequests } from './fabric-requests.ts';
import { managementRequests } from './management-requests.ts';
import { type CallerKind, type MatrixRow, matrixKey } from './privilege-table.ts';
import { publicRequests } from './public-requests.ts';
import { made, newBody } from './things.ts';

/** A request that its operation can do something with. */
export interface ValidRequest extends Pick<CallOptions, 'headers' | 'body' | 'certificates'> {
  /** In place of the parameters of the path, in their order. */
  readonly ids?: readonly string[];
  readonly query?: string;
  /** Whose token is sent; when absent, that of the caller who stands for its kind. */
  readonly from?: Party;
  /** What the answer holds for whom it is meant, and for nobody else. */
  readonly shows?: readonly string[];
}

/** Makes a request for a caller of a kind. */
export type RequestMaker = (world: World, kind: CallerKind) => Promise<ValidRequest>;

/** By `GET /services/{id}`, or `GET C /services/{id}` where the APIs differ. */
export type RequestMakers = Readonly<Record<string, RequestMaker>>;

/**
 * A valid request of a row's operation: for `other` and `admin` about what belongs to a `full`
 * caller. @throws RangeError when nobody said what its body is.
 */
export async function requestFor(
  row: MatrixRow,
  world: World,
  kind: CallerKind,
): Promise<ValidRequest> {
  const { method, api, path } = row;
  const key = `${method} ${path}`;
  const make = all[matrixKey(row)] ?? (api === 'fabric' ? undefined : all[key]);
  return make === undefined ? derived(row, world, kind) : make(world, kind);
}

const all: RequestMakers = {
  ...publicRequests,
  ...clientRequests,
  ...managementRequests,
  ...fabricRequests,
};

/** What resources and their sub-lists have in common. */
async function derived(row: MatrixRow, world: World, kind: CallerKind): Promise<ValidRequest> {
  const { method, api, path } = row;
  const [, plural = ''] = path.split('/');
  const ids = path.includes('{') ? [await made(world, plural, kind)] : [];
  const found = operations.find((one) => {
    return one.method === method && one.path === path && one.apis.includes(api);
  });
  if (found?.body === undefined) return { ids };
  const isVerb = [`/${plural}`, `/${plural}/{id}`].includes(path);
  const ofApi = api === 'fabric' ? fabricResources : resources;
  const resource = ofApi.find((one) => one.path === plural && one.example !== undefined);
  if (!isVerb || resource === undefined) throw new RangeError(`no body for ${method} ${path}`);
  return { ids, body: method === 'PATCH' ? { tags: {} } : await newBody(world, resource) };
}
