// What a node answers while it follows, and what it leaves to the leader.

import t from 'tap';
import { reportEveryMs, useBounds } from '../../src/cluster/node/session-uses.ts';
import { bootStandbyNetwork, type StandbyNetwork } from '../simulated/standby-network.ts';

const minuteMs = 60_000;
const me = 'C:/current-api-session';

/** The status of a request at the node that follows. */
async function statusThere(network: StandbyNetwork, path: string, token?: string) {
  const options = token === undefined ? {} : { token };
  return (await network.callAt(network.behind, 'GET', path, options)).status;
}

t.test('a read sees what was confirmed before it came', async (t) => {
  const network = await bootStandbyNetwork();
  const name = async () => {
    const { status, data } = await network.callAt(network.behind, 'GET', `M:/configs/${id}`);
    return status === 200 ? (data as { name: string }).name : status;
  };
  const configTypeId = await network.create('config-types', { name: 'type' });
  const id = await network.create('configs', { name: 'one', configTypeId, data: {} });
  t.equal(await name(), 'one');
  await network.must('PATCH', `M:/configs/${id}`, { name: 'two' });
  t.equal(await name(), 'two');
  await network.must('DELETE', `M:/configs/${id}`);
  t.equal(await name(), 404);
  await network.stop();
});

t.test('the leader answers what only the leader knows', async (t) => {
  const network = await bootStandbyNetwork();
  t.equal(await statusThere(network, 'M:/identities'), 421, 'with presence');
  t.equal(await statusThere(network, me, 'no-such-token'), 421, 'a token that is not known');
  t.equal(await statusThere(network, me), 200);
  t.equal(await statusThere(network, 'C:/no-such-path'), 404, 'this rests on no record');
  network.hasNoLeader = true;
  t.equal(await statusThere(network, me), 421, 'nobody says how far the log is');
  t.equal(await statusThere(network, 'C:/version'), 200, 'each node tells of itself');
  await network.stop();
});

t.test('a session that is used elsewhere lives, and counts only as acknowledged', async (t) => {
  const network = await bootStandbyNetwork({ config: { session: sessionTimes } });
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  for (let minute = 0; minute < 60; minute++) {
    await network.advance(minuteMs - reportEveryMs);
    t.equal(await statusThere(network, me, token), 200);
    await network.advance(reportEveryMs);
  }
  t.equal((await network.call('GET', me, { token })).status, 200, 'the leader knows of it');
  network.losesReports = true;
  await network.advance(14 * minuteMs);
  t.equal(await statusThere(network, me, token), 200);
  await network.advance(2 * minuteMs);
  t.equal(await statusThere(network, me, token), 421, 'half of its time was not acknowledged');
  await network.stop();
});

t.test('a session ends when no use of it can be on its way any more', async (t) => {
  const network = await bootStandbyNetwork({ config: { session: sessionTimes } });
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  const { data } = await network.call('GET', me, { token });
  const { id } = data as { readonly id: string };
  await network.advance(reportEveryMs);
  t.equal(await statusThere(network, me, token), 200, 'its node ends before it reports that');
  network.losesReports = true;
  await network.advance(30 * minuteMs - 1);
  const row = async () => (await network.call('GET', `M:/api-sessions/${id}`)).status;
  t.equal(await row(), 200);
  await network.advance(useBounds.unheardMs - reportEveryMs + 1);
  t.equal(await row(), 404);
  await network.stop();
});

const sessionTimes = { timeoutMinutes: 30, activityFlushSeconds: 1800 };
