// MFA that runs out by itself: the sessions end and the identities hear of it, at the known time.

import t from 'tap';
import { identityKind } from '../../src/records/identity.ts';
import { sessionKind } from '../../src/records/session.ts';
import { bootScene, type Person, type Scene } from './live-scene.ts';

const minuteMs = 60_000;

interface Staff {
  readonly scene: Scene;
  readonly service: string;
  readonly check: string;
  readonly people: readonly Person[];
}

/** Three of the staff, whose policy asks for MFA; each holds a session, made a minute apart. */
async function bootStaff(more: object, options = {}): Promise<Staff> {
  const scene = await bootScene(options);
  const service = await scene.service('printer');
  const check = await scene.mfaCheck('mfa', more);
  await scene.policy('staff dial', { postureCheckRoles: [`@${check}`] });
  const people: Person[] = [];
  for (const name of ['alice', 'bobby', 'carol']) {
    if (people.length > 0) await scene.network.advance(minuteMs);
    const person = await scene.person(name);
    await scene.passMfa(person);
    await scene.dial(person, service);
    people.push(person);
  }
  return { scene, service, check, people };
}

function holders({ scene }: Staff): string[] {
  const { store } = scene.network.env;
  const names = new Map(
    [...store.table(identityKind).all()].map(({ record }) => [record.id, record.name]),
  );
  const sessions = [...store.table(sessionKind).rows()];
  return sessions.map(({ record }) => names.get(record.identityId) ?? '').sort();
}

t.test('a code counts for the time-out, to its last ms', async (t) => {
  const staff = await bootStaff({ timeoutSeconds: 600 });
  const { network } = staff.scene;
  const [alice, bob, carol] = staff.people as [Person, Person, Person];
  const touched = () => staff.people.map((person) => staff.scene.touchedAt(person));
  const before = touched();
  await network.advance(8 * minuteMs);
  t.strictSame(holders(staff), ['alice', 'bobby', 'carol']);
  t.strictSame(touched(), before);
  await network.advance(1);
  t.strictSame(holders(staff), ['bobby', 'carol']);
  t.strictSame(
    touched(),
    [network.clock.now(), before[1], before[2]],
    'and only alice hears of it',
  );
  t.equal(staff.scene.rows('session'), 2);

  // A new code in time counts again; one after the end gives nothing back.
  await staff.scene.passMfa(bob);
  await staff.scene.passMfa(alice);
  await network.advance(2 * minuteMs);
  t.strictSame(holders(staff), ['bobby'], 'carol gave none');
  await staff.scene.dial(carol, staff.service).then(
    () => t.fail('posture'),
    (error: Error) => t.match(error.message, 'INVALID_POSTURE'),
  );
  await network.advance(9 * minuteMs);
  t.strictSame(holders(staff), []);
  t.equal(network.clock.timers > 0, true);
  await network.stop();
});

t.test('waking and unlocking leave a grace', async (t) => {
  const staff = await bootStaff({ promptOnWake: true, promptOnUnlock: true });
  const { scene } = staff;
  const { network } = scene;
  const [alice, bob, carol] = staff.people as [Person, Person, Person];
  scene.report(alice, { woken: true });
  scene.report(carol, { woken: true });
  await network.advance(minuteMs);
  scene.report(bob, { unlocked: true });
  await scene.passMfa(carol);
  const touchedAt = scene.touchedAt(bob);
  await network.advance(4 * minuteMs);
  t.strictSame(holders(staff), ['alice', 'bobby', 'carol']);
  await network.advance(1);
  t.strictSame(holders(staff), ['bobby', 'carol']);
  t.equal(scene.touchedAt(alice), network.clock.now());
  t.equal(scene.touchedAt(bob), touchedAt);
  await network.advance(minuteMs);
  t.strictSame(holders(staff), ['carol'], 'who gave a code');
  t.equal(scene.touchedAt(bob), network.clock.now());
  await network.advance(60 * minuteMs);
  t.equal(scene.touchedAt(alice) ?? 0, scene.touchedAt(alice));
  await network.stop();
});

t.test('checks change their time-outs at will', async (t) => {
  const staff = await bootStaff({ timeoutSeconds: 600 });
  const { scene, check } = staff;
  const { network } = scene;
  const change = (timeoutSeconds: number) =>
    scene.patch(`posture-checks/${check}`, { typeId: 'MFA', timeoutSeconds });
  await change(90);
  t.strictSame(
    holders(staff),
    ['bobby', 'carol'],
    'a shorter one ends at once what it is over for',
  );
  await change(1200);
  await network.advance(10 * minuteMs);
  t.strictSame(holders(staff), ['bobby', 'carol']);
  await network.advance(9 * minuteMs + 1);
  t.strictSame(holders(staff), ['carol']);
  await change(-1);
  await network.advance(24 * 60 * minuteMs);
  t.strictSame(holders(staff), [], 'the API session itself was idle too long');
  await network.stop();
});

t.test('a check of the same time-out goes, the other stays', async (t) => {
  const staff = await bootStaff({ timeoutSeconds: 600 });
  const { scene } = staff;
  const { network } = scene;
  const twin = await scene.mfaCheck('twin', { timeoutSeconds: 600 });
  await network.must('DELETE', `M:/posture-checks/${twin}`);
  await network.advance(8 * minuteMs + 1);
  t.strictSame(holders(staff), ['bobby', 'carol']);
  await network.stop();
});

t.test('a check that no policy asks for changes no stamp', async (t) => {
  const staff = await bootStaff({ timeoutSeconds: 600 });
  const { scene } = staff;
  await scene.mfaCheck('idle', { timeoutSeconds: 300 });
  const before = staff.people.map((person) => scene.touchedAt(person));
  await scene.network.advance(5 * minuteMs);
  t.strictSame(
    staff.people.map((person) => scene.touchedAt(person)),
    before,
  );
  t.strictSame(holders(staff), ['alice', 'bobby', 'carol']);
  await scene.network.stop();
});

for (const how of ['restart', 'crash'] as const) {
  t.test(`a ${how}: what ran out meanwhile is gone at once, the rest ends in time`, async (t) => {
    const staff = await bootStaff({ timeoutSeconds: 600 });
    const { network } = staff.scene;
    await network.advance(1);
    network.clock.jump(8 * minuteMs);
    await network[how]();
    t.strictSame(holders(staff), ['bobby', 'carol']);
    t.equal(staff.scene.rows('session'), 2);
    await network.advance(minuteMs);
    t.strictSame(holders(staff), ['carol']);
    await network.advance(minuteMs);
    t.strictSame(holders(staff), []);
    await network.stop();
  });
}

t.test('a wall clock that jumps ahead is noticed within a minute', async (t) => {
  const staff = await bootStaff({ timeoutSeconds: 1200 });
  const { network } = staff.scene;
  network.clock.jump(18 * minuteMs + 1);
  await network.advance(minuteMs);
  t.notOk(holders(staff).includes('alice'));
  await network.stop();
});

t.test('one that jumps back lets what ran out run out again', async (t) => {
  const staff = await bootStaff({ timeoutSeconds: 600 });
  const { scene } = staff;
  const { network } = scene;
  const [alice, bob] = staff.people as [Person, Person];
  await network.advance(8 * minuteMs + 1);
  t.strictSame(holders(staff), ['bobby', 'carol']);
  network.clock.jump(-2 * minuteMs);
  await scene.dial(alice, staff.service);
  await scene.passMfa(bob);
  t.strictSame(holders(staff), ['alice', 'bobby', 'carol']);
  await network.advance(2 * minuteMs);
  t.strictSame(holders(staff), ['bobby', 'carol'], 'it ends a second time');
  await network.advance(8 * minuteMs);
  t.strictSame(holders(staff), ['bobby']);
  await network.advance(1);
  t.strictSame(holders(staff), []);
  await network.stop();
});

t.test('a clock that jumps back behind what ran out unnoticed', async (t) => {
  const staff = await bootStaff({ timeoutSeconds: 600 });
  const { scene } = staff;
  const { network } = scene;
  const [alice] = staff.people as [Person];
  for (const { record } of [...network.env.store.table(sessionKind).all()]) {
    scene.write((tx) => tx.delete(network.env.store.table(sessionKind), record.id));
  }
  // With no session left, running out writes nothing: no commit tells of the time it happened at.
  await network.advance(8 * minuteMs + 1);
  network.clock.jump(-minuteMs);
  await scene.dial(alice, staff.service);
  t.strictSame(holders(staff), ['alice']);
  await network.advance(minuteMs - 1);
  t.strictSame(holders(staff), ['alice']);
  await network.advance(1);
  t.equal(scene.rows('session'), 0, 'it ends a second time');
  await network.stop();
});

t.test('many at a time: gone for every reader at once, slice by slice in memory', async (t) => {
  const bounds = { cascadeRowsMax: 4, sessionsEvaluatedMax: 4 };
  const scene = await bootScene({ bounds });
  const { network } = scene;
  const service = await scene.service('printer');
  const check = await scene.mfaCheck('mfa', { timeoutSeconds: 600 });
  await scene.policy('staff dial', { postureCheckRoles: [`@${check}`] });
  const people: Person[] = [await scene.person('alice')];
  const [{ id }] = people as [Person];
  for (let i = 1; i < 30; i++) people.push({ id, ...(await scene.logIn('alice')) });
  for (const person of people) await scene.passMfa(person);
  for (const person of people) await scene.dial(person, service);
  t.equal(scene.seen().length, 30);
  await network.advance(0);

  const sessions = network.env.store.table(sessionKind);
  const slices: number[] = [];
  network.env.store.follow(({ cause, changes }) => {
    const ended = changes.filter(({ table }) => table.kind === 'session').length;
    if (cause.operation === 'postureExpiry') {
      t.equal(ended, 0, 'the deciding frame only notes it');
      t.equal(sessions.size, 30);
    } else slices.push(ended);
    t.strictSame(scene.seen(), []);
    t.equal(sessions.count(), 0);
    t.strictSame([...sessions.members('identityId', id)], []);
  });
  await network.advance(10 * minuteMs + 1);
  t.equal(
    slices.reduce((sum, ended) => sum + ended),
    30,
  );
  t.ok(
    slices.every((ended) => ended <= 4),
    'no slice takes more than its rows',
  );
  t.equal(scene.rows('followUp'), 0);
  await network.stop();
});

t.test('more than one turn takes run out at one ms', async (t) => {
  const scene = await bootScene({ bounds: { expiriesInATurnMax: 2 } });
  const { network } = scene;
  const service = await scene.service('printer');
  const check = await scene.mfaCheck('mfa', { timeoutSeconds: 600 });
  await scene.policy('staff dial', { postureCheckRoles: [`@${check}`] });
  const people: Person[] = [];
  for (let i = 0; i < 5; i++) people.push(await scene.person(`user${i}`));
  for (const person of people) await scene.passMfa(person);
  for (const person of people) await scene.dial(person, service);
  const expiries: number[] = [];
  network.env.store.follow(({ cause, changes }) => {
    if (cause.operation === 'postureExpiry') expiries.push(changes.length);
  });
  await network.advance(10 * minuteMs + 1);
  t.strictSame(expiries, [2, 2, 1]);
  for (const person of people) t.equal(scene.touchedAt(person), network.clock.now());
  await network.stop();
});
