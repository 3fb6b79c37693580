// Reports: tables, goals, document and page from invented results.

import { join } from 'node:path';
import t from 'tap';
import { noFindings } from '../../bench/findings.ts';
import { besideTable } from '../../bench/report/beside.ts';
import { lineChart, logarithmicTicks } from '../../bench/report/chart.ts';
import { growthCharts, latencyCharts } from '../../bench/report/charts.ts';
import { goalLines } from '../../bench/report/goals.ts';
import { benchmarksDocument } from '../../bench/report/markdown.ts';
import { benchmarksPage } from '../../bench/report/page.ts';
import { fleetTable } from '../../bench/report/router-tables.ts';
import { sectionsOf } from '../../bench/report/sections.ts';
import { columns, markdownTable, plainTable } from '../../bench/report/table.ts';
import { goalTable } from '../../bench/report/tables.ts';
import {
  type BenchResults,
  type LimitMeasurement,
  type Measurement,
  schemaVersion,
} from '../../bench/results.ts';
import { readParts, readResults } from '../../bench/results-file.ts';
import { topOf } from '../../bench/server/profiler.ts';

function measurement(scenario: string, identities: number, cpuMicros: number): Measurement {
  return {
    scenario,
    title: `title of ${scenario}`,
    identities,
    connections: 64,
    answered: 100,
    windowMs: 1000,
    perSecond: 9000,
    latencyMs: { p50: 1, p90: 2, p99: 3, max: 40 },
    histogram: [
      [10, 50],
      [20, 49],
      [30, 1],
    ],
    cpuMicros,
    mainThreadMicros: cpuMicros / 2,
    clientMicros: 16,
    foreignShare: 0.01,
    answerBytes: 300,
    residentBytes: 1e8,
    log: { requests: 100, frames: 100, frameBytes: 700, deviceBytes: 4100 },
    wrong: 0,
    wrongSamples: [],
  };
}

function limitOf(limit: string, title: string, p50: number, figures: object): LimitMeasurement {
  const latencyMs = { p50, p90: p50, p99: p50, max: p50 };
  return { limit, title, connections: 64, perSecond: 400, latencyMs, ...figures };
}

const results: BenchResults = {
  ...noFindings(),
  schemaVersion,
  tookMs: 125_000,
  startedAt: '2026-11-20T19:00:00.000Z',
  machine: {
    processor: 'A <processor>',
    cores: 2,
    memoryBytes: 16e9,
    system: 'Linux 6',
    fileSystem: 'ext4',
    node: 'v22',
    version: '0.1.0',
    commit: 'abc',
    isDirty: true,
    dependencies: { xstate: '5.0.0' },
  },
  settings: { measureMs: 5000, profiled: false },
  limits: [
    limitOf('argon2', 'raw', 1, { cpuMicros: 4000 }),
    limitOf('disk-sync', 'sync', 0.096, { connections: 1 }),
    limitOf('bare-answer', 'bare', 1, { cpuMicros: 10, perSecond: 80_000 }),
    limitOf('bare-start', 'start', 40, { connections: 1 }),
  ],
  measurements: [
    measurement('session-create-1000', 1000, 90),
    measurement('session-create-1000', 100_000, 117),
    measurement('authenticate', 1000, 4200),
    measurement('identity-create', 10_000, 131),
    measurement('authenticate-cert-fresh', 1000, 900),
    measurement('identity-patch', 100_000, 60),
    measurement('identities-page-name', 1000, 400),
    measurement('identities-page-name', 100_000, 500),
  ],
  opens: [
    {
      ...measurement('session-create-1000', 1000, 95),
      rate: 4500,
      share: 0.5,
      backlogMost: 12,
      isOverrun: false,
      latenessMs: { p50: 0.5, p90: 1, p99: 1.25, max: 2 },
    },
  ],
  homes: [
    {
      identities: 1000,
      services: 500,
      madeMs: 1500,
      createsPerSecond: 1000,
      residentBytes: 2e8,
      logBytes: 450_000,
    },
  ],
  mixes: [
    {
      identities: 100_000,
      windowMs: 20_000,
      saturation: 0.7,
      share: 0.5,
      wrong: 0,
      wrongSamples: [],
      serverShare: 0.4,
      clientShare: 0.2,
      mainThreadShare: 0.3,
      foreignShare: 0,
      delay: { p99Ms: 5, p999Ms: 12.5, longestMs: 30, longestOwnMs: 30 },
      coreWait: { share: 0.021, p999Ms: 4, longestMs: 9 },
      parts: [
        {
          scenario: 'version',
          title: 'version',
          alonePerSecond: 1000,
          rate: 20,
          perSecond: 19.9,
          latencyMs: { p50: 1, p90: 2, p99: 3, max: 4 },
          isOverrun: false,
        },
      ],
    },
  ],
  comparisons: [
    {
      subject: 'version, 1,000 identities, 64 connections',
      figure: 'CPU',
      unit: 'µs',
      here: [90, 95, 100],
      there: [100, 100, 100],
      ratio: 0.95,
      ratioMin: 0.9,
      ratioMax: 1,
    },
  ],
  incapable: [{ subject: 'enroll, abc', reason: 'status 404,\n not 200' }],
  inspectors: [
    {
      load: 'session creates',
      inspectors: 100,
      reading: 50,
      wrong: 0,
      without: [1000, 1100],
      attached: [950, 1000],
      ratio: 0.93,
      ratioMin: 0.9,
      ratioMax: 0.95,
      cpuRatio: 1.02,
      toldPerSecond: 0,
      missedPerSecond: 0,
      residentBytes: 2e8,
      attachedResidentBytes: 2.1e8,
    },
  ],
  footprints: [{ kind: 'identity', entities: 100_000, bytesEach: 351.7 }],
  restarts: [
    {
      identities: 10_000,
      services: 1000,
      routers: 100,
      logins: 0,
      apiSessions: 0,
      startMs: 500,
      startFromLogMs: 900,
      residentBytes: 2e8,
      settledBytes: 2.2e8,
      stopMs: 100,
    },
  ],
  storms: [
    {
      clients: 10_000,
      connections: 256,
      allInMs: 9000,
      cpuMicros: 850,
      wrong: 0,
      loginMs: { p50: 200, p90: 300, p99: 400, max: 500 },
      othersInPeaceMs: { p50: 1, p90: 1, p99: 1, max: 1 },
      othersMs: { p50: 5, p90: 10, p99: 30, max: 60 },
    },
  ],
  endings: [
    {
      title: 'a policy is deleted',
      sessions: 10_000,
      leftAtOnce: 0,
      answerMs: 5,
      wrong: 0,
      doneMs: 120,
      frames: 41,
      inPeace: { p99Ms: 1, p999Ms: 1, longestMs: 3, longestOwnMs: 3 },
      pauses: { p99Ms: 4, p999Ms: 4, longestMs: 25, longestOwnMs: 25 },
      othersMs: { p50: 1, p90: 2, p99: 9, max: 26 },
    },
  ],
  snapshots: [
    {
      records: 100_000,
      tookMs: 900,
      recordBytes: 120,
      logBytes: 300,
      wrong: 0,
      inPeace: {
        perSecond: 8000,
        latencyMs: { p50: 1, p90: 2, p99: 9, max: 26 },
        pauses: { p99Ms: 1, p999Ms: 1, longestMs: 3, longestOwnMs: 3 },
      },
      meanwhile: {
        perSecond: 7000,
        latencyMs: { p50: 1, p90: 2, p99: 12, max: 26 },
        pauses: { p99Ms: 1, p999Ms: 1, longestMs: 8, longestOwnMs: 8 },
      },
    },
  ],
  micros: [
    {
      micro: 'filter-compile',
      title: 'compile',
      unit: 'query',
      medianMicros: 12.345,
      p90Micros: 20,
      units: 1000,
    },
  ],
  fleets: [
    {
      classes: 100,
      routersEach: 100,
      apiSessionsEach: 1000,
      backOff: 'stock',
      keyExchange: 'X25519',
      lastHelloMs: 15_000,
      syncedMs: { p50: 9000, p90: 19_000, p99: 20_000, max: 21_000 },
      allSyncedMs: 21_000,
      forNothing: 2500,
      lost: 1,
      helloCpu: { serverMs: 20_000, fleetMs: 5000 },
      syncCpu: { serverMs: 24_000, fleetMs: 6000 },
      foreignShare: 0.02,
      othersInPeaceMs: { p50: 1, p90: 1, p99: 2, max: 3 },
      othersMs: { p50: 5, p90: 20, p99: 51, max: 80 },
      restMs: 60_000,
      restCores: 0.06,
      restMainThreadCores: 0.04,
      residentBytesBefore: 3e8,
      residentBytes: 1.1e9,
      wrong: 0,
      wrongSamples: [],
    },
  ],
  routerWork: (['circuit create', 'terminator create'] as const).map((work) => ({
    work,
    routers: 1,
    inFlight: 64,
    created: 20_000,
    perSecond: 5000,
    latencyMs: { p50: 10, p90: 12, p99: 20, max: 30 },
    createMicros: work === 'circuit create' ? 140 : 160,
    removeMicros: 50,
    mainThreadMicros: 90,
    wrong: 0,
    wrongSample: undefined,
  })),
  sharedLogins: [
    {
      connections: 1,
      routers: 10,
      aloneMicros: 200,
      sharedMicros: 400,
      ratio: 2,
      ratioMin: 1.9,
      ratioMax: 2.1,
      alonePerSecond: 2000,
      sharedPerSecond: 1500,
      aloneP50Ms: 0.5,
      sharedP50Ms: 0.6,
      wrong: 0,
    },
  ],
  fabricRatios: [
    {
      work: 'page of 100 circuits',
      against: 'page of 100 identities',
      figure: 'CPU µs',
      goal: 1.5,
      turns: 7,
      value: 600,
      base: 500,
      ratio: 1.2,
      ratioMin: 1.1,
      ratioMax: 1.3,
      wrong: 0,
    },
  ],
  oidcRatios: [
    {
      work: 'login by certificate',
      against: 'authenticate by certificate',
      figure: 'CPU µs',
      goal: 4,
      turns: 7,
      value: 900,
      base: 250,
      ratio: 3.6,
      ratioMin: 3.5,
      ratioMax: 3.9,
      wrong: 0,
    },
  ],
  accessEndings: [
    {
      title: 'a policy is deleted',
      circuits: 1000,
      routers: 100,
      answerMs: 20,
      lastToldMs: 60,
      unroutes: 1000,
      sessionRemovals: 100,
      serverCpu: { cpuMs: 90, mainThreadMs: 50 },
      pauses: { p99Ms: 4, p999Ms: 4, longestMs: 25, longestOwnMs: 15 },
      wrong: 0,
    },
  ],
};

const ofCluster: BenchResults = {
  ...results,
  takeovers: (['leader killed', 'machine killed', 'step-down'] as const).map((fault) => ({
    fault,
    rounds: 4,
    firstMs: [3000, 3100, 3200, 3300],
    lastMs: [3500, 3600, 5100, 3700],
    pauseMs: [400, 500, 600, 700],
    acknowledged: 1234,
    lost: 0,
    doubled: 0,
    idle: 2000,
    idleClosed: 0,
    wrong: 0,
    wrongSamples: [],
  })),
  readsUnderWrites: [
    { turns: 7, rate: 500, readP50Ms: 4.5, lagP50Ms: 4, wrong: 0, wrongSamples: [] },
  ],
  clusterCreates: [
    {
      connections: 64,
      aloneReached: 4000,
      clusterReached: 1000,
      rate: 600,
      aloneMicros: [100, 110, 120],
      leaderMicros: [130, 154, 180],
      ratio: 1.4,
      ratioMin: 1.3,
      ratioMax: 1.5,
      aloneP50Ms: [1, 1, 1],
      leaderP50Ms: [3, 3.5, 4],
      aloneP99Ms: [5, 5, 5],
      leaderP99Ms: [9, 9, 9],
      addedP50Ms: 2.5,
      followerMicros: 60,
      natsMicros: 300,
      lagMs: { p50: 1, p90: 4, p99: 51, max: 80 },
      lags: 2000,
      wrong: 0,
      wrongSamples: [],
    },
  ],
  frontLogins: [
    {
      connections: 64,
      ownReached: 800,
      relayedReached: 700,
      rate: 420,
      ownMicros: [1000],
      relayedMicros: [400],
      ratio: 0.4,
      ratioMin: 0.4,
      ratioMax: 0.4,
      frontMicros: 900,
      ownP50Ms: 3,
      relayedP50Ms: 4,
      wrong: 0,
      wrongSamples: [],
    },
  ],
  singleNodes: [
    {
      work: 'session create',
      connections: 64,
      figure: 'CPU µs',
      against: 'e33943cb',
      here: [103],
      before: [100],
      again: [99],
      ratio: { median: 1.03, least: 1.01, greatest: 1.06 },
      control: { median: 0.99, least: 0.98, greatest: 1.02 },
      wrong: 0,
      wrongSamples: [],
    },
  ],
};

t.test('a smoke run says so and evaluates no goal', async (t) => {
  const smoke = { ...results, settings: { ...results.settings, smoke: true } };
  t.same(goalLines(smoke), []);
  const said = 'A smoke run on small homes: its figures say nothing about speed.';
  for (const text of [benchmarksDocument(smoke), benchmarksPage(smoke)]) {
    t.ok(text.includes(said));
    t.notMatch(text, /10,000 clients|not measured|>Goals</);
  }
  t.match(benchmarksPage(smoke), /<h1>Edge Control benchmarks: smoke run</);
  t.notOk(benchmarksPage(results).includes('smoke run'));
  const [small] = results.storms;
  if (small === undefined) throw new Error('the results have no storm');
  const storms = [{ ...small, clients: 100 }];
  const works = goalLines({ ...results, storms }).map(({ work }) => work);
  t.ok(works.some((work) => work.includes('while 100 clients reconnect')));
});

t.test('a ratio without a goal is only shown', async (t) => {
  const [row] = results.oidcRatios;
  if (row === undefined) throw new Error('the results have no ratio');
  const { goal: _, ...shown } = { ...row, work: 'a row without a goal' };
  const more = { ...results, migrateRatios: [{ ...row, work: 'a row with a goal' }, shown] };
  const works = goalLines(more).map(({ work }) => work);
  t.ok(works.some((work) => work.startsWith('a row with a goal')));
  t.notOk(works.some((work) => work.startsWith('a row without a goal')));
  t.match(benchmarksDocument(more), /\| a row without a goal \|/);
});

t.test('goals of a cluster', async (t) => {
  const lines = new Map(goalLines(ofCluster).map((line) => [line.work, line]));
  const expected: Readonly<Record<string, readonly [measured: string, met: unknown]>> = {
    'leader killed, 100,000 identities and 1,000,000 sessions: first answered write from any front, p99 of 4':
      ['5.10 s', false],
    'leader killed: connections of idle clients of the other nodes that close': ['0', true],
    'services list at a follower under 500 writes per second: p50': ['4.500 ms', true],
    'machine with the leader and the NATS leader killed: first answered write from any front, p99 of 4':
      ['5.10 s', true],
    'clean step-down: longest time without an answer, p99 of 4': ['0.70 s', true],
    'campaign of failures: answered writes lost or done twice; histories linearizable': [
      'not run here',
      undefined,
    ],
    'session create on a leader against one node: CPU of our process': [
      '1.40 times (0.154 ms against 0.110 ms)',
      false,
    ],
    'session create on a leader against one node: p50 more': ['2.500 ms', true],
    'follower behind the leader’s answers under this load: p99': ['51.0 ms', false],
    'login by certificate, a connection each, through a follower: CPU of the leader against its own front':
      ['0.40 times', true],
    'one node without a cluster, session create: CPU against e33943cb': [
      '1.03 times (control 0.99, 0.98 to 1.02)',
      true,
    ],
    'one node without a cluster, current-api-session: CPU against e33943cb': ['', undefined],
  };
  for (const [work, [measured, met]] of Object.entries(expected)) {
    t.match(lines.get(work), { measured }, work);
    t.equal(lines.get(work)?.met, met, work);
  }
  const without = goalLines(results).find(({ work }) => work.startsWith('campaign'));
  t.match(without, { measured: '', met: undefined }, 'other runs do not mention it');
});

t.test('a cited campaign is a row of a cluster', async (t) => {
  const found = { rounds: 200, acknowledged: 51_234, lost: 0, doubled: 0, operations: 8000 };
  const lineOf = (more: object) =>
    goalLines({
      ...ofCluster,
      campaigns: [{ ...found, isLinearizable: true, ...more }],
    }).find(({ work }) => work.startsWith('campaign'));
  t.match(lineOf({}), {
    measured: '0 of 51,234 in 200 rounds; all 8,000 operations',
    met: true,
  });
  t.match(lineOf({ lost: 1 }), { met: false });
  t.match(lineOf({ rounds: 6 }), { met: false });
  t.match(lineOf({ isLinearizable: false }), { met: false });
});

t.test('tables of a cluster', async (t) => {
  const document = benchmarksDocument(ofCluster, undefined, 'cluster');
  t.match(
    document,
    '| leader killed | 4 | 3.10 | 3.60 | 5.10 | 5.10 | 5.10 | 0.50 | 0.70 | 1,234 |',
  );
  t.match(document, '| step-down | 4 | – | – | – | – | – | 0.50 | 0.70 | 1,234 |');
  t.match(document, '| 64 | 3 | 4,000 | 1,000 | 600 | 110.0 | 154.0 | 1.40 |');
  t.match(document, '| behind the leader’s answer | 2,000 | 1.00 | 4.00 | 51.00 | 80.00 |');
  t.match(document, '| 64 | 1 | 800 | 700 | 420 | 1000.0 | 400.0 | 0.40 |');
  t.match(document, '| session create | e33943cb | 64 | 1 | CPU µs | 103.0 | 100.0 | 1.030 |');
  t.match(document, '`npm run bench -- --only cluster-takeover`');
  for (const { tables } of sectionsOf(ofCluster)) {
    for (const { columns: heads, rows } of tables) {
      for (const row of rows) t.equal(row.length, heads.length);
    }
  }
});

t.test('goals: met, missed, not measured', async (t) => {
  const lines = new Map(goalLines(results).map((line) => [line.work, line]));
  const work = 'session create, 1,000 API sessions';
  t.match(lines.get(`${work}: CPU against a bare answer`), {
    goal: '≤ 11.0 times',
    measured: '9.00 times (90.0 µs against 10.0 µs)',
    met: true,
  });
  t.match(lines.get(`${work}: time against a bare answer and its share of a sync`), {
    goal: '≤ 8.90 times',
    measured: '7.94 times (111.1 µs against 14.0 µs)',
    met: true,
  });
  t.match(lines.get(`${work}: p99 against p50`), { measured: '3.00 times', met: true });
  const ending = 'a policy is deleted, 10,000 sessions end: longest pause against a bare answer';
  t.match(lines.get(ending), {
    goal: '≤ 2,200 times',
    measured: '2,500 times (25.0 ms against 10.0 µs); 25.0 ms with waits for a core',
    met: false,
  });
  const snapshot = 'a snapshot of 100,000 records: longest pause against a bare answer';
  t.match(lines.get(snapshot), { goal: '≤ 1,100 times', measured: /^800 times/, met: true });
  t.match(lines.get(`${work}: CPU at 100,000 identities against 1,000`), {
    measured: '1.30 times',
    met: false,
  });
  t.match(lines.get('authenticate by password: CPU against the raw hash'), {
    measured: '1.05 times (4.200 ms against 4.000 ms)',
    met: true,
  });
  const create = 'identity create under 12 policies: CPU at 10,000 against a bare answer';
  t.match(lines.get(create), { measured: /^13\.1 times/, met: false });
  t.match(lines.get('identity create under 12 policies: bytes written'), { measured: '700 B' });
  const list = 'services list, 100 rows: CPU, TLS workers, against the direct listener';
  t.match(lines.get(list), { measured: '', met: undefined });
  const fresh = 'authenticate by certificate, a connection each: CPU against a raw handshake';
  t.match(lines.get(fresh), { measured: '900.0 µs', met: undefined }, 'openssl is not there');
  t.match(lines.get('resident memory: 10,000 identities, 1,000 services, 100 routers'), {
    measured: '220 MB',
    met: true,
  });
  const start = 'restart: 10,000 identities, 1,000 services, 100 routers, against a bare start';
  t.match(lines.get(start), { measured: '12.5 times (500.0 ms against 40.0 ms)', met: true });
  const larger = 'restart: 100,000 identities, against that of 10,000 identities';
  t.match(lines.get(larger), { measured: '', met: undefined });
  const patch = 'identity patch of roleAttributes under 100 policies, 100,000 identities: time';
  t.match(lines.get(`${patch} against a bare answer and its share of a sync`), { met: true });
  t.match(lines.get('identities, page of 100 by name: p50 at 100,000 against 1,000'), {
    measured: '1.00 times',
    met: true,
  });
});

t.test(
  'only a missed goal says why, and only with its raw operation has one a verdict',
  async (t) => {
    const rows = (all: BenchResults) =>
      goalTable(all).rows.filter(([work]) => work?.startsWith('authenticate by password'));
    const slow = measurement('authenticate', 1000, 6000);
    t.same(rows(results)[0]?.slice(3), ['yes', '4.2 ms', '']);
    t.match(rows({ ...results, measurements: [slow] })[0]?.slice(3), ['NO', '4.2 ms', /hash/]);
    t.same(rows({ ...results, limits: [] })[0]?.slice(1), [
      '≤ 1.10 times',
      '4.200 ms',
      '',
      '4.2 ms',
      '',
    ]);
  },
);

t.test('goals of routers', async (t) => {
  const lines = new Map(goalLines(results).map((line) => [line.work, line]));
  const expected: Readonly<Record<string, readonly [goal: string, measured: string]>> = {
    // 25 s of CPU until the hello, and 30 s in all, on two cores.
    '10,000 routers after a restart of the controller: last hello': ['≤ 18.75 s', '15.00 s'],
    '10,000 routers after a restart of the controller: attempts for nothing each': [
      '≤ 0.30',
      '0.25',
    ],
    '10,000 routers after a restart of the controller: all know their API sessions': [
      '≤ 22.50 s',
      '21.00 s',
    ],
    '10,000 routers meanwhile: p99 of others': ['≤ 50.0 ms', '51.0 ms'],
    '10,000 routers at rest: CPU of each per second against a bare answer': [
      '≤ 1.60 times',
      '0.60 times (6.0 µs against 10.0 µs)',
    ],
    '10,000 routers: memory each': ['≤ 100 KB', '80 KB'],
    'circuit create, one router: CPU against a bare answer': [
      '≤ 16.0 times',
      '14.0 times (140.0 µs against 10.0 µs)',
    ],
    'circuit create, one router: time against a bare answer': [
      '≤ 20.0 times',
      '16.0 times (200.0 µs against 12.5 µs)',
    ],
    'terminator create, durable: CPU against a bare answer': [
      '≤ 16.0 times',
      '16.0 times (160.0 µs against 10.0 µs)',
    ],
    'login of identities that share 10 routers, 64 at a time: CPU against none': [
      '≤ 1.25 times',
      '',
    ],
    'login of identities that share 10 routers, 1 at a time: CPU against none': [
      '≤ 2.50 times',
      '2.00 times',
    ],
    'a policy is deleted, 1,000 circuits on 100 routers: last router told, per circuit against a bare answer':
      ['≤ 11.0 times', '6.00 times (60.0 µs against 10.0 µs)'],
    'a policy is deleted, 1,000 circuits on 100 routers: longest pause against a bare answer': [
      '≤ 2,200 times',
      '1,500 times (15.0 ms against 10.0 µs); 25.0 ms with waits for a core',
    ],
  };
  for (const [work, [goal, measured]] of Object.entries(expected)) {
    t.match(lines.get(work), { goal, measured }, work);
  }
});

t.test('a fleet on a fast machine, and one that was not measured', async (t) => {
  const work = '10,000 routers after a restart of the controller: last hello';
  const lineOf = (run: BenchResults) => goalLines(run).find((line) => line.work === work);
  const fast = { ...results, machine: { ...results.machine, cores: 16 } };
  t.match(lineOf(fast), { goal: '≤ 12.00 s', met: false });
  t.match(lineOf({ ...results, fleets: [] }), { goal: '≤ 12.00 s', measured: '' });
  t.equal(lineOf({ ...results, fleets: [] })?.met, undefined);
  const own = results.fleets.map((fleet) => ({ ...fleet, backOff: 'own' as const }));
  t.equal(lineOf({ ...results, fleets: own })?.met, undefined, 'another back-off');
});

t.test('the table of fleets', async (t) => {
  const cellsOf = (foreignShare: number) => {
    const fleets = results.fleets.map((fleet) => ({ ...fleet, foreignShare }));
    const { columns: heads, rows } = fleetTable({ ...results, fleets });
    return new Map(heads.map(({ heading }, n) => [heading, rows[0]?.[n]]));
  };
  const cells = cellsOf(0.02);
  t.equal(cells.get('back-off'), 'stock');
  t.equal(cells.get('attempts for nothing each'), '0.25');
  t.equal(cells.get('against the controller'), '0.25');
  t.equal(cells.get('other work'), '2%');
  t.equal(cellsOf(0.3).get('other work'), '30%: disturbed');
});

t.test('tables of routers', async (t) => {
  const rows = sectionsOf(results)
    .filter(({ heading }) => /routers/i.test(heading))
    .flatMap(({ tables }) => tables.flatMap((table) => table.rows));
  t.same(
    rows.map(([first]) => first),
    ['10,000', 'circuit create', 'terminator create', '1', 'a policy is deleted'],
  );
  for (const { tables } of sectionsOf(results)) {
    for (const { columns: heads, rows: cells } of tables) {
      for (const row of cells) t.equal(row.length, heads.length);
    }
  }
});

t.test('tables', async (t) => {
  const table = {
    columns: columns('name', '#count'),
    rows: [
      ['a', '1'],
      ['long | name', '100000'],
    ],
  };
  t.equal(plainTable(table), 'name          count\na                 1\nlong | name  100000\n');
  t.equal(
    markdownTable(table),
    '| name | count |\n| --- | ---: |\n| a | 1 |\n| long \\| name | 100000 |\n',
  );
});

t.test('the document holds goals, machine and limits', async (t) => {
  const text = benchmarksDocument(results);
  t.match(text, 'A <processor>, 2 cores, 16 GB, Linux 6, ext4, Node v22');
  t.match(text, '| resident memory: 10,000 identities, 1,000 services, 100 routers | ≤ 250 MB');
  t.match(text, '| raw | 64 | 400 |');
  t.match(text, '| compile | 1,000 | 12.3 | 20.0 | query |');
  t.match(text, 'not measured');
  t.notMatch(text, /\n\n\n/);
  t.match(text, 'edge-control 0.1.0 (abc, with uncommitted changes)');
  t.match(text, 'the run took 2 minutes');
  t.match(text, 'Packages: xstate 5.0.0.');
});

t.test('the document of some scenes has only what was measured', async (t) => {
  const text = benchmarksDocument(results, undefined, 'restart');
  t.match(text, '# Benchmarks: restart\n');
  t.match(text, '`npm run bench -- --only restart --publish`');
  t.match(text, '| raw | 64 | 400 |');
  t.notMatch(text, 'not measured');
});

t.test('the document says what is ours alone and how to repeat each section', async (t) => {
  const text = benchmarksDocument(results);
  for (const { heading, flags, isOursAlone } of sectionsOf(results)) {
    const own = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    t.equal(own.includes('**Ours alone.**'), isOursAlone, heading);
    if (flags !== '') t.match(own, `npm run bench -- ${flags}`);
  }
});

t.test(
  'open loops are shown with their closed one, and say when the server did not keep up',
  async (t) => {
    const text = benchmarksDocument(results);
    t.match(
      text,
      '| 50% | 4,500 | 9,000 | 1.00 | 2.00 | 3.00 | 40.0 | 1.00 | 3.00 | 1.25 | 12 | yes |',
    );
    const opens = results.opens.map((open) => ({ ...open, isOverrun: true, share: undefined }));
    t.match(benchmarksDocument({ ...results, opens }), '| NO | 0 |');
    const names = latencyCharts({ ...results, opens })[0]?.series.map(({ name }) => name);
    t.same(names, ['64 connections', 'open, 4,500/s']);
    t.equal(latencyCharts(results)[0]?.series[1]?.name, 'open, 50%');
  },
);

t.test(
  'a mix is told with its wait for a core, homes and revisions with their figures',
  async (t) => {
    const text = benchmarksDocument(results);
    t.match(
      text,
      '| 100,000 | 0.70 | 20 | 5.0 | 12.5 | 30.0 | 2.1% | 4.0 | 9.0 | 30% | 40% | 20% | 0% | 0 |',
    );
    t.match(text, '| version | 100,000 | 1,000 | 20.0 | 19.9 |');
    t.match(text, '| 1,000 | 500 | 1.5 | 1,000 | 200 | 0.5 | 300 |');
    t.match(text, '| CPU, µs | 3 | 95.0 | 100 | 0.950 | 0.900 | 1.000 |');
    t.match(text, '| enroll, abc | status 404, not 200 |');
    t.match(text, '| identity | 100,000 | 352 |');
    t.match(text, '| session creates | 100 | 50 | 1050 | 975 | 0.93 | 0.90 | 0.95 | 1.02 |');
    const watched = goalLines(results).find(({ work }) => work.includes('inspectors'));
    t.match(watched, { goal: '≥ 0.90 times', measured: '0.93 times', met: true });
    const goal = goalLines(results).find(({ work }) => work.startsWith('all scenarios'));
    t.match(goal, { goal: '≤ 2,200 times', met: true, measured: /^1,250 times .*; 4\.000 ms of/ });
  },
);

t.test('a run by URL says what was left out, and has no figures of a process', async (t) => {
  const url = 'https://controller.example';
  const plain = { cpuMicros: undefined, mainThreadMicros: undefined, log: undefined };
  const gone = { ...plain, foreignShare: undefined, residentBytes: undefined };
  const measurements = results.measurements.map((found) => ({ ...found, ...gone }));
  const remote = { ...results, ...noFindings(), url, measurements, leftOut: ['CPU: not ours.'] };
  const text = benchmarksDocument(remote);
  t.match(text, '- CPU: not ours.');
  t.match(text, `the controller at ${url}`);
  t.match(text, '| 3.00 | 40.0 |  |  | 16.0 |  |  | 0 |');
  t.notMatch(text, '## Goals');
  t.notMatch(text, 'Packages');
  t.notMatch(benchmarksPage(remote), /NaN|undefined|Infinity/);
});

t.test('the page is whole and needs nothing else', async (t) => {
  const page = benchmarksPage(results);
  t.match(page, /^<!doctype html>/);
  t.match(page, 'A &lt;processor&gt;');
  t.notMatch(page, /<script|<link|src=|url\(/);
  t.equal(page.match(/<svg/g)?.length, 12, 'eight scenarios and sizes, four figures that grow');
  t.equal(latencyCharts(results).length, 8);
  t.equal(growthCharts(results).length, 4);
  t.notMatch(page, /NaN|undefined|Infinity/);
});

t.test('a run without measurements still makes a page', async (t) => {
  const page = benchmarksPage({ ...results, ...noFindings() });
  t.match(page, '</html>');
});

t.test('plots keep within their axes', async (t) => {
  const axis = { title: 'u', from: 1, to: 100, logarithmic: true, ticks: [] };
  const svg = lineChart({
    title: 'T & U',
    x: axis,
    y: axis,
    series: [
      {
        name: 's',
        points: [
          [1, 1],
          [10, 10],
          [1000, 1000],
        ],
      },
    ],
  });
  t.match(svg, 'T &amp; U');
  t.match(svg, 'M56 214L252 124L448 34');
});

t.test('ticks of a logarithmic axis', async (t) => {
  const at = (from: number, to: number) =>
    logarithmicTicks(from, to, String).map(({ label }) => label);
  t.same(at(1, 10), ['1', '2', '5', '10']);
  t.same(at(0.5, 1000), ['1', '10', '100', '1000']);
});

t.test('a profile lists own time, without idle time', async (t) => {
  const frame = (functionName: string, url = '') => ({
    functionName,
    url,
    lineNumber: 4,
    columnNumber: 0,
  });
  const lines = topOf('main', {
    nodes: [
      { id: 1, callFrame: frame('(idle)') },
      { id: 2, callFrame: frame('work', 'file:///a/src/http/body.ts') },
      { id: 3, callFrame: frame('') },
    ],
    samples: [1, 2, 3, 2],
    timeDeltas: [1000, 100, 100, 200],
  });
  t.same(lines, [
    { thread: 'main', place: 'work http/body.ts:5', share: 0.75 },
    { thread: 'main', place: '(anonymous)', share: 0.25 },
  ]);
});

t.test('two controllers side by side, from two files', async (t) => {
  const slower = { ...measurement('session-create-1000', 1000, 300), perSecond: 3000, wrong: 2 };
  const rival: BenchResults = {
    ...results,
    url: 'https://rival:1280',
    measurements: [slower, measurement('only-there', 1000, 5)],
    incapable: [{ subject: 'title of identity-create', reason: 'status 400,\n not 201' }],
  };
  const directory = t.testdir({
    'here.json': JSON.stringify(results),
    'there.json': JSON.stringify(rival),
    'older.json': '{"schemaVersion":0,"measurements":[]}',
    'broken.json': '{',
  });
  const [here, there] = ['here.json', 'there.json'].map((n) => readResults(join(directory, n)));
  if (here === undefined || there === undefined) throw new Error('not read');
  const { rows } = besideTable(here, there);
  const row = (title: string) => rows.filter(([name]) => name === `title of ${title}`);
  t.same(
    row('session-create-1000').map((cells) => cells.slice(1)),
    [
      ['1,000', '64', '9,000', '3,000', '3.00', '1.00', '1.00', '3.00', '3.00', '0', '2'],
      ['100,000', '64', '9,000', '', '', '1.00', '', '3.00', '', '0', ''],
    ],
  );
  t.same(row('identity-create')[0]?.slice(3, 6), ['9,000', 'refused', '']);
  t.same(row('only-there')[0]?.slice(3, 6), ['', '9,000', '']);
  const text = benchmarksDocument(here, there);
  t.match(text, '## Side by side');
  t.match(
    text,
    /A is edge-control 0\.1\.0 \(abc\), measured on 2026-11-20, B is https:\/\/rival:1280,/,
  );
  t.match(text, '| title of identity-create | B | status 400, not 201 |');
  t.match(benchmarksPage(here, there), 'Side by side');
  const work = 'title of session-create-1000: rate against B, side by side';
  const compared = goalLines(here, there).find((line) => line.work === work);
  t.match(compared, { goal: '≥ 1.00 times', measured: '3.00 times', rival: '3,000/s', met: true });
  t.notMatch(benchmarksDocument(here), 'Side by side');
  for (const name of ['older.json', 'broken.json', 'none.json']) {
    t.throws(() => readResults(join(directory, name)), { message: new RegExp(name) });
  }
});

t.test('a run that was made in parts', async (t) => {
  const second = { ...results, startedAt: '2026-11-19T08:00:00Z', tookMs: 5000 };
  const foreign = { ...results, machine: { ...results.machine, commit: 'another' } };
  const directory = t.testdir({
    'first.json': JSON.stringify(results),
    'second.json': JSON.stringify(second),
    'foreign.json': JSON.stringify(foreign),
  });
  const at = (...names: readonly string[]) => names.map((name) => join(directory, name));
  const whole = readParts(at('first.json', 'second.json'));
  t.equal(whole.measurements.length, 2 * results.measurements.length);
  t.equal(whole.startedAt, second.startedAt);
  t.equal(whole.tookMs, results.tookMs + 5000);
  t.throws(() => readParts(at('first.json', 'foreign.json')), { message: /one revision/ });
});
