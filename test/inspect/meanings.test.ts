// The meaning of states, and the words for conditions, as inspectors are told them.

import t from 'tap';
import type { MachineView, ProcessView } from '../../src/inspect/messages.ts';
import { bootNetwork } from '../simulated/network.ts';

const words = ['good', 'waiting', 'bad', 'over'];

t.test('every state of every machine has a meaning', async (t) => {
  const network = await bootNetwork();
  const machines = await network.must<MachineView[]>('GET', 'M:/inspect/machines');
  for (const { id, states, finals, meanings } of machines) {
    t.same(Object.keys(meanings ?? {}).sort(), [...states].sort(), id);
    for (const state of states) t.ok(words.includes(meanings?.[state] ?? ''), `${id} ${state}`);
    for (const state of finals) t.not(meanings?.[state], 'waiting', `${id} ${state} is final`);
  }
  const meaningIn = (id: string, state: string) =>
    machines.find((machine) => machine.id === id)?.meanings?.[state];
  t.equal(meaningIn('life', 'serving'), 'good', 'a healthy controller');
  t.equal(meaningIn('life', 'failed'), 'bad');
  t.equal(meaningIn('link', 'failed'), 'bad');
  await network.stop();
});

t.test('every condition of every machine has words, and all words are used', async (t) => {
  const network = await bootNetwork();
  const machines = await network.must<MachineView[]>('GET', 'M:/inspect/machines');
  for (const { id, transitions, guards } of machines) {
    const labels = new Set(transitions.flatMap(({ guarded }) => guarded ?? []));
    t.same(Object.keys(guards ?? {}).sort(), [...labels].sort(), id);
    for (const label of labels) t.match(guards?.[label], /^[a-z].*[^.]$/, `${id} ${label}`);
    const declared = network.env.registry.kinds.get(id)?.machine?.declaration.guards ?? {};
    const used = new Set([...labels].map((label) => label.split(' ', 1)[0]));
    for (const guard of Object.keys(declared)) t.ok(used.has(guard), `${id} ${guard}`);
  }
  await network.stop();
});

t.test('every process says what its state means', async (t) => {
  const network = await bootNetwork();
  const processes = await network.must<ProcessView[]>('GET', 'M:/inspect/processes');
  t.ok(processes.length > 3);
  for (const { name, meaning } of processes) t.equal(meaning, 'good', name);
  await network.stop();
});
