// What a takeover means for API sessions, deadlines and consequences that were under way.

import t from 'tap';
import { deferredCascadeKind } from '../../src/store/deferred-cascades.ts';
import { adminPassword, adminUser } from '../simulated/network.ts';
import { bootStandbyNetwork } from '../simulated/standby-network.ts';

const minuteMs = 60_000;
const me = 'C:/current-api-session';

t.test('an API session five hours old, used every minute, lives through a takeover', async (t) => {
  const network = await bootStandbyNetwork({
    config: { session: { timeoutMinutes: 30, activityFlushSeconds: 1800 } },
  });
  await network.createUser('alice', 'alice-password');
  await network.createUser('bobby', 'bobby-password');
  const token = await network.login('alice', 'alice-password');
  for (let minute = 0; minute < 300; minute++) {
    await network.advance(minuteMs);
    // The administrator's own session is used, too.
    await network.must('GET', me);
    await network.must('GET', me, undefined, token);
    void network.standby;
  }
  const idle = await network.login('bobby', 'bobby-password');
  await network.advance(20 * minuteMs);
  await network.must('GET', me, undefined, token);
  await network.crash();
  await network.advance(29 * minuteMs);
  t.equal((await network.call('GET', me, { token })).status, 200);
  t.equal((await network.call('GET', me, { token: idle })).status, 200, 'one time-out of grace');
  await network.advance(31 * minuteMs);
  t.equal((await network.call('GET', me, { token })).status, 401);
  t.equal((await network.call('GET', me, { token: idle })).status, 401);
  await network.stop();
});

t.test('an open cascade is finished by the next leader, before anything else', async (t) => {
  const network = await bootStandbyNetwork({ bounds: { cascadeRowsMax: 2 } });
  const id = await network.createUser('alice', 'alice-password');
  const tokens: string[] = [];
  for (let count = 0; count < 20; count++) {
    tokens.push(await network.login('alice', 'alice-password'));
  }
  await network.must('DELETE', `M:/identities/${id}`);
  const open = () => network.env.store.table(deferredCascadeKind).size;
  t.equal(open(), 1, 'it is under way');
  const fence = () => network.standby.env.store.fence;
  t.ok(fence().cascadesOpen, 'readers of the node that follows check what is being deleted');
  t.ok(fence().kindsBeingDeleted.has('apiSession'));
  t.equal(network.standby.env.store.table(deferredCascadeKind).size, 1);
  await network.advance(0);
  t.equal(open(), 0, 'the leader has gone on with it');
  t.equal(network.standby.env.store.table(deferredCascadeKind).size, 0);
  t.notOk(fence().cascadesOpen);
  await network.stop();

  const other = await bootStandbyNetwork({ bounds: { cascadeRowsMax: 2 } });
  const identityId = await other.createUser('alice', 'alice-password');
  for (let count = 0; count < 20; count++) await other.login('alice', 'alice-password');
  await other.must('DELETE', `M:/identities/${identityId}`);
  await other.crash();
  t.equal(other.env.store.table(deferredCascadeKind).size, 0);
  const left = await other.must<readonly { identityId: string }[]>('GET', 'M:/api-sessions');
  t.same(
    left.filter((one) => one.identityId === identityId),
    [],
  );
  await other.stop();
});

t.test('what was not confirmed is gone, and its answer never came', async (t) => {
  const network = await bootStandbyNetwork();
  network.log.isSilent = true;
  let isAnswered = false;
  const body = { name: 'lost', type: 'Default', isAdmin: false };
  void network
    .call('POST', 'M:/identities', { body })
    .then(() => {
      isAnswered = true;
    })
    .catch(() => undefined);
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.notOk(isAnswered);
  network.log.isSilent = false;
  await network.crash();
  const found = await network.must<unknown[]>('GET', 'M:/identities?filter=name="lost"');
  t.same(found, []);
  const ids = [await network.create('identities', body)];
  t.equal(ids.length, 1, 'the name is free');
  await network.stop();
});

t.test('the instance and its start change with each leadership', async (t) => {
  const network = await bootStandbyNetwork();
  const told = async () => {
    const { instanceId, startedAt } = network.env.addresses;
    const { headers } = await network.call('GET', me);
    t.equal(headers['ziti-instance-id'], instanceId);
    return { instanceId, startedAt };
  };
  const before = await told();
  t.same(await told(), before);
  await network.advance(1);
  await network.crash();
  const after = await told();
  t.not(after.instanceId, before.instanceId);
  t.ok(after.startedAt > before.startedAt);
  await network.stop();
});

t.test('ids sort after those of the former leader, even if the clock was set back', async (t) => {
  const network = await bootStandbyNetwork();
  await network.createUser('alice', 'alice-password');
  // Not in the moment in which it began to lead.
  await network.advance(1);
  const earlier = await network.login(adminUser, adminPassword);
  const before = await network.must<{ id: string }>('GET', me, undefined, earlier);
  network.clock.jump(-3_600_000);
  await network.crash();
  const token = await network.login('alice', 'alice-password');
  const after = await network.must<{ id: string }>('GET', me, undefined, token);
  t.ok(after.id > before.id);
  await network.stop();
});
