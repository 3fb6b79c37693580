// Tags with numbers, which earlier releases took: they load, are shown, found and kept, and are
// refused in bodies (behaviour/records#tags).

import t from 'tap';
import { identityKind } from '../../src/records/identity.ts';
import { bootNetwork } from '../simulated/network.ts';

t.test('stored numbers stay until the tags are replaced', async (t) => {
  const network = await bootNetwork();
  const id = await network.createUser('alice', 'alice-password');
  const path = `M:/identities/${id}`;
  const { store } = network.env;
  const table = store.table(identityKind);
  store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
    const row = table.peek(id);
    if (row !== undefined) tx.put(table, { ...row.record, tags: { floor: 3.5 } });
  });
  await network.restart();
  await network.logInAdmin();
  t.match(await network.must('GET', path), { tags: { floor: 3.5 } });
  t.match(await network.must('GET', 'M:/identities?filter=tags.floor=3.5'), [{ id }]);
  await network.must('PATCH', path, { name: 'alicia' });
  t.match(await network.must('GET', path), { name: 'alicia', tags: { floor: 3.5 } });
  const refused = await network.call('PATCH', path, { body: { tags: { floor: 3.5 } } });
  t.equal(refused.status, 400);
  await network.must('PATCH', path, { tags: { floor: '3.5' } });
  t.same((await network.must<{ tags: object }>('GET', path)).tags, { floor: '3.5' });
  await network.stop();
});
