// Events as @statelyai/inspect makes and takes them: their own parts are asked.

import { createInspector, type StatelyInspectionEvent } from '@statelyai/inspect';
import t from 'tap';
import { createActor, createMachine } from 'xstate';
import { machines } from '../../machines/index.ts';
import type { Transition } from '../../src/inspect/messages.ts';
import { statelyDropped, statelyEvents } from '../../src/inspect/server/machines/stately.ts';
import { bootNetwork } from '../simulated/network.ts';
import { upgrade } from '../simulated/socket.ts';

const transition: Transition = {
  lsn: 7,
  timeMs: 1000,
  kind: 'identity',
  id: 'i1',
  event: 'disable',
  from: 'enabled',
  to: 'disabled',
  actor: 'a1',
  actorName: 'Ada',
  operation: 'disableIdentity',
  requestId: 'r1',
  causeLsn: 0,
};

const parsed = (text: Buffer): StatelyInspectionEvent => JSON.parse(text.toString());

/** What their own inspector says of an actor of ours, by type of event. */
async function theirs(): Promise<Map<string, StatelyInspectionEvent>> {
  const events = new Map<string, StatelyInspectionEvent>();
  const [first] = machines;
  const all: StatelyInspectionEvent[] = [];
  const inspector = createInspector({ send: (event) => void all.push(event) });
  const actor = createActor(first?.machine ?? createMachine({}), { inspect: inspector.inspect });
  actor.start();
  while (all.length < 3) await new Promise((resolve) => setTimeout(resolve, 0));
  actor.stop();
  for (const event of all) events.set(event.type, JSON.parse(JSON.stringify(event)));
  return events;
}

t.test('each event has what theirs has, of the same types', async (t) => {
  const { actor, steps } = statelyEvents(transition);
  const their = await theirs();
  for (const event of [actor, ...steps, ...statelyDropped(3, 1000)].map(parsed)) {
    const model = their.get(event.type) as unknown as Record<string, unknown>;
    t.ok(model, event.type);
    for (const [name, value] of Object.entries(model)) {
      // Theirs has null for an id where its type has a text.
      if (value === null || name === 'parentId') continue;
      t.type((event as unknown as Record<string, unknown>)[name], typeof value, name);
    }
  }
});

t.test('definitions are machines that XState can run', (t) => {
  for (const { machine } of machines) {
    const kind = machine.id;
    const { actor } = statelyEvents({ ...transition, kind });
    const { definition = '', name } = parsed(actor) as { definition?: string; name: string };
    t.equal(name, `${kind} i1`);
    const config = JSON.parse(definition) as Parameters<typeof createMachine>[0];
    const again = createMachine(config);
    t.same(Object.keys(again.states).sort(), Object.keys(machine.states).sort(), kind);
  }
  t.end();
});

t.test('states: of one region, of several, final ones, of kinds without a machine', (t) => {
  const snapshotOf = (kind: string, to: string) => {
    const [, snapshot] = statelyEvents({ ...transition, kind, to }).steps;
    return (parsed(snapshot) as { snapshot: unknown }).snapshot;
  };
  t.match(snapshotOf('identity', 'disabled'), { status: 'active', value: 'disabled' });
  t.match(snapshotOf('identity', 'deleted'), { status: 'done', value: 'deleted' });
  t.match(snapshotOf('x', 'a:b,c:d'), { status: 'active', value: { a: 'b', c: 'd' } });
  t.end();
});

t.test('an instance is introduced once, and again when it was forgotten', async (t) => {
  const network = await bootNetwork({ bounds: { inspectorActorsMax: 2 } });
  t.teardown(() => network.stop());
  const { ticket } = await network.must<{ ticket: string }>('POST', 'M:/inspect/tickets');
  const { socket } = upgrade(network.core.sockets, `format=stately&ticket=${ticket}`);
  if (socket === undefined) throw new Error('refused');
  const body = { type: 'User', isAdmin: false };
  const types = async (): Promise<string[]> => {
    await network.advance(100);
    return socket.take<StatelyInspectionEvent>().map(({ type }) => type.slice('@xstate.'.length));
  };
  t.same(await types(), [], 'neither greeting nor figures');
  const id = await network.create('identities', { ...body, name: 'a' });
  t.same(await types(), ['actor', 'event', 'snapshot']);
  await network.must('POST', `M:/identities/${id}/disable`, { durationMinutes: 0 });
  t.same(await types(), ['event', 'snapshot']);
  await network.create('identities', { ...body, name: 'b' });
  await network.create('identities', { ...body, name: 'c' });
  await types();
  await network.must('POST', `M:/identities/${id}/enable`);
  t.same(await types(), ['actor', 'event', 'snapshot'], 'inspectorActorsMax');
  socket.reads = false;
  for (let n = 0; n < 200; n++) {
    await network.create('identities', { ...body, name: `n${n}` });
    await network.advance(100);
  }
  t.ok(socket.bufferedBytes < 256 * 1024, String(socket.bufferedBytes));
  socket.reads = true;
  await types();
  await network.advance(1100);
  const dropped = socket.take<{ type: string; event?: { type: string; count: number } }>();
  t.match(dropped, [{ type: '@xstate.actor' }, { event: { type: 'dropped', count: Number } }, {}]);
});
