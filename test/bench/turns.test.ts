// Scenarios in turns: the order of measurements, scenarios that a revision does not support, and
// the window that is kept.

import t from 'tap';
import { noFindings } from '../../bench/findings.ts';
import type { LoadGenerator } from '../../bench/load/generator-process.ts';
import type { Job, JobResult } from '../../bench/load/job.ts';
import type { Network } from '../../bench/network.ts';
import { readOptions } from '../../bench/options.ts';
import { type Scenario, type Stage, supplyOf } from '../../bench/scenario.ts';
import { Side } from '../../bench/side.ts';
import { Turns } from '../../bench/turns.ts';

const scenario: Scenario = {
  name: 'look',
  title: 'look',
  listener: 'front',
  writes: false,
  smoke: true,
  load: () => ({
    request: { method: 'GET', path: '/', headers: {}, body: '', slots: {} },
    expect: { status: 200 },
  }),
};

const network = { size: { identities: 1000, callers: 250 } } as unknown as Network;
const administrator = { username: 'a', password: 'b' };

const side = (port: number): Side =>
  new Side({ host: 'h', port, serverName: 'h', administrator }, network);

/** A generator that answers as it is told, and notes whom it was sent to. */
function fakeGenerator(answer: (job: Job) => Partial<JobResult>) {
  const jobs: Job[] = [];
  const generator = {
    async run(job: Job): Promise<JobResult> {
      jobs.push(job);
      return {
        sent: 100,
        answered: 100,
        windowMs: 1000,
        latency: [[10, 100]],
        wrong: 0,
        wrongSamples: [],
        distinctIds: 0,
        ids: [],
        answerBytes: 10,
        clientCpuMs: 1,
        server: { cpuMs: 10, mainThreadMs: 5 },
        foreignCpuMs: 0,
        ...(job.rate === undefined
          ? {}
          : { arrivals: { rate: job.rate, backlogMost: 0, isOverrun: false, lateness: [] } }),
        ...answer(job),
      };
    },
  };
  return { jobs, generator: generator as unknown as LoadGenerator };
}

t.test('here, there, here, there', async (t) => {
  const found = noFindings();
  const { jobs, generator } = fakeGenerator(({ port }) => ({ answered: port === 1 ? 200 : 100 }));
  const options = readOptions(['--against', 'v1', '--turns', '2', '--connections', '8']);
  const turns = new Turns(options, generator, found, () => undefined);
  await turns.run(scenario, { here: side(1), there: side(2) });
  t.same(
    jobs.map(({ port }) => port),
    [1, 2, 1, 2],
  );
  t.equal(found.measurements.length, 1);
  const rate = found.comparisons.find(({ figure }) => figure === 'rate');
  t.match(rate, { subject: 'look, 1,000 identities, 8 connections', ratio: 2, ratioMin: 2 });
});

t.test(
  'a scenario that the other revision does not support is reported once, and this one is measured',
  async (t) => {
    const found = noFindings();
    const { jobs, generator } = fakeGenerator(({ port }) =>
      port === 1 ? {} : { wrong: 100, wrongSamples: ['status 404, not 200'] },
    );
    const options = readOptions(['--against', 'v1', '--turns', '3', '--connections', '8']);
    const turns = new Turns(options, generator, found, () => undefined);
    await turns.run(scenario, { here: side(1), there: side(2) });
    t.same(
      jobs.map(({ port }) => port),
      [1, 2, 1, 1],
    );
    t.same(found.incapable, [{ subject: 'look, v1', reason: 'status 404, not 200' }]);
    t.same(found.comparisons, []);
    t.equal(found.measurements.length, 1);
  },
);

t.test('a wrong answer of ours is a mistake, not an incapability', async (t) => {
  const found = noFindings();
  const { generator } = fakeGenerator(() => ({ wrong: 100, wrongSamples: ['status 500'] }));
  const options = readOptions(['--connections', '8', '--load', 'none']);
  await new Turns(options, generator, found, () => undefined).run(scenario, { here: side(1) });
  t.match(found, { incapable: [], measurements: [{ wrong: 100 }] });
});

t.test('a scenario that fails does not affect other figures', async (t) => {
  const found = noFindings();
  const { generator } = fakeGenerator(() => {
    throw new Error('no such path');
  });
  const options = readOptions(['--connections', '8,1']);
  await new Turns(options, generator, found, () => undefined).run(scenario, { here: side(1) });
  t.match(found, { incapable: [{ subject: 'look', reason: 'no such path' }], measurements: [] });
});

t.test(
  'open loops run at shares of the busiest closed one, until one does not keep up',
  async (t) => {
    const found = noFindings();
    const { jobs, generator } = fakeGenerator(({ rate }) =>
      rate === undefined
        ? { answered: 1000 }
        : { arrivals: { rate, backlogMost: 9, isOverrun: rate > 400, lateness: [] } },
    );
    const options = readOptions(['--connections', '1,8', '--load', '0.25,0.5,0.75']);
    await new Turns(options, generator, found, () => undefined).run(scenario, { here: side(1) });
    t.same(
      jobs.map(({ connections, rate }) => [connections, rate]),
      [
        [8, undefined],
        [1, undefined],
        [8, 250],
        [8, 500],
      ],
    );
    t.match(found.opens, [
      { share: 0.25, isOverrun: false },
      { isOverrun: true, backlogMost: 9 },
    ]);
  },
);

t.test(
  'what is used up by each request is measured at half only, or at the rate given',
  async (t) => {
    const spending = { ...scenario, spends: true };
    for (const [words, rates] of [
      [[], [50]],
      [['--rate', '7'], [7]],
    ] as const) {
      const { jobs, generator } = fakeGenerator(() => ({}));
      const options = readOptions(['--connections', '8', ...words]);
      const turns = new Turns(options, generator, noFindings(), () => undefined);
      await turns.run(spending, { here: side(1) });
      t.same(
        jobs.flatMap(({ rate }) => rate ?? []),
        rates,
      );
    }
  },
);

t.test('no more is prepared than is wanted, and little in small homes', async (t) => {
  const stage = { network, wanted: undefined } as unknown as Stage;
  t.equal(supplyOf(stage, 20_000), 20_000);
  t.equal(supplyOf({ ...stage, wanted: 70 }, 20_000), 70);
  const small = { size: { identities: 200, callers: 20 } } as unknown as Network;
  t.equal(supplyOf({ ...stage, network: small }, 20_000), 400);
});
