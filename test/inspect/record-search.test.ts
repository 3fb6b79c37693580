// The search through everything: each record of each kind is found by id and by name, at a bounded
// cost, and each has a page.

import t from 'tap';
import type { FoundRecords, InstanceDetail } from '../../src/inspect/messages.ts';
import { identityKind } from '../../src/records/identity.ts';
import type { BoundValues } from '../../src/settings/bounds.ts';
import { furnishedNetwork, secretsOf } from '../commands/offline/looking.ts';
import { makeCertificate } from '../simulated/certificates.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const found = (network: Network, text: string, more = '') =>
  network.must<FoundRecords[]>('GET', `M:/inspect/search?text=${encodeURIComponent(text)}${more}`);

/** Kinds of which a furnished network has none. */
async function someOfEverythingElse(network: Network): Promise<void> {
  await network.create('external-jwt-signers', {
    name: 'company',
    issuer: 'https://login.company.test',
    audience: 'edge',
    enabled: true,
    jwksEndpoint: 'https://login.company.test/jwks',
  });
  await network.create('posture-checks', {
    name: 'at home',
    typeId: 'DOMAIN',
    domains: ['home.test'],
  });
  const { pem } = await makeCertificate({
    name: 'root',
    as: 'authority',
    keyType: 'ec-p256',
    nowMs: network.clock.now(),
  });
  await network.create('cas', {
    name: 'branch office',
    certPem: pem,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: true,
    isAuthEnabled: true,
    identityRoles: [],
  });
}

t.test('everything is found by its id and by its name, and has a page', async (t) => {
  const network = await furnishedNetwork();
  await someOfEverythingElse(network);
  const { inspection, store } = network.env;
  const kinds = new Set<string>();
  for (const kind of inspection.kinds) {
    for (const { id, record } of store.tableNamed(kind).rows()) {
      const name = inspection.names.of(kind, record);
      for (const text of [id, name.toUpperCase()]) {
        if (text === '') continue;
        const all = await found(network, text, `&kind=${kind}&limit=100`);
        const [group] = all;
        t.ok(
          group?.instances.some((one) => one.id === id && one.name === name),
          `${kind} ${text}`,
        );
      }
      const page = `M:/inspect/machines/${kind}/instances/${encodeURIComponent(id)}`;
      const { record: shown } = await network.must<InstanceDetail>('GET', page);
      t.equal(shown['id'], id);
      await network.must('GET', `${page}/access`);
      kinds.add(kind);
    }
  }
  for (const kind of 'service servicePolicy config configType postureCheck ca'.split(' ')) {
    t.ok(kinds.has(kind), kind);
  }
  for (const kind of 'externalJwtSigner authPolicy identity router edgeRouterPolicy'.split(' ')) {
    t.ok(kinds.has(kind), kind);
  }
  await network.stop();
});

t.test('nothing is found by a secret', async (t) => {
  const network = await furnishedNetwork();
  for (const secret of secretsOf(network)) {
    if (secret.length <= 1000) t.same(await found(network, secret), [], secret.slice(0, 4));
  }
  await network.stop();
});

/** Many identities whose names contain each other's. */
async function crowded(bounds: BoundValues = {}): Promise<Network> {
  const network = await bootNetwork({ bounds });
  const { store } = network.env;
  const table = store.table(identityKind);
  const [first] = [...table.all()];
  store.transact({ actor: 'test', requestId: '', operation: 'crowd' }, (tx) => {
    for (let i = 0; i < 500; i++) {
      const name = i === 400 ? 'desk' : i === 300 ? 'Desktop' : `a desk ${i}`;
      const own = { id: `id-${String(i).padStart(3, '0')}`, name, isDefaultAdmin: false };
      tx.put(table, { ...first?.record, ...own } as never);
    }
  });
  return network;
}

t.test('the nearest come first, and all are counted', async (t) => {
  const network = await crowded();
  const [group, ...others] = await found(network, 'desk', '&limit=3');
  t.same(others, []);
  t.match(group, { kind: 'identity', total: 500, isWhole: true });
  t.same(
    group?.instances.map(({ name }) => name),
    ['desk', 'Desktop', 'a desk 0'],
  );
  await network.stop();
});

t.test('inspectSearchRowsMax: a search ends, and says so', async (t) => {
  const network = await crowded({ inspectSearchRowsMax: 200 });
  const [group] = await found(network, 'desk 1');
  t.match(group, { kind: 'identity', isWhole: false });
  t.ok((group?.total ?? 0) > 0 && (group?.total ?? 0) < 111, 'small kinds come first');
  t.match(await found(network, 'Default', '&kind=authPolicy'), [{ isWhole: true }]);
  await network.stop();
});

t.test('kinds that were not looked at are told, and those without a record are not', async (t) => {
  const network = await crowded({ inspectSearchRowsMax: 1 });
  const identities = await found(network, 'desk 1', '&kind=identity');
  t.match(identities, [{ kind: 'identity', total: 0, isWhole: false, instances: [] }]);
  t.same(await found(network, 'desk 1', '&kind=posturecheck'), []);
  t.same(await found(network, 'desk 1', '&kind=postureCheck'), []);
  await network.stop();
});

t.test('searchTextMax and searchLimitMax bound what is asked', async (t) => {
  const network = await bootNetwork();
  const long = await network.call('GET', `M:/inspect/search?text=${'a'.repeat(1001)}`);
  t.match(long, { status: 400, cause: { field: 'text' } });
  const many = await network.call('GET', 'M:/inspect/search?text=a&limit=101');
  t.match(many, { status: 400, cause: { field: 'limit' } });
  await network.stop();
});

t.test('searches run one at a time, in slices, and wait in a bounded queue', async (t) => {
  const network = await crowded({ inspectLooksWaitingMax: 2, inspectSliceMs: 1 });
  const { clock } = network;
  let [reads, turns] = [0, 0];
  const monotonic = clock.monotonic.bind(clock);
  t.intercept(clock, 'monotonic', { value: () => monotonic() + 10 * reads++ });
  const soon = clock.soon.bind(clock);
  t.intercept(clock, 'soon', {
    value: (task: () => void) => {
      turns += 1;
      soon(task);
    },
  });
  const path = 'M:/inspect/search?text=desk';
  const answers = await Promise.all(Array.from({ length: 5 }, () => network.call('GET', path)));
  t.same(answers.map(({ status }) => status).sort(), [200, 200, 200, 429, 429]);
  t.ok(turns >= 4, 'others have their turn between two slices');
  await network.stop();
});
