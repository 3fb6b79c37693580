// Questions of a node that follows, and the answers that it believes.

import t from 'tap';
import {
  LeaderQuestions,
  type LeaderQuestionsOptions,
} from '../../../src/cluster/nats/leader-questions.ts';
import type { LeaderAnswers } from '../../../src/cluster/node/leader-answers.ts';
import type { ReadPosition } from '../../../src/cluster/node/read-index.ts';
import type { SessionUse } from '../../../src/cluster/node/session-uses.ts';
import { SimulatedClock } from '../../simulated/clock.ts';
import { SimulatedRandom } from '../../simulated/random.ts';

const dataSet = { dataSetId: '00'.repeat(16), generation: 1 };
const leaderId = 'leader';

/** Two nodes, and what is between them. */
function pair({ key = 'sealing key', leaderClock = new SimulatedClock() } = {}) {
  const clock = new SimulatedClock();
  /** May change a message on its way. */
  const way = { to: (data: Buffer) => data, back: (data: Buffer) => data };
  const asked: Buffer[] = [];
  let isAway = false;
  const noted: SessionUse[] = [];
  const answers: LeaderAnswers = {
    written: (then) => then({ lsn: 42, confirmedLsn: 41 }),
    noteUses: (uses) => {
      noted.push(...uses);
      return uses.flatMap(({ id }) => (id === 'ended' ? [id] : []));
    },
  };
  const options = (own: SimulatedClock, sealing: string, seed: number): LeaderQuestionsOptions => ({
    link: {
      connected: async () => {
        const request = async (subject: string, payload: Uint8Array) => {
          const question = Buffer.from(payload);
          asked.push(question);
          let answer: Buffer | undefined;
          const respond = (data: Uint8Array) => {
            answer = Buffer.from(data);
            return true;
          };
          if (!isAway) leader.take({ subject, data: way.to(question), respond });
          if (answer === undefined) throw new Error('no answer');
          return { data: way.back(answer) };
        };
        return { connection: { request } } as never;
      },
    },
    dataSet,
    sealingKey: Buffer.from(sealing),
    random: new SimulatedRandom(seed),
    clock: own,
    clockSkewMs: 500,
  });
  const leader = new LeaderQuestions(options(leaderClock, key, 1));
  const follower = new LeaderQuestions(options(clock, 'sealing key', 2));
  leader.answerAs(answers);
  follower.lead(leaderId);
  const ask = () =>
    new Promise<ReadPosition | undefined>((resolve) => {
      if (!follower.ask(resolve)) resolve(undefined);
    });
  const report = (uses: readonly SessionUse[]) =>
    new Promise<readonly string[] | undefined>((resolve) => follower.report(uses, resolve));
  const leave = () => {
    isAway = true;
  };
  return { leader, follower, answers, way, asked, noted, ask, report, leave };
}

t.test('the leader says how far the log was confirmed', async (t) => {
  const { follower, leader, ask } = pair();
  t.same(await ask(), { lsn: 42, confirmedLsn: 41 });
  leader.answerAs({ written: (then) => then(undefined), noteUses: () => undefined });
  t.equal(await ask(), undefined, 'it does not lead');
  follower.lead(undefined);
  t.equal(await ask(), undefined, 'nobody leads');
});

t.test('uses count as the leader notes them', async (t) => {
  const { leader, noted, report } = pair();
  const uses = ['a', 'ended', 'b'].map((id, atMs) => ({ id, atMs }));
  t.same(await report(uses), ['ended']);
  t.same(noted, uses);
  leader.answerAs({ written: () => undefined, noteUses: () => undefined });
  t.equal(await report(uses), undefined, 'it does not lead');
});

t.test('what no node of the cluster has sealed is not believed', async (t) => {
  const strange = pair({ key: 'another key' });
  t.equal(await strange.ask(), undefined, 'a leader without the key hears nothing');

  const { way, asked, noted, ask, report, leave } = pair();
  const use = { id: 'a', atMs: 1 };
  const changed = (at: number) => (data: Buffer) => {
    const copy = Buffer.from(data);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };
  for (const at of [0, 40, 49]) {
    way.to = changed(at);
    t.equal(await ask(), undefined, `byte ${at} of a question`);
    t.equal(await report([use]), undefined);
    way.to = (data) => data;
    way.back = changed(at);
    t.equal(await ask(), undefined, `byte ${at} of an answer`);
    way.back = (data) => data;
  }
  t.same(noted, []);
  const answers: Buffer[] = [];
  way.back = (data) => {
    answers.push(data);
    return answers[0] ?? data;
  };
  t.same(await ask(), { lsn: 42, confirmedLsn: 41 });
  t.equal(await ask(), undefined, 'the answer to another question');
  way.back = () => asked.at(-1) ?? Buffer.alloc(0);
  t.equal(await ask(), undefined, 'the question itself');
  way.back = () => Buffer.from('{"generation":1,"lsn":9,"crc":1}');
  t.equal(await ask(), undefined, 'the position that a node of the former release answers');
  leave();
  t.equal(await ask(), undefined, 'no answer');
});

t.test(
  'a question ends in time without a connection, and an answer without one is no error',
  async (t) => {
    const clock = new SimulatedClock();
    const questions = new LeaderQuestions({
      link: { connected: () => new Promise(() => undefined) },
      dataSet,
      sealingKey: Buffer.from('sealing key'),
      random: new SimulatedRandom(3),
      clock,
      clockSkewMs: 500,
    });
    questions.lead(leaderId);
    const told: unknown[] = [];
    t.ok(questions.ask((position) => told.push(position)));
    await clock.advance(499);
    t.same(told, []);
    await clock.advance(1);
    await new Promise(setImmediate);
    t.same(told, [undefined]);
    const { ask, way, leader } = pair();
    let question: Buffer = Buffer.alloc(0);
    way.to = (data) => (question = data);
    await ask();
    const respond = () => {
      throw new Error('closed');
    };
    leader.take({
      subject: `edge.${dataSet.dataSetId}.1.node.${leaderId}`,
      data: question,
      respond,
    });
    t.pass('the leader goes on');
  },
);

t.test('a leader with another clock is not heard', async (t) => {
  const leaderClock = new SimulatedClock();
  const { ask } = pair({ leaderClock });
  await leaderClock.advance(500);
  t.same(await ask(), { lsn: 42, confirmedLsn: 41 });
  await leaderClock.advance(1);
  t.equal(await ask(), undefined);
});
