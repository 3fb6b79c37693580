// Follows every link of every answer, from each list and detail on, in both APIs: each leads to an
// operation that answers the caller who was shown the link (behaviour/answers#links).

import t, { type Test } from 'tap';
import { operations } from '../../src/assembly/operations.ts';
import type { ApiName } from '../../src/declare/operations/apis.ts';
import { resources } from '../../src/resources/index.ts';
import { bootScene, type Scene } from '../integrity/scene.ts';
import { makeRequest } from '../simulated/certificates.ts';
import { type Network, prefixes } from '../simulated/network.ts';
import { create } from './harness/examples.ts';
import { hrefsIn, leadsSomewhere } from './harness/link-check.ts';

/** One of each resource that an administrator can create, beside those of the scene. */
async function furnish(network: Network): Promise<void> {
  for (const resource of resources) {
    if (resource.example === undefined || !resource.verbs.management?.includes('create')) continue;
    await create(network, resource, `linked-${resource.path}`);
  }
}

/** What alice sees besides: a service with a check, a certificate of alice, pending MFA. */
async function furnishAlice(network: Network, ids: Scene['ids'], token: string): Promise<void> {
  await network.must('PATCH', `M:/identities/${ids.alice}`, { roleAttributes: ['sales', 'eu'] });
  const csr = await makeRequest('one');
  await network.must('POST', 'C:/current-api-session/certificates', { csr }, token);
  await network.must('POST', 'C:/current-identity/mfa', undefined, token);
}

/** Follows links until no answer has a new one. Answers how many there were. */
async function follow(t: Test, network: Network, api: ApiName, token: string): Promise<number> {
  const prefix = prefixes[api];
  const starts = operations.filter(
    ({ apis, method, path, id }) =>
      apis.includes(api) && method === 'GET' && !path.includes('{') && !skipped.has(id),
  );
  const waiting = starts.map(({ path }) => ({ path, from: '' }));
  const known = new Set(waiting.map(({ path }) => path));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, from } = next;
    const answer = await network.call('GET', `${prefix}${path}`, { token });
    if (from !== '') {
      // A few links are for another method, such as that which verifies a CA.
      const isRight = answer.status === 200 || answer.status === 405;
      t.ok(isRight && leadsSomewhere(api, `.${path}`), `${api} ${from} -> ${path}`);
    }
    if (answer.status !== 200) continue;
    for (const href of hrefsIn(answer.data)) {
      const target = href.slice(1);
      if (known.has(target)) continue;
      known.add(target);
      waiting.push({ path: target, from: path });
    }
  }
  return known.size - starts.length;
}

/** Answers without `_links` that go on after their request, or end it. */
const skipped = new Set(['streamAudit']);

t.test('every link leads somewhere', async (t) => {
  const { network, ids } = await bootScene();
  await furnish(network);
  const alice = await network.login('alice', 'alice-password');
  await furnishAlice(network, ids, alice);
  t.ok((await follow(t, network, 'management', network.admin)) > 100);
  t.ok((await follow(t, network, 'fabric', network.admin)) > 10);
  t.ok((await follow(t, network, 'client', alice)) >= 10);
  await network.stop();
});
