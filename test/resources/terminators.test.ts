// Terminators: what their machine makes of their precedence, and older layouts.

import t from 'tap';
import { baseValues } from '../../src/declare/kinds/compiled.ts';
import { terminatorKind } from '../../src/records/terminator.ts';
import { bootNetwork } from '../simulated/network.ts';

interface History {
  readonly transitions: readonly {
    readonly event: string;
    readonly from: string;
    readonly to: string;
  }[];
}

t.test('the state follows the precedence, and each change of it is in the history', async (t) => {
  const network = await bootNetwork();
  const service = await network.create('services', { name: 'printer', encryptionRequired: true });
  const router = await network.create('edge-routers', { name: 'edge' });
  const place = { service, router, binding: 'transport', address: 'tcp:printer:9100' };
  const id = await network.create('terminators', place);
  const path = `M:/inspect/machines/terminator/instances/${id}`;
  const state = async () => (await network.must<{ state: string }>('GET', path)).state;
  const patch = (body: object) => network.must('PATCH', `M:/terminators/${id}`, body);
  t.equal(await state(), 'declared');
  await patch({ precedence: 'failed', cost: 7 });
  t.equal(await state(), 'failed');
  t.match(await network.must('GET', `M:/terminators/${id}`), { precedence: 'failed', cost: 7 });
  await patch({ cost: 8 });
  t.equal(await state(), 'failed', 'the cost is none of its business');
  await network.must('PUT', `M:/terminators/${id}`, { ...place, precedence: 'required' });
  t.equal(await state(), 'declared');
  t.match(await network.must('GET', `M:/terminators/${id}`), { precedence: 'required', cost: 0 });
  const { transitions } = await network.must<History>('GET', `${path}/transitions`);
  t.same(transitions.map(({ event, from, to }) => `${event}: ${from} to ${to}`).toSorted(), [
    'create: none to declared',
    'setPrecedence: declared to failed',
    'setPrecedence: failed to declared',
  ]);
  const failed = await network.create('terminators', { ...place, precedence: 'failed' });
  await network.restart();
  await network.logInAdmin();
  const instances = 'M:/inspect/machines/terminator/instances';
  t.match(await network.must('GET', `${instances}/${failed}`), { state: 'failed' });
  await network.stop();
});

t.test('version 2 had no state for a failed one', (t) => {
  const { codec } = terminatorKind;
  const stored = (precedence: string, isOfRouter: boolean, state: string) => {
    const values: unknown[] = new Array(baseValues + 13).fill(null);
    const fields = { 5: precedence, 11: isOfRouter, 12: state };
    for (const [at, value] of Object.entries(fields)) values[baseValues + Number(at)] = value;
    return values;
  };
  for (const [precedence, isOfRouter, old, state] of [
    ['default', false, 'declared', 'declared'],
    ['required', true, 'hosted', 'hosted'],
    ['failed', true, 'hosted', 'failed'],
    ['failed', false, 'declared', 'failed'],
  ] as const) {
    const record = codec.decode('t', 2, stored(precedence, isOfRouter, old));
    t.match(record, { precedence, isOfRouter, state });
    t.equal(codec.encode(record, 2).at(-1), old);
    t.equal(codec.encode(record).at(-1), state);
  }
  t.end();
});
