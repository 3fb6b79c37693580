// The dynamic costs of terminators: circuits, failures, successes, credit over time.

import t from 'tap';
import { terminatorKind } from '../../src/records/terminator.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

async function withTerminator(
  strategy = 'smartrouting',
): Promise<{ network: Network; id: string }> {
  const network = await bootNetwork();
  const service = await network.create('services', {
    name: 's',
    encryptionRequired: true,
    terminatorStrategy: strategy,
  });
  const router = await network.create('edge-routers', { name: 'edge' });
  const address = 'tcp:printer:9100';
  const id = await network.create('terminators', { service, router, binding: 'edge', address });
  return { network, id };
}

t.test('circuits and failures', async (t) => {
  const { network, id } = await withTerminator();
  const { terminatorCosts: costs } = network.env;
  t.equal(costs.dynamicCost(id), 0);
  costs.circuitOpened(id);
  costs.circuitOpened(id);
  t.equal(costs.dynamicCost(id), 4);
  costs.circuitClosed(id);
  t.equal(costs.dynamicCost(id), 2);
  costs.failed(id);
  t.equal(costs.dynamicCost(id), 22);
  costs.circuitOpened(id);
  t.equal(costs.dynamicCost(id), 22, 'a success lessens the failure cost by what it adds');
  t.match(await network.must('GET', `M:/terminators/${id}`), { dynamicCost: 22 });
  for (let n = 0; n < 4000; n++) costs.failed(id);
  t.equal(costs.dynamicCost(id), 65535, 'the range of static costs');
  for (let n = 0; n < 5; n++) costs.circuitClosed(id);
  await network.advance(3 * 3_600_000);
  t.equal(costs.dynamicCost(id), 0);
  await network.stop();
});

t.test('each minute credits a failure, more and more', async (t) => {
  const { network, id } = await withTerminator();
  const { terminatorCosts: costs } = network.env;
  for (let n = 0; n < 20; n++) costs.failed(id);
  const minutes: number[] = [];
  for (let minute = 0; minute < 26; minute++) {
    minutes.push(costs.dynamicCost(id));
    await network.advance(60_000);
  }
  t.same(
    minutes,
    // 10 a minute until 2^n of n periods of five minutes is more, from the twentieth on.
    [
      400, 390, 380, 370, 360, 350, 340, 330, 320, 310, 300, 290, 280, 270, 260, 250, 240, 230, 220,
      210, 194, 178, 162, 146, 130, 98,
    ],
  );
  costs.failed(id);
  t.equal(costs.dynamicCost(id), 66 + 20);
  await network.advance(60_000);
  t.equal(costs.dynamicCost(id), 66 + 20 - 10, 'a failure begins the periods again');
  await network.stop();
});

t.test('of the strategy random nothing is shown', async (t) => {
  const { network, id } = await withTerminator('random');
  const { terminatorCosts: costs } = network.env;
  costs.circuitOpened(id);
  costs.failed(id);
  t.equal(costs.dynamicCost(id), 0);
  await network.stop();
});

t.test('the costs of a terminator that does not exist are not kept', async (t) => {
  const { network, id } = await withTerminator();
  const { env } = network;
  const { terminatorCosts: costs } = env;
  costs.failed('none');
  costs.circuitOpened('none');
  costs.circuitClosed('none');
  t.equal(costs.dynamicCost('none'), 0);
  costs.failed(id);
  const record = env.store.table(terminatorKind).find(id)?.record;
  await network.must('DELETE', `M:/terminators/${id}`);
  t.equal(costs.dynamicCost(id), 0);
  const cause = { actor: 'test', requestId: '', operation: 'test' };
  if (record === undefined) throw new Error('there was one');
  env.store.transact(cause, (tx) => tx.put(env.store.table(terminatorKind), record));
  t.equal(costs.dynamicCost(id), 0, 'forgotten with the terminator');
  await network.stop();
});
