// One run at a time, in slices; its handling of findings, failures and a stop.

import t from 'tap';
import { compile } from '../../machines/compile.ts';
import { integrityRun } from '../../machines/integrity-run.ts';
import { JournalStalled } from '../../snapshots/errors.ts';
import { createRuntime } from '../../src/actors/runtime.ts';
import { ApiError } from '../../src/errors/errors.ts';
import { derivedPart, type Fault, type Part } from '../../src/integrity/checked-part.ts';
import { type IntegrityRunOptions, IntegrityRuns } from '../../src/integrity/run.ts';
import { createLog } from '../../src/observe/logs.ts';
import type { IntegrityRunRecord } from '../../src/records/integrity-run.ts';
import { Transaction } from '../../src/store/transaction.ts';
import { SimulatedClock } from '../simulated/clock.ts';

type FaultSteps = ReturnType<Part['findFaults']>;

const runtime = createRuntime([compile(integrityRun)], {
  refusal: () => new ApiError('RATE_LIMITED'),
  unhandled: (_kind, _id, state, event) => new Error(`${state} does not take ${event}`),
});

/** The record of the runs, in memory. */
class RunRecord implements Pick<IntegrityRunOptions, 'record' | 'send' | 'transact'> {
  kept: IntegrityRunRecord | undefined;
  isWritable = true;
  readonly #clock: SimulatedClock;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  readonly record = () => this.kept;
  readonly send: IntegrityRunOptions['send'] = (tx, event) => {
    const put = (_kind: string, record: object) => {
      this.kept = record as IntegrityRunRecord;
    };
    const logEvent = (logged: Parameters<Transaction['logEvent']>[0]) => tx.logEvent(logged);
    runtime.send(
      { get: () => this.kept, put, delete: () => undefined, logEvent },
      'integrityRun',
      'last',
      event,
    );
  };
  readonly transact: IntegrityRunOptions['transact'] = (body) => {
    if (!this.isWritable) throw new JournalStalled('the disk is full');
    const tx = new Transaction(this.#clock.now(), { actor: '', requestId: '', operation: '' });
    body(tx);
    for (const effect of tx.effects) effect();
  };
}

class Scene {
  readonly clock = new SimulatedClock();
  readonly logged: string[] = [];
  readonly record = new RunRecord(this.clock);
  readonly runs: IntegrityRuns;
  searches: readonly (() => FaultSteps)[];

  constructor(
    searches: readonly (() => FaultSteps)[],
    resultsMax = 1000,
    rebuild: Part['rebuild'] = () => [],
  ) {
    this.searches = searches;
    const { log } = createLog({
      level: 'info',
      clock: this.clock,
      readable: false,
      write: (line) => void this.logged.push(line),
    });
    this.runs = new IntegrityRuns({
      ...this.record,
      clock: this.clock,
      log,
      bounds: { integrityResultsMax: resultsMax },
      parts: () => searches.map((findFaults, n) => ({ name: `part ${n}`, findFaults, rebuild })),
    });
  }

  start(isFixing: boolean): void {
    this.record.transact((tx) => this.runs.start(tx, isFixing));
  }

  /** Carries a run out. */
  async run(isFixing: boolean): Promise<IntegrityRuns['results']> {
    this.start(isFixing);
    await this.clock.settle();
    return this.runs.results;
  }
}

const advice = 'call somebody';
const fault = (description: string, more: Partial<Fault> = {}): Fault => ({
  description,
  advice,
  ...more,
});

t.test('before the first run, in one, and after it', async (t) => {
  const scene = new Scene([() => [undefined, fault('a leak')], () => [fault('a crack')]]);
  t.same(scene.runs.results, {
    inProgress: false,
    fixingErrors: false,
    startTime: undefined,
    endTime: undefined,
    error: '',
    tooManyErrors: false,
    results: [],
  });
  const startTime = scene.clock.now();
  scene.start(true);
  t.match(scene.runs.results, { inProgress: true, fixingErrors: true, startTime, results: [] });
  t.equal(scene.runs.results.endTime, undefined);
  scene.clock.advance(0);
  await scene.clock.settle();
  t.match(scene.runs.results, {
    inProgress: false,
    fixingErrors: true,
    startTime,
    endTime: scene.clock.now(),
    results: [
      { description: 'a leak: call somebody', fixed: false },
      { description: 'a crack: call somebody', fixed: false },
    ],
  });
  t.match(scene.logged.at(-1), /"findings":2,"fixed":0.*found faults: see its results/);
  scene.searches = [];
});

t.test('a home of a former release, which has no record yet, gets it at its start', async (t) => {
  const scene = new Scene([]);
  scene.record.isWritable = false;
  scene.runs.recover();
  t.equal(scene.record.kept, undefined);
  t.match(scene.runs.results, { inProgress: false, startTime: undefined, results: [] });
  scene.record.isWritable = true;
  scene.clock.advance(1000);
  await scene.clock.settle();
  const idle = { state: 'idle', startTime: undefined, endTime: undefined, error: '' };
  t.match(scene.record.kept, idle);
  scene.runs.recover();
  t.match(scene.record.kept, idle, 'once');
  await scene.run(false);
  t.match(scene.record.kept, { state: 'idle', endTime: scene.clock.now() });
});

t.test('a run that is started before such a home has its record goes on', async (t) => {
  const scene = new Scene([]);
  scene.record.isWritable = false;
  scene.runs.recover();
  scene.record.isWritable = true;
  scene.start(true);
  scene.clock.advance(1000);
  await scene.clock.settle();
  t.match(scene.record.kept, { state: 'idle', fixingErrors: true, error: '' });
  t.notMatch(scene.logged.join(), 'could not be written');
});

t.test('one at a time, be it a check or a fix', async (t) => {
  const scene = new Scene([() => []]);
  for (const isFixing of [false, true]) {
    scene.start(isFixing);
    for (const other of [false, true]) {
      t.throws(() => scene.start(other), { code: 'RATE_LIMITED' });
    }
    t.equal(scene.runs.results.fixingErrors, isFixing, 'the first one goes on');
    await scene.clock.settle();
    t.notOk(scene.runs.results.inProgress);
  }
  t.match(scene.logged.at(-1), /found nothing wrong/);
});

t.test('a check repairs nothing; a fix what it can, and says what is left to do', async (t) => {
  let fixed = 0;
  let rebuilt = 0;
  const findFaults = () => [
    fault('at once', { fix: () => void fixed++ }),
    fault('together', { fix: 'rebuild' }),
    fault('with it', { fix: 'rebuild' }),
    fault('never', {
      fix() {
        throw new Error('it is stuck');
      },
    }),
    fault('by hand'),
  ];
  const rebuild = function* () {
    yield undefined;
    rebuilt++;
  };
  const scene = new Scene([findFaults], 1000, rebuild);
  const found = await scene.run(false);
  t.same(
    found.results.map(({ description, fixed: is }) => [description, is]),
    [
      ...['at once', 'together', 'with it', 'never'].map((description) => [description, false]),
      ['by hand: call somebody', false],
    ],
  );
  t.same([fixed, rebuilt], [0, 0]);
  const repaired = await scene.run(true);
  t.same(
    repaired.results.map(({ description, fixed: is }) => [description, is]),
    [
      ['at once', true],
      ['never; it could not be put right (it is stuck): call somebody', false],
      ['by hand: call somebody', false],
      ['together', true],
      ['with it', true],
    ],
  );
  t.same([fixed, rebuilt], [1, 1], 'once for both');
});

t.test('a rebuild may be waited for, and may fail', async (t) => {
  const findFaults = () => [fault('a crack', { fix: 'rebuild' })];
  let rebuilt = 0;
  const inTime = await new Scene([findFaults], 10, async () => void rebuilt++).run(true);
  t.same(inTime.results, [{ description: 'a crack', fixed: true }]);
  t.equal(rebuilt, 1);
  const scene = new Scene([findFaults], 10, () => Promise.reject(new Error('too late')));
  const description = 'a crack; it could not be put right (too late): call somebody';
  t.same((await scene.run(true)).results, [{ description, fixed: false }]);
});

t.test(
  'a derived part is looked at up to its first fault; one that throws is damaged',
  async (t) => {
    let looks = 0;
    const clock = new SimulatedClock();
    const { log } = createLog({ level: 'info', clock, readable: false, write: () => undefined });
    const parts = (['is cracked', new Error('no such class'), undefined] as const).map(
      (fault, at) =>
        derivedPart({
          name: `part ${at}`,
          *findFault() {
            looks++;
            yield;
            if (fault instanceof Error) throw fault;
            return fault;
          },
          rebuild: () => [],
        }),
    );
    const record = new RunRecord(clock);
    const runs = new IntegrityRuns({ ...record, clock, log, parts: () => parts });
    record.transact((tx) => runs.start(tx, true));
    await clock.settle();
    t.same(runs.results.results, [
      { description: 'part 0: is cracked', fixed: true },
      { description: 'part 1: it cannot be read: no such class', fixed: true },
    ]);
    t.equal(looks, 3);
  },
);

t.test('integrityResultsMax: with more findings the results say so', async (t) => {
  let fixed = 0;
  const faults = Array.from({ length: 4 }, (_, n) => fault(`${n}`, { fix: () => void fixed++ }));
  const full = await new Scene([() => faults.slice(1)], 3).run(true);
  t.match(full, { tooManyErrors: false, results: { length: 3 } });
  fixed = 0;
  const over = await new Scene([() => faults], 3).run(true);
  t.match(over, { tooManyErrors: true, results: { length: 3 } });
  t.equal(fixed, 4, 'those that are not shown are put right all the same');
});

t.test('an unexpected error ends the run, and not those after it', async (t) => {
  let isBroken = true;
  const findFaults = function* (): FaultSteps {
    yield fault('before');
    if (isBroken) throw new TypeError('x is undefined');
  };
  const scene = new Scene([findFaults, () => [fault('never reached')]]);
  const broken = await scene.run(false);
  t.match(broken, { inProgress: false, error: 'x is undefined', results: { length: 1 } });
  t.ok(scene.logged.some((line) => /ended early/.test(line)));
  isBroken = false;
  t.match(await scene.run(false), { error: '', results: { length: 2 } });
});

t.test('a stop ends a run, and keeps others from beginning', async (t) => {
  let steps = 0;
  let isClosed = false;
  const findFaults = function* (): FaultSteps {
    try {
      for (;;) {
        steps++;
        yield;
      }
    } finally {
      isClosed = true;
    }
  };
  const scene = new Scene([findFaults]);
  scene.clock.monotonic = () => ++ticks;
  let ticks = 0;
  scene.start(true);
  for (let turn = 0; turn < 5; turn++) {
    scene.clock.turn();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const before = steps;
  t.ok(before > 0);
  scene.runs.stop();
  t.match(scene.runs.results, { inProgress: false, error: 'the controller was stopped' });
  await scene.clock.settle();
  t.ok(steps <= before + 1, 'not a step more than the one that was on its way');
  t.ok(isClosed);
  scene.start(false);
  t.match(scene.runs.results, { inProgress: false, error: 'the controller was stopped' });
  await scene.clock.settle();
  t.ok(steps <= before + 1);
});

t.test('a run that a dead process left in progress is found interrupted', async (t) => {
  const before = new Scene([() => []]);
  before.start(true);
  const startTime = before.clock.now();
  const after = new Scene([() => [fault('a crack')]]);
  after.record.kept = before.record.kept;
  t.ok(after.runs.results.inProgress);
  after.clock.advance(5000);
  after.runs.recover();
  const error = 'interrupted: the controller ended before the run did';
  const endTime = after.clock.now();
  t.match(after.runs.results, { inProgress: false, fixingErrors: true, startTime, endTime, error });
  after.runs.recover();
  t.match(after.runs.results, { endTime, error }, 'once');
  t.match(await after.run(false), { error: '', results: { length: 1 } });
});

t.test('the end of a run waits for a log that takes no writes', async (t) => {
  const scene = new Scene([() => [fault('a crack')]]);
  scene.start(false);
  scene.record.isWritable = false;
  await scene.clock.settle();
  scene.clock.advance(3000);
  await scene.clock.settle();
  t.ok(scene.runs.results.inProgress);
  t.throws(() => scene.start(false), { name: 'JournalStalled' });
  scene.record.isWritable = true;
  t.throws(() => scene.start(false), { code: 'RATE_LIMITED' });
  scene.clock.advance(1000);
  t.match(scene.runs.results, { inProgress: false, error: '', results: { length: 1 } });
  scene.start(false);
  scene.record.isWritable = false;
  await scene.clock.settle();
  scene.runs.stop();
  scene.record.isWritable = true;
  scene.clock.advance(10_000);
  t.ok(scene.runs.results.inProgress, 'left to the next start');
});

t.test('findingCharactersMax: a long finding is cut', async (t) => {
  const scene = new Scene([() => [fault('x'.repeat(600), { fix: () => undefined })]]);
  const { results } = await scene.run(true);
  t.same(results, [{ description: `${'x'.repeat(500)}…`, fixed: true }]);
});

t.test('integritySliceMs: the main thread is held for a slice and a few steps', async (t) => {
  // Each look at the clock takes half a millisecond of it, so that a slice of 2 ms has four.
  const perLookMs = 0.5;
  let steps = 0;
  const perTurn: number[] = [];
  const rebuild = () => findFaults() as Iterable<undefined>;
  const findFaults = function* (): FaultSteps {
    for (let n = 0; n < 200; n++) {
      steps++;
      yield;
    }
  };
  const scene = new Scene([findFaults, () => [fault('x', { fix: 'rebuild' })]], 1000, rebuild);
  const looksPerTurn: number[] = [];
  let looks = 0;
  scene.clock.monotonic = () => ++looks * perLookMs;
  scene.start(true);
  while (scene.runs.results.inProgress) {
    const [stepsBefore, looksBefore] = [steps, looks];
    scene.clock.turn();
    await new Promise((resolve) => setImmediate(resolve));
    perTurn.push(steps - stepsBefore);
    looksPerTurn.push(looks - looksBefore);
  }
  t.equal(steps, 400, 'all of it, and the repair');
  t.ok(Math.max(...looksPerTurn) * perLookMs <= 2 + 2 * perLookMs, `${looksPerTurn} looks`);
  t.ok(Math.max(...perTurn) <= 5, `${Math.max(...perTurn)} steps a turn`);
});
