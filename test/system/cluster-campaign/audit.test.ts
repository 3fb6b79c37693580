// The audit after a round: what it takes for broken, and what not.

import t, { type Test } from 'tap';
import { audit } from '../audit.ts';
import { Api, client, management } from '../client.ts';
import { Ledger } from '../ledger.ts';
import { type Asked, clientOf, pretendFront, type Said } from './pretend-front.ts';

const identities = `${management}/identities`;
const self = { id: 'admin', name: 'admin' };
const one = { id: 'id-1', name: 'one', appData: { value: 0 } };

/** A ledger in which the identity `one` was acknowledged. */
function ledgerOfOne(): Ledger {
  const ledger = new Ledger();
  const entry = ledger.identity('one');
  entry.id = one.id;
  ledger.asked(entry, 'there');
  return ledger;
}

/** An administrator of a cluster with these identities, which answers `POST` as it is told. */
async function adminOf(test: Test, rows: readonly object[], posted: readonly Said[] = []) {
  const lists: Readonly<Record<string, readonly object[]>> = {
    [identities]: rows,
    [`${management}/api-sessions`]: [{ id: 'own', identityId: self.id }],
  };
  const answers = [...posted];
  const answerTo = ({ method, path }: Asked): Said => {
    if (method === 'POST') return answers.shift() ?? 'lost';
    if (path === `${client}/current-identity`) return { status: 200, data: self };
    if (path === `${identities}/${one.id}`) return { status: 200, data: one };
    const [collection = '', query = ''] = path.split('?');
    const all = lists[collection] ?? [];
    const data = query.includes('one') ? all.filter((row) => row === one) : all;
    return { status: 200, data, meta: { pagination: { totalCount: data.length } } };
  };
  const { http } = clientOf(test, await pretendFront(test, answerTo));
  return new Api(http, '', 'own');
}

t.test('an acknowledged change that is missing is broken', async (t) => {
  const admin = await adminOf(t, [self]);
  const broken = { name: 'Broken', message: 'identity one is lost' };
  await t.rejects(audit(admin, ledgerOfOne(), false), broken);
});

t.test('one that is there twice is broken', async (t) => {
  const admin = await adminOf(t, [self, one, { ...one, id: 'id-2' }]);
  const broken = { name: 'Broken', message: 'one is listed twice' };
  await t.rejects(audit(admin, ledgerOfOne(), false), broken);
});

t.test('a name is taken, also when the first to say so was not heard', async (t) => {
  const taken = { status: 400, error: { code: 'COULD_NOT_VALIDATE' } };
  for (const posted of [[taken], ['lost', taken]] as const) {
    const admin = await adminOf(t, [self, one], posted);
    t.match(await audit(admin, ledgerOfOne(), false), { identities: 2, done: 0, undone: 0 });
  }
  const admin = await adminOf(t, [self, one], [{ status: 201, data: { id: 'id-2' } }]);
  const broken = { name: 'Broken', message: 'the name one once more: 201, not 400' };
  await t.rejects(audit(admin, ledgerOfOne(), false), broken);
});
