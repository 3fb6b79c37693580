// Where the two controllers show the same network differently, and why each of these is right.

import type { ViewDifference } from './view-differences.ts';

/** Differences that are right, for one reason. */
export interface KnownDifference {
  /** A sentence. */
  readonly reason: string;
  isOf(difference: ViewDifference): boolean;
}

/** The reason of a difference; undefined for one that nobody expects. */
export function reasonOf(difference: ViewDifference): string | undefined {
  return knownDifferences.find((known) => known.isOf(difference))?.reason;
}

/** The first one that a difference is of counts. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    reason: 'An empty set and an unset one look alike in the file; null and absent say the same.',
    isOf: ({ path, before, after }) =>
      isNothing(before) && isNothing(after) && !/(^|\.)(data|appData|tags)\./.test(path),
  },
  {
    reason: 'Each controller links the views that it has.',
    isOf: ({ path, before, after }) =>
      /(^|\.)_links\./.test(path) && (before === undefined || after === undefined),
  },
  {
    reason: 'Any router is called a router here, and a transit router there.',
    isOf: ({ path, before, after }) =>
      (path.endsWith('_links.self.href') || path.endsWith('.entity')) &&
      String(before).replace('transit-routers', 'routers') === after,
  },
  {
    reason: 'The transit view of the former controller calls a router verified that is not.',
    isOf: ({ path, before, after, rows }) =>
      path === 'isVerified' &&
      before === true &&
      after === false &&
      isNothing(rows.before?.['fingerprint']),
  },
  {
    reason: 'Enrollments had no time of creation: that of their JWT takes its place.',
    isOf: ({ path, before }) =>
      /^(createdAt|updatedAt|enrollmentCreatedAt)$/.test(path) && before === yearOne,
  },
  {
    reason: 'A member that only one of them shows has the value that nobody has set.',
    isOf: ({ path, before, after }) =>
      before === undefined && (after === 0 || after === false) && unsetMembers.test(path),
  },
  {
    reason: 'A text that is not set is shown as an empty one.',
    isOf: ({ collection, path, before, after }) =>
      collection === 'external-jwt-signers' &&
      /^(clientId|externalAuthUrl|fingerprint|kid)$/.test(path) &&
      isNothing(before) &&
      after === '',
  },
  {
    reason: 'Built-in config types have the schema of this release.',
    isOf: ({ collection, path, rows }) =>
      collection === 'config-types' &&
      path.startsWith('schema.') &&
      /\.v\d$/.test(String(rows.before?.['name'])),
  },
  {
    reason: 'Lists of all routers show the enrollments of edge routers, too.',
    isOf: ({ collection, path, before }) =>
      /^(transit-)?routers$/.test(collection) &&
      path.startsWith('enrollment') &&
      before === undefined,
  },
  {
    reason: 'An enrollment shows its user name, and what kind its identity is.',
    isOf: ({ collection, path, before }) =>
      collection === 'enrollments' &&
      /^(identity\.urlName|username)$/.test(path) &&
      before === undefined,
  },
  {
    reason: 'The JWT of a CA is shown in its view, too.',
    isOf: ({ collection, path, before, after }) =>
      collection === 'cas' && path === 'jwt' && before === undefined && typeof after === 'string',
  },
  {
    reason: 'A service without a policy has no posture queries; the former one makes one up.',
    isOf: ({ path, before, after }) =>
      path === 'postureQueries' && isMadeUp(before) && isNothing(after),
  },
  {
    reason: 'Lists below an entity show configs and permissions as the main list does.',
    isOf: ({ collection, path, before }) =>
      /^(edge-routers|service-policies) services$/.test(collection) &&
      /^(config|permissions)$/.test(path) &&
      before === null,
  },
  {
    reason: 'A posture query ends at a time that is counted from its answer.',
    isOf: ({ path, before, after }) =>
      path.endsWith('.timeoutAt') && String(before) < String(after),
  },
  {
    reason: 'A posture query says how long a prompt for a code may wait.',
    isOf: ({ path, before, after }) =>
      path.endsWith('.promptGracePeriodSeconds') && before === undefined && after === 300,
  },
  {
    reason: 'A hash that was taken over is renewed at the first login.',
    isOf: ({ collection, path, before, after, rows }) =>
      /authenticators$/.test(collection) &&
      path === 'updatedAt' &&
      rows.before?.['method'] === 'updb' &&
      String(before) < String(after),
  },
  {
    reason: 'Nobody was idle while the network was down, so that the idle time begins anew.',
    isOf: ({ collection, path, before, after }) =>
      collection === 'api-sessions' &&
      /^(cachedLastActivityAt|lastActivityAt)$/.test(path) &&
      String(before) <= String(after),
  },
  {
    reason: 'Tokens of API sessions are kept sealed, and only their holders see them.',
    isOf: ({ collection, path, after }) =>
      collection === 'api-sessions' && path === 'token' && after === '******',
  },
  {
    reason: 'API sessions by OIDC and by token are told apart.',
    isOf: ({ collection, path, before, after }) =>
      collection === 'api-sessions' &&
      path === 'type' &&
      before === undefined &&
      after === 'legacy',
  },
];

const yearOne = '0001-01-01T00:00:00.000Z';

/** Names of members that the former controller leaves out where nobody has set them. */
const unsetMembers = new RegExp(
  `(^|\\.)(${[
    'isIssuedByNetwork',
    'lastAuthResolvedToRoot',
    'capabilitiesMask',
    'promptOnWake',
    'promptOnUnlock',
    'ignoreLegacyEndpoints',
    'improperClientCertChain',
  ].join('|')})$`,
);

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function isMadeUp(queries: unknown): boolean {
  if (!Array.isArray(queries) || queries.length !== 1) return false;
  const [query]: readonly unknown[] = queries;
  return (
    typeof query === 'object' &&
    query !== null &&
    'policyType' in query &&
    query.policyType === 'Invalid'
  );
}
