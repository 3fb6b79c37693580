// What reacts to a write before its frame is appended may throw: the transaction is undone then, to
// the last trace.

import t from 'tap';
import type { RecordBase, Row } from '../../src/store/record.ts';
import { Table } from '../../src/store/table.ts';
import { bootScene, linesOf, run, type Scene } from './scene.ts';
import { steps } from './steps.ts';

type Observer = (row: Row, before: RecordBase | undefined, after: RecordBase | undefined) => void;

class Thrown extends Error {}
const isThrown = (error: unknown): boolean => error instanceof Thrown;

/** Calls of observers since a step began, and those of them that throw. */
const calls = { count: 0, throwAt: [] as readonly number[] };

const { observe } = Table.prototype;
Table.prototype.observe = function (this: Table, observer: Observer) {
  observe.call(this, (row, before, after) => {
    if (calls.throwAt.includes(++calls.count)) throw new Thrown();
    observer(row, before, after);
  });
};

/** All of memory that a transaction may touch, as text. */
function memoryOf({ network, ids }: Scene): string {
  const { core, env } = network;
  const { store, access, activity, inspection } = env;
  const tables = [...store.tables()].map((table) => [
    table.kind,
    [...table.all()].map(({ id, slot, lsn, record }) => [id, slot, lsn, record]).sort(),
    table.internals.unique.map((index) =>
      [...index.map.entries()].map(([key, { id }]) => [key, id]).sort(),
    ),
    table.internals.sorted.map((order) => order.runs.flat().map(({ id }) => id)),
  ]);
  const slotsOf = (kind: string) =>
    [...store.tableNamed(kind).all()].map(({ slot }) => slot).sort();
  const links = slotsOf('identity').map((identity) =>
    slotsOf('service').map((service) => [
      access.mayDial(identity, service),
      access.mayBind(identity, service),
    ]),
  );
  const stamps = slotsOf('apiSession').map((slot) => activity.lastActivityAt(slot));
  const waiting = [...core.deadlines.waiting()].map(({ kind, id }) => [
    kind,
    id,
    core.deadlines.at(kind, id),
  ]);
  const posture = env.posture.isUsed;
  const { deferredCascades } = store;
  return JSON.stringify({
    tables,
    links,
    stamps,
    waiting: waiting.sort(),
    posture,
    ids,
    counted: [...inspection.counted()],
    isOpen: deferredCascades.isOpen,
    lsn: network.core.journal.lastLsn,
  });
}

t.test('each observer may throw at each step, and nothing has happened', async (t) => {
  const scene = await bootScene();
  const { network } = scene;
  let thrown = 0;
  for (const step of steps) {
    for (let at = 1; ; at++) {
      const { method, path, ...options } = await step.prepare(scene, at);
      // What the request itself leaves behind, such as the activity of its caller, is there before.
      await network.advance(0);
      const before = memoryOf(scene);
      calls.count = 0;
      calls.throwAt = [at];
      const answer = await network.call(method, path, options);
      const isOver = calls.count < at;
      calls.throwAt = [];
      if (isOver) {
        t.ok(answer.status < 300, `${step.name} succeeds when nothing throws`);
        break;
      }
      thrown++;
      t.match(answer, { status: 500, code: 'UNHANDLED' }, `${step.name}, call ${at}`);
      if (memoryOf(scene) !== before) t.fail(`${step.name}: call ${at} left something behind`);
    }
  }
  t.ok(thrown > 2 * steps.length, `${thrown} calls threw`);
  t.same(linesOf(await run(network, false)), [], 'an integrity run finds nothing');
  t.same(network.ends, [], 'and nothing of it ended the process');
});

t.test('an observer that throws when it is told of an undoing ends the process', async (t) => {
  const scene = await bootScene();
  const { network } = scene;
  const identity = { name: 'ida', type: 'Default', isAdmin: false, roleAttributes: ['sales'] };
  calls.count = 0;
  await network.create('identities', identity);
  const told = calls.count;
  t.ok(told > 1, 'an identity is told to several observers');
  const { lastLsn } = network.core.journal;
  calls.count = 0;
  // The last observer throws, and the one before it when it is told of the undoing.
  calls.throwAt = [told, told + 1];
  await network.call('POST', 'M:/identities', { body: { ...identity, name: 'olga' } });
  calls.throwAt = [];
  t.same(network.ends.map(isThrown), [true]);
  t.equal(network.core.journal.lastLsn, lastLsn, 'nothing was appended');
  const later = await network.call('POST', 'M:/identities', { body: { ...identity, name: 'pia' } });
  t.equal(later.status, 500, 'and nothing is written any more');
  await network.kill();
  await network.logInAdmin();
  t.same(linesOf(await run(network, false)), [], 'the next start has all of it');
});
