// The life of nodes in simulated time: who leads, when, and what ends that.

import t from 'tap';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedCluster } from '../simulated/cluster.ts';
import { SimulatedStream } from '../simulated/stream.ts';

/** Three nodes, of which one leads. */
async function threeNodes() {
  const clock = new SimulatedClock();
  const stream = new SimulatedStream({ clock });
  const cluster = new SimulatedCluster(clock, stream);
  const machines = [cluster.add(), cluster.add(), cluster.add()] as const;
  for (const machine of machines) machine.start();
  const tookMs = await cluster.until(() => cluster.leaders.length > 0, 10_000);
  const [leader] = cluster.leaders;
  if (leader === undefined || tookMs === undefined) throw new Error('none leads');
  const followers = machines.filter((machine) => machine !== leader);
  return { clock, stream, cluster, machines, leader, followers, tookMs };
}

t.test('one of three nodes leads, and the others have what it wrote', async (t) => {
  const { cluster, leader, followers, machines, tookMs } = await threeNodes();
  t.ok(tookMs <= 4500, `${tookMs} ms`);
  await cluster.elapse(3000);
  t.ok(leader.process?.write('a', 'b'));
  t.ok(leader.process?.write('c'));
  await cluster.elapse(100);
  for (const machine of machines) t.same(machine.values, ['a', 'b', 'c'], machine.id);
  t.same(cluster.confirmed, ['a', 'b', 'c']);
  const states = followers.map(({ process }) => process?.node.state);
  for (const state of states) {
    t.match(state, { role: 'following', term: 1, leaderId: leader.id, takeovers: 1, inFlight: 0 });
    t.equal(state?.trouble, undefined);
    t.ok(Math.abs(state?.clockSkewMs ?? 99) < 10);
    t.ok((state?.lagMs ?? 99) < 10);
  }
  await cluster.elapse(5000);
  for (const { condition } of cluster.directory.members.values()) {
    t.match(condition, { takeovers: 1, trouble: undefined, localLog: undefined });
    t.ok(Number.isInteger(condition?.lagMs) && Number.isInteger(condition?.clockSkewMs));
  }
  t.same(
    leader.process?.node.transitions.map(({ event, to }) => `${event} ${to}`),
    ['start recovering', 'follow following', 'stand standing', 'lead leading'],
  );
});

t.test('a leader that is killed is replaced, and nothing confirmed is lost', async (t) => {
  const { cluster, leader, followers, machines } = await threeNodes();
  await cluster.elapse(500);
  leader.process?.write('a');
  await cluster.elapse(20);
  leader.kill();
  const tookMs = await cluster.until(() => cluster.leaders.length > 0, 10_000);
  t.ok(tookMs !== undefined && tookMs > 2500 && tookMs < 4500, `${tookMs} ms`);
  const [next] = cluster.leaders;
  t.ok(next !== undefined && followers.includes(next));
  next?.process?.write('b');
  leader.start();
  await cluster.elapse(1000);
  for (const machine of machines) t.same(machine.values, ['a', 'b'], machine.id);
  t.match(leader.process?.node.state, { role: 'following', term: 2, leaderId: next?.id });
});

t.test('a directory that was away holds up a takeover only while it is away', async (t) => {
  const { cluster, leader } = await threeNodes();
  leader.kill();
  cluster.directory.isAway = true;
  await cluster.elapse(4500);
  t.same(cluster.leaders, []);
  cluster.directory.isAway = false;
  const tookMs = await cluster.until(() => cluster.leaders.length > 0, 10_000);
  t.ok(tookMs !== undefined && tookMs <= 1500, `${tookMs} ms`);
});

t.test('a node that was removed stays out when it comes back', async (t) => {
  const { cluster, followers } = await threeNodes();
  const [lost] = followers;
  lost?.kill();
  await cluster.elapse(1000);
  await cluster.directory.view().remove(lost?.id ?? '');
  lost?.start();
  const isHalted = () => lost?.process?.node.state.role === 'halted';
  t.ok((await cluster.until(isHalted, 10_000)) !== undefined);
  t.match(lost?.process?.told.at(-1), /^halted: this node was removed from the cluster/);
  await cluster.elapse(10_000);
  t.notOk(cluster.directory.members.has(lost?.id ?? ''), 'it writes no entry');
  t.equal(cluster.directory.haltReason, undefined, 'the others go on');
  t.equal(cluster.leaders.length, 1);
});

t.test('a step-down hands over at once', async (t) => {
  const { cluster, leader, machines } = await threeNodes();
  leader.process?.write('a');
  let hasResigned = false;
  void leader.process?.node.resign().then(() => {
    hasResigned = true;
  });
  const tookMs = await cluster.until(() => cluster.leaders.some((other) => other !== leader), 2000);
  t.ok(tookMs !== undefined && tookMs <= 500, `${tookMs} ms`);
  t.ok(hasResigned);
  t.ok(leader.process?.told.includes('fenced: it has resigned'));
  leader.process?.die();
  leader.start();
  await cluster.elapse(1000);
  for (const machine of machines) t.same(machine.values, ['a'], machine.id);
  t.equal(leader.process?.node.state.role, 'following');
  await leader.process?.node.resign();
  t.equal(leader.process?.node.state.role, 'following', 'a follower has nothing to hand over');
});

t.test('a step-down ends even if the stream does not answer', async (t) => {
  const { cluster, leader } = await threeNodes();
  leader.cut();
  const resigned = leader.process?.node.resign();
  await cluster.elapse(5500);
  await resigned;
  t.ok(leader.process?.told.includes('fenced: it has resigned, and that is not confirmed'));
});

t.test('a leader that was stopped for 8 s answers nothing when it goes on', async (t) => {
  const { cluster, leader } = await threeNodes();
  leader.freeze();
  await cluster.elapse(8000);
  t.equal(cluster.leaders.length, 1);
  leader.process?.write('lost');
  leader.thaw();
  t.notOk(leader.process?.isServing);
  await cluster.elapse(3000, () => {
    if (leader.process?.isServing) t.fail('it serves');
  });
  t.match(leader.process?.told.at(-1), /^fenced: message \d+ is of the leader of term 2$/);
  t.notOk(leader.process?.connection.isUp, 'its connection is closed');
  t.same(cluster.confirmed, []);
});

t.test('a main thread that hangs loses its lease, and does not lead', async (t) => {
  const { cluster, leader } = await threeNodes();
  if (leader.process) leader.process.isHung = true;
  const others = () => cluster.leaders.filter((machine) => machine !== leader);
  const tookMs = await cluster.until(() => others().length > 0, 10_000);
  t.ok(tookMs !== undefined && tookMs > 3000 && tookMs < 7000, `${tookMs} ms`);
  const [next] = others();
  const third = cluster.machines.find((machine) => machine !== leader && machine !== next);
  if (third?.process) third.process.isHung = true;
  next?.kill();
  t.equal(await cluster.until(() => cluster.leaders.length > 0, 10_000), undefined);
});

t.test('without contact a leader answers nothing, and goes on when it is back', async (t) => {
  const { cluster, leader, stream } = await threeNodes();
  await cluster.elapse(1500);
  stream.isSilent = true;
  leader.process?.write('a');
  await cluster.elapse(2500);
  t.notOk(leader.process?.isServing);
  t.match(leader.process?.node.state, {
    role: 'isolated',
    inFlight: 1,
    trouble: 'no message was acknowledged in time',
  });
  await cluster.elapse(60_000);
  t.same(cluster.leaders, [], 'the silence of the stream makes nobody lead');
  stream.isSilent = false;
  const tookMs = await cluster.until(() => cluster.leaders.length > 0, 10_000);
  t.ok(tookMs !== undefined && tookMs <= 3000, `${tookMs} ms`);
  t.same(cluster.leaders, [leader], 'the same one');
  t.match(leader.process?.node.state, { role: 'leading', term: 1, trouble: undefined });
  await cluster.elapse(100);
  for (const machine of cluster.machines) t.same(machine.values, ['a'], machine.id);
});

t.test('a leader that is cut off is replaced', async (t) => {
  const { cluster, leader } = await threeNodes();
  leader.cut();
  leader.process?.write('a');
  const tookMs = await cluster.until(() => cluster.leaders.some((one) => one !== leader), 10_000);
  t.ok(tookMs !== undefined && tookMs < 4500, `${tookMs} ms`);
  t.notOk(leader.process?.isServing);
  leader.restore();
  await cluster.elapse(3000);
  t.match(leader.process?.told.at(-1), /^fenced/);
});

t.test('nobody leads without a majority of the nodes, unless an operator says so', async (t) => {
  const { cluster, leader, followers } = await threeNodes();
  const [second, third] = followers;
  await cluster.elapse(6000);
  leader.kill();
  second?.kill();
  t.equal(await cluster.until(() => cluster.leaders.length > 0, 10_000), undefined);
  t.equal(third?.process?.node.state.trouble, 'only 1 of 3 nodes were heard');
  third?.kill();
  third?.start(true);
  t.not(await cluster.until(() => cluster.leaders.length > 0, 5000), undefined);
  second?.start();
  leader.start();
  await cluster.elapse(1000);
  second?.kill();
  second?.start(true);
  await cluster.elapse(1000);
  third?.kill();
  await cluster.until(() => cluster.leaders.length > 0, 5000);
  const [next] = cluster.leaders;
  const last = next === leader ? second : leader;
  t.not(next, undefined);
  next?.kill();
  const tookMs = await cluster.until(() => cluster.leaders.length > 0, 8000);
  t.equal(tookMs, undefined, 'another has led since');
  t.equal(last?.process?.node.state.trouble, 'only 1 of 3 nodes were heard');
});

t.test('a node that never leads follows, says so, and leads only by force', async (t) => {
  const clock = new SimulatedClock();
  const cluster = new SimulatedCluster(clock, new SimulatedStream({ clock }));
  const [only, first, second] = [cluster.add(), cluster.add(), cluster.add()];
  only.leads = 'never';
  only.start();
  await cluster.elapse(10_000);
  t.same(cluster.leaders, []);
  t.match(only.process?.node.state.trouble, /^this node never leads/);
  for (const machine of [first, second]) machine.start();
  for (const machine of [first, second]) {
    await cluster.until(() => cluster.leaders.length > 0, 10_000);
    await cluster.elapse(6000);
    t.equal(only.process?.node.state.trouble, undefined);
    const [leader] = cluster.leaders;
    t.not(leader, only);
    leader?.kill();
    if (machine === first) leader?.start();
  }
  const left = [first, second].find(({ process }) => process !== undefined);
  left?.kill();
  await cluster.elapse(10_000);
  t.same(cluster.leaders, []);
  only.kill();
  only.start(true);
  await cluster.until(() => cluster.leaders.length > 0, 10_000);
  t.same(cluster.leaders, [only]);
});

t.test('a node whose settings or clock differ does not lead', async (t) => {
  const { cluster, leader, followers } = await threeNodes();
  const [second, third] = followers;
  if (!second || !third) throw new Error('there are three');
  second.kill();
  second.settingsHash = 'other';
  second.start();
  third.clock.jump(6000);
  await cluster.elapse(9000);
  t.match(
    third.process?.node.state.trouble,
    /^the clock of this node differs .* by (5999|600\d) ms$/,
  );
  leader.kill();
  t.equal(await cluster.until(() => cluster.leaders.length > 0, 6000), undefined);
  t.match(second.process?.node.state.trouble, /^the settings of this node differ/);
  third.clock.jump(-6000);
  t.not(await cluster.until(() => cluster.leaders.length > 0, 3000), undefined);
  t.same(cluster.leaders, [third]);
});

t.test(
  'a node whose clock is wrong tells by the clock of the server when it was there',
  async (t) => {
    const { cluster, leader, clock } = await threeNodes();
    for (const jumpMs of [-3_600_000, 7_200_000]) {
      leader.clock.jump(jumpMs);
      await cluster.elapse(10_000);
      const { atMs = 0 } = cluster.directory.members.get(leader.id) ?? {};
      t.ok(Math.abs(clock.now() - atMs) < 6000, `${clock.now() - atMs} ms`);
      t.equal(leader.process?.node.state.role, 'leading');
    }
  },
);

t.test('a clock of the server that was wrong is believed when it is right again', async (t) => {
  const { cluster, leader, followers, stream } = await threeNodes();
  const [second] = followers;
  stream.clockAheadMs += 60_000;
  await cluster.elapse(9000);
  leader.kill();
  t.equal(await cluster.until(() => cluster.leaders.length > 0, 6000), undefined);
  t.match(
    second?.process?.node.state.trouble,
    /^the clock of this node differs .* by -(?:59|60)\d{3} ms$/,
  );
  // Nobody writes any more, so no message tells it.
  stream.clockAheadMs -= 60_000;
  t.not(await cluster.until(() => cluster.leaders.length > 0, 20_000), undefined);
});

t.test('a node that no leader is known to says why it does not lead', async (t) => {
  const { cluster, leader, followers } = await threeNodes();
  const [last, other] = followers;
  const trouble = () => last?.process?.node.state.trouble ?? '';
  leader.kill();
  other?.kill();
  const isAlone = () => trouble() === 'only 1 of 3 nodes were heard';
  t.not(await cluster.until(isAlone, 20_000), undefined);
  last?.cut();
  const isCut = () => /^the NATS servers do not answer: ./.test(trouble());
  t.not(await cluster.until(isCut, 20_000), undefined);
  await cluster.elapse(20_000);
  t.ok(isCut(), 'and goes on saying so');
  t.match(last?.process?.node.state, { role: 'following', leaderId: undefined });
  last?.restore();
  t.not(await cluster.until(isAlone, 20_000), undefined);
});

t.test('a stream that loses messages halts all nodes', async (t) => {
  const { cluster, leader, followers, machines, stream } = await threeNodes();
  for (const value of ['a', 'b', 'c']) {
    leader.process?.write(value);
    await cluster.elapse(100);
  }
  stream.rollBack(2);
  const isHalted = () => machines.every(({ process }) => process?.node.state.role === 'halted');
  const tookMs = await cluster.until(isHalted, 60_000);
  t.not(tookMs, undefined);
  t.same(cluster.leaders, []);
  t.match(
    cluster.directory.haltReason,
    /^node \w+ has halted the cluster: the stream ends (at|with) message \d+/,
  );
  for (const { process } of machines) t.match(process?.told.at(-1), /^halted: .*the stream ends/);
  followers[0]?.kill();
  followers[0]?.start();
  await cluster.elapse(1000);
  t.match(
    followers[0]?.process?.node.state,
    { role: 'halted', trouble: cluster.directory.haltReason },
    'a start does not clear it, and the node says who has halted it',
  );
});

t.test('a wrong message halts the node that reads it', async (t) => {
  const { cluster, followers, stream, leader } = await threeNodes();
  const [follower] = followers;
  follower?.cut();
  leader.process?.write('a');
  await cluster.elapse(100);
  stream.corrupt(stream.last, (message) => ({
    ...message,
    body: Buffer.alloc(message.body.length),
  }));
  const last = stream.last;
  follower?.restore();
  await cluster.elapse(500);
  t.equal(
    follower?.process?.node.state.trouble,
    `message ${last} of the stream is wrong: its MAC does not match`,
  );
  t.equal(follower?.process?.node.state.role, 'halted');
});

t.test('a node that needs purged messages asks for a snapshot', async (t) => {
  const { cluster, followers, leader, stream } = await threeNodes();
  const [follower, other] = followers;
  follower?.kill();
  leader.process?.write('a');
  await cluster.elapse(100);
  other?.cut();
  leader.process?.write('b');
  await cluster.elapse(1500);
  stream.purge(stream.last);
  follower?.start();
  await cluster.elapse(17_000);
  t.match(follower?.process?.node.state, {
    role: 'halted',
    trouble: /^what follows LSN 1 was purged, and no snapshot has it$/,
  });
  const { lsn, crc } = leader.last;
  const snapshot = { name: 'new', generation: 1, sequence: stream.last, lsn, crc, bytes: 1 };
  cluster.snapshot = snapshot;
  other?.restore();
  await cluster.elapse(1000);
  t.equal(other?.process?.told.at(-1), 'behind new');
});

t.test('a home that ends in the middle of a group goes on there', async (t) => {
  const { cluster, followers, leader } = await threeNodes();
  const [follower] = followers;
  leader.process?.write('a', 'b', 'c');
  await cluster.elapse(3000);
  follower?.kill(2);
  t.same(follower?.values, ['a']);
  follower?.start();
  await cluster.elapse(1000);
  t.same(follower?.values, ['a', 'b', 'c']);
  t.equal(follower?.process?.node.state.role, 'following');
});

t.test('a home that has more than the stream, or something else, halts', async (t) => {
  const { cluster, followers, leader } = await threeNodes();
  const [more, other] = followers;
  leader.process?.write('a');
  await cluster.elapse(1000);
  other?.kill();
  const kept = other?.frames.at(-1);
  if (kept === undefined) throw new Error('it has frames');
  other?.frames.splice(-1, 1, { ...kept, crc: 7 });
  other?.start();
  await cluster.elapse(17_000);
  t.match(other?.process?.node.state.trouble, /^this node has checksum 7 at LSN 2, and the stream/);
  t.equal(cluster.directory.haltReason, undefined, 'only this node is wrong');
  more?.kill();
  more?.frames.push({ lsn: 3, crc: 9, value: 'lost' });
  more?.start();
  await cluster.elapse(15_000);
  t.match(more?.process?.node.state, { role: 'recovering', trouble: /^the stream ends at LSN 2/ });
  await cluster.elapse(2000);
  t.equal(
    cluster.directory.haltReason,
    `node ${more?.id} has halted the cluster: the stream ends at LSN 2, and this node has LSN 3`,
  );
});

t.test('a stream that was deleted and made again is noticed', async (t) => {
  const { cluster, leader, machines, stream } = await threeNodes();
  leader.process?.write('a');
  await cluster.elapse(1000);
  for (const machine of machines) machine.kill();
  stream.recreate();
  for (const machine of machines) machine.start();
  await cluster.elapse(25_000);
  for (const { process } of machines) t.equal(process?.node.state.role, 'halted');
  t.match(
    cluster.directory.haltReason,
    /^node \w+ has halted the cluster: the stream is empty, and this node has LSN 2$/,
  );
});

t.test('a stream that is not configured safely is followed, and led by nobody new', async (t) => {
  const { cluster, leader, followers, machines } = await threeNodes();
  const fault = 'max_age is 1 and has to be 0';
  cluster.configurationFault = fault;
  await cluster.elapse(6000);
  t.ok(leader.process?.write('a'));
  await cluster.elapse(100);
  for (const machine of machines) t.same(machine.values, ['a'], machine.id);
  for (const { process } of followers) {
    t.match(process?.node.state, { role: 'following', trouble: undefined, leaderId: leader.id });
  }
  leader.kill();
  t.equal(await cluster.until(() => cluster.leaders.length > 0, 8000), undefined);
  for (const { process } of followers) {
    t.match(process?.node.state, { role: 'following', trouble: fault });
  }
  cluster.configurationFault = undefined;
  const tookMs = await cluster.until(() => cluster.leaders.length > 0, 8000);
  t.ok(tookMs !== undefined && tookMs <= 1500, `${tookMs} ms`);
});

t.test('who has resigned answers nothing, even if it does not hear of it', async (t) => {
  const { cluster, leader } = await threeNodes();
  leader.process?.connection.plan('unheard');
  void leader.process?.node.resign();
  const next = () => cluster.leaders.find((machine) => machine !== leader);
  const tookMs = await cluster.until(() => next() !== undefined, 3000, 5);
  t.ok(tookMs !== undefined && tookMs < 500, `${tookMs} ms`);
  t.notOk(leader.process?.isServing);
  t.equal(leader.process?.write('late'), false);
  await cluster.elapse(5000);
  t.match(leader.process?.told.at(-1), /^fenced/);
});

t.test('who lacks what another node has does not lead', async (t) => {
  const { cluster, leader, followers, stream } = await threeNodes();
  const [behind, other] = followers;
  await cluster.elapse(6000);
  behind?.cut();
  leader.process?.write('a');
  await cluster.elapse(100);
  leader.kill();
  other?.cut();
  stream.rollBack(1);
  behind?.restore();
  await cluster.elapse(8000);
  t.match(behind?.process?.node.state, {
    role: 'following',
    trouble: /^node n\d is at LSN 2, and the stream ends at 1$/,
  });
  t.same(cluster.leaders, []);
  other?.restore();
  await cluster.elapse(30_000);
  t.equal(behind?.process?.node.state.role, 'halted');
});

t.test('after a pause that no clock has seen, a confirmed read is not stale', async (t) => {
  const { cluster, leader } = await threeNodes();
  await cluster.elapse(500);
  leader.freeze('no clock');
  await cluster.until(() => cluster.leaders.some((other) => other !== leader), 10_000);
  const next = cluster.leaders.find((other) => other !== leader);
  next?.process?.write('new');
  await cluster.elapse(50);
  t.same(cluster.confirmed, ['new']);
  leader.thaw();
  t.ok(leader.process?.isServing, 'by its own clocks, its lease still lasts');
  t.same(leader.values, []);
  const left: unknown[] = [];
  leader.process?.read((values) => left.push(values));
  await cluster.elapse(5000);
  t.same(left, []);
  t.match(leader.process?.told.at(-1), /^fenced/);
  next?.process?.read((values) => left.push(values));
  await cluster.elapse(50);
  t.same(left, [['new']]);
});

t.test('one message confirms all reads that came before it was published', async (t) => {
  const { cluster, leader, stream } = await threeNodes();
  await cluster.elapse(500);
  const left: number[] = [];
  const read = (number: number) => leader.process?.read(() => left.push(number));
  const { last } = stream;
  for (let number = 0; number < 100; number++) read(number);
  t.same(left, []);
  await cluster.elapse(20);
  t.equal(stream.last, last + 1);
  t.same(
    left,
    left.map((_, index) => index),
  );
  t.equal(left.length, 100);
  leader.process?.write('a');
  read(100);
  await cluster.elapse(100);
  t.equal(left.at(-1), 100);
  t.equal(stream.last, last + 3, 'the write was published before the read came');
  leader.cut();
  read(101);
  await cluster.elapse(1000);
  t.equal(left.at(-1), 100, 'without contact it waits');
  leader.restore();
  await cluster.elapse(1000);
  t.equal(left.at(-1), 101);
});
