// What the API of a controller shows of a network: every entity of every kind, and the access of
// every identity and service.

import { type Api, type Json, management } from '../client.ts';

/** Rows by collection, in the order of their ids. */
export type NetworkViews = ReadonlyMap<string, readonly Json[]>;

/** Collections of the management API, but for types that are the same in every network. */
const collections = [
  'auth-policies',
  'identities',
  'authenticators',
  'enrollments',
  'cas',
  'external-jwt-signers',
  'config-types',
  'configs',
  'services',
  'edge-routers',
  'transit-routers',
  'routers',
  'terminators',
  'posture-checks',
  'service-policies',
  'edge-router-policies',
  'service-edge-router-policies',
  'api-sessions',
] as const;

/** Collections of the fabric's API. */
const fabricCollections = ['services', 'routers', 'terminators'] as const;

/** What is shown of each row of a collection besides. */
const parts = {
  identities: ['service-configs', 'edge-routers', 'service-policies', 'authenticators'],
  services: ['edge-routers', 'configs', 'terminators'],
  'edge-routers': ['services', 'identities'],
  'service-policies': ['services', 'identities', 'posture-checks'],
} as const;

/**
 * Reads them all.
 * @param hidden ids of rows that are left out
 */
export async function readViews(
  admin: Api,
  hidden: ReadonlySet<unknown> = new Set(),
): Promise<NetworkViews> {
  const views = new Map<string, readonly Json[]>();
  const put = async (name: string, path: string) => {
    const rows = await rowsAt(admin, path);
    views.set(
      name,
      rows.filter(({ id }) => !hidden.has(id)),
    );
  };
  for (const name of collections) await put(name, `${management}/${name}`);
  for (const name of fabricCollections) await put(`fabric ${name}`, `/fabric/v1/${name}`);
  for (const [collection, names] of Object.entries(parts)) {
    for (const { id } of views.get(collection) ?? []) {
      for (const name of names) {
        await put(`${collection} ${id} ${name}`, `${management}/${collection}/${id}/${name}`);
      }
    }
  }
  for (const { id } of views.get('identities') ?? []) {
    // The permissions in these views are those of the identity: dial, bind, or none.
    await put(`services as ${id}`, `${management}/services?asIdentity=${id}`);
  }
  return views;
}

async function rowsAt(admin: Api, path: string): Promise<Json[]> {
  const separator = path.includes('?') ? '&' : '?';
  const data: unknown = await admin.ask('GET', `${path}${separator}limit=-1`);
  if (!Array.isArray(data)) throw new Error(`${path} is answered with no list`);
  const rows: readonly Json[] = data.map(withoutOrder);
  return rows.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

/** Rows of pairs have no id. */
function orderOf({ id, serviceId, configId }: Json): string {
  return id === undefined ? `${serviceId} ${configId}` : String(id);
}

/** Posture queries stand in no order: a list has them by policy, and below by check. */
function withoutOrder(row: Json): Json {
  const queries = row['postureQueries'];
  if (!Array.isArray(queries)) return row;
  const nested: readonly Json[] = queries.map(withoutOrder);
  const order = ({ policyType, policyId, id }: Json) => `${policyType} ${policyId} ${id}`;
  const postureQueries = nested.toSorted((one, other) => (order(one) < order(other) ? -1 : 1));
  return { ...row, postureQueries };
}
