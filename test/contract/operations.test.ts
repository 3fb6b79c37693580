// Compares the declared operations with the published ones, in both directions.

import { readFileSync } from 'node:fs';
import t from 'tap';
import { operations } from '../../src/assembly/operations.ts';
import { basePaths } from '../../src/declare/operations/apis.ts';
import { bootNetwork } from '../simulated/network.ts';
import { keyOf, published, publishedByKey } from './harness/published.ts';

/** Refused with 404 (behaviour/requests#operations). */
const refused = [/\/controller-settings(\/|$)/];

/** Served, though the published API of these files does not have them; sorted. */
const ours = [
  // The routers' capabilities and the usage of role attributes are newer than the files
  // (behaviour/information#capabilities, behaviour/lists#usage-of-role-attributes).
  'GET client /enumerated-router-capabilities',
  'GET client /swagger.json',
  'GET fabric /swagger.json',
  'GET management /edge-router-role-attribute-usage',
  // How a router knows the model of the network: ours alone.
  'GET management /edge-routers/{}/model',
  // behaviour/policies#lists
  'GET management /edge-routers/{}/service-policies',
  'GET management /enumerated-router-capabilities',
  // Why an identity can or cannot reach a service: ours alone.
  'GET management /identities/{}/services/{}/explain',
  // behaviour/usage#reading
  'GET management /identities/{}/usage',
  'GET management /identity-role-attribute-usage',
  'GET management /posture-check-role-attribute-usage',
  'GET management /service-role-attribute-usage',
  // behaviour/fabric#failed-dials: ours alone.
  'GET management /services/{}/failures',
  'GET management /services/{}/usage',
  'GET management /swagger.json',
  // How a machine joins a cluster: ours alone (behaviour/cluster#operating).
  'POST fabric /cluster/redeem-invitation',
  'POST management /edge-routers/{}/model/check',
  // behaviour/identities#tracing
  'PUT client /identities/{}/trace',
];

/** The operations of the inspector and the audit feed are not in OpenZiti. */
const lookingIn = /^\w+ management \/(inspect|audit)(\/|$)/;

/** Who may, where it is not what the published API says. */
const accessExceptions: Readonly<Record<string, string>> = {
  // behaviour/services#visibility
  'PUT client /services/{}': 'admin',
  'PATCH client /services/{}': 'admin',
  'DELETE client /services/{}': 'admin',
  // behaviour/requests#rights
  'DELETE management /api-sessions/{}': 'admin-or-403',
  'DELETE management /posture-checks/{}': 'admin-or-403',
};

const accessNames: Readonly<Record<string, string>> = {
  public: 'public',
  'client-cert': 'public',
  'session-partial': 'partial',
  session: 'full',
  admin: 'admin',
};

const declared = new Map(
  operations.flatMap((one) =>
    one.apis.map((api) => [keyOf(one.method, api, one.path), one] as const),
  ),
);
const isRefused = (key: string) => refused.some((pattern) => pattern.test(key));

t.test('no two operations share method and path', (t) => {
  t.equal(publishedByKey.size, published.length);
  t.equal(declared.size, operations.flatMap(({ apis }) => apis).length);
  t.end();
});

t.test('what we serve is published, or ours on purpose', (t) => {
  const strange = [...declared.keys()].filter(
    (key) => !publishedByKey.has(key) && !lookingIn.test(key),
  );
  t.same(strange.sort(), ours);
  for (const [key, { id, access, success, errors }] of declared) {
    const theirs = publishedByKey.get(key);
    if (theirs === undefined) continue;
    t.equal(id, theirs.operationId, `${key}: its operation id`);
    t.notOk(isRefused(key), `${key} is not refused as well`);
    t.equal(access, accessExceptions[key] ?? accessNames[theirs.access], `${key}: who may`);
    const statuses = [success, ...errors].map(String);
    const missing = (theirs.seedStatuses ?? []).filter((status) => !statuses.includes(status));
    t.same(missing, [], `${key}: statuses of the specification`);
  }
  t.end();
});

t.test('what is published and not served is refused or on the list', (t) => {
  const missing = published
    .map((one) => keyOf(one.method, one.api, one.path))
    .filter((key) => !declared.has(key) && !isRefused(key))
    .sort();
  t.comment(`${missing.length} published operations are not served yet:\n${missing.join('\n')}`);
  const list = readFileSync(new URL('./missing.txt', import.meta.url), 'utf8');
  t.same(missing, list.split('\n').filter(Boolean));
  t.end();
});

t.test('refused and missing operations are 404, served ones are routes', async (t) => {
  const network = await bootNetwork();
  for (const { method, api, path } of published) {
    const url = `${basePaths[api]}${path.replace(/\{[^}]+\}/g, 'no-such-id')}`;
    // Without a session: a route answers 401, 400 or its data, never that there is nothing.
    const answer = await network.call(method, url, { token: null });
    const key = keyOf(method, api, path);
    if (declared.has(key)) {
      const isPublicDetail = path.startsWith('/specs/{id}');
      if (!isPublicDetail) t.notOk([404, 405].includes(answer.status), `${key} is served`);
    } else t.ok([404, 405].includes(answer.status), `${key} is not served: ${answer.status}`);
  }
  await network.stop();
});
