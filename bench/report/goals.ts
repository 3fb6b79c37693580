// The table of goals: each with the figure of a run and that of OpenZiti.

import type { BenchResults, Measurement, RestartMeasurement } from '../results.ts';
import { clusterGoals } from './cluster-goals.ts';
import {
  atLeast,
  atMost,
  bytes,
  type GoalLine,
  grouped,
  megabytes,
  millis,
  times,
} from './goal-line.ts';
import { ratioGoals } from './ratio-table.ts';
import {
  bareAnswer,
  bareAnswerTime,
  bareStart,
  busy,
  durableAnswerTime,
  longestPause,
  type RawOperation,
  ratioOf,
  rawHandshake,
  rawHash,
  timesRaw,
} from './raw-operations.ts';
import { routerGoals } from './router-goals.ts';

/** Whether a run was short and on small homes: it shows that the bench works, and no speed. */
export function isSmoke({ settings }: BenchResults): boolean {
  return settings['smoke'] === true;
}

/** The numbers of identities to which goals refer. */
const small = 1000;
const medium = 10_000;
const large = 100_000;

/**
 * The table of goals for a run. Each goal is a limit that a release must keep, with the figure of
 * OpenZiti where there is one. A smoke run has none, because goals refer to homes and times of full
 * size.
 * @param beside the results of another controller, with which those of the run are compared
 */
export function goalLines(results: BenchResults, beside?: BenchResults): GoalLine[] {
  if (isSmoke(results)) return [];
  return [
    ...sessionCreate(results),
    ...currentApiSession(results),
    authenticate(results),
    ...servicesList(results),
    ...identityCreate(results),
    ...identityPages(results),
    ...identityPatch(results),
    ...byCertificate(results),
    ...storm(results),
    ...secondFactors(results),
    ...endings(results),
    ...mixes(results),
    ...snapshots(results),
    ...inspectors(results),
    ...restarts(results),
    ...routerGoals(results),
    ...ratioGoals(results.fabricRatios),
    ...ratioGoals(results.oidcRatios),
    ...ratioGoals(results.cliRatios),
    ...ratioGoals(results.migrateRatios),
    ...clusterGoals(results),
    ...besideRival(results, beside),
  ];
}

function sessionCreate(results: BenchResults): GoalLine[] {
  const work = 'session create, 1,000 API sessions';
  const few = find(results, 'session-create-1000', small);
  const many = find(results, 'session-create-1000', large);
  const tail = ratioOf(few?.latencyMs.p99, few?.latencyMs.p50);
  const growth = ratioOf(many?.cpuMicros, few?.cpuMicros);
  const cpuRival = '1.0 ms (EC keys), 6.2 ms (RSA-4096)';
  return [
    timesRaw(`${work}: CPU`, cpuRival, few?.cpuMicros, 11, bareAnswer(results)),
    timesRaw(`${work}: time`, '287/s (RSA)', timeOf(few), 8.9, durableAnswerTime(results)),
    atMost(`${work}: p99 against p50`, '–', tail, 3.1, times),
    atMost(`${work}: CPU at 100,000 identities against 1,000`, '–', growth, 1.2, times),
  ];
}

function currentApiSession(results: BenchResults): GoalLine[] {
  const found = find(results, 'current-api-session', small);
  return [
    timesRaw('current-api-session: CPU', '0.18 ms', found?.cpuMicros, 4.4, bareAnswer(results)),
    timesRaw('current-api-session: time', '6,900/s', timeOf(found), 5.4, bareAnswerTime(results)),
  ];
}

function authenticate(results: BenchResults): GoalLine {
  const cpu = find(results, 'authenticate', small)?.cpuMicros;
  const line = timesRaw('authenticate by password: CPU', '4.2 ms', cpu, 1.1, rawHash(results));
  return { ...line, reason: 'the hash is handed to other threads and back, and each login syncs' };
}

function servicesList(results: BenchResults): GoalLine[] {
  const work = 'services list, 100 rows: CPU';
  const front = find(results, 'services-list-front', small)?.cpuMicros;
  const direct = find(results, 'services-list-direct', small)?.cpuMicros;
  const listener = { name: 'the direct listener', micros: direct };
  return [
    {
      ...timesRaw(`${work}, TLS workers,`, '3.0 ms', front, 1.4, listener),
      reason: 'each answer crosses a Unix socket and streams of Node',
    },
    timesRaw(`${work}, direct listener,`, '–', direct, 11, bareAnswer(results)),
  ];
}

function identityCreate(results: BenchResults): GoalLine[] {
  const work = 'identity create under 12 policies';
  const few = find(results, 'identity-create', small);
  const more = find(results, 'identity-create', medium);
  return [
    timesRaw(`${work}: CPU at 1,000`, '6.1 ms', few?.cpuMicros, 13, bareAnswer(results)),
    timesRaw(`${work}: CPU at 10,000`, '13.5 ms', more?.cpuMicros, 13, bareAnswer(results)),
    atMost(`${work}: bytes written`, '1.4 and 3.4 MB', more?.log?.frameBytes, 2048, bytes),
  ];
}

function identityPages(results: BenchResults): GoalLine[] {
  const page = find(results, 'identities-page-id', small);
  const growth = ['id', 'name'].map((order) => {
    const name = `identities-page-${order}`;
    const few = find(results, name, small);
    const many = find(results, name, large);
    const ratio = ratioOf(many?.latencyMs.p50, few?.latencyMs.p50);
    const work = `identities, page of 100 by ${order}: p50 at 100,000 against 1,000`;
    return atMost(work, '–', ratio, 1.5, times);
  });
  const work = 'identities, page of 100 by id: CPU';
  return [
    {
      ...timesRaw(work, '10.1 ms', page?.cpuMicros, 16, bareAnswer(results)),
      reason: 'most of it is TLS, and writes of 150 KB to two sockets',
    },
    ...growth,
  ];
}

function identityPatch(results: BenchResults): GoalLine[] {
  return [small, large].map((identities) => {
    const found = find(results, 'identity-patch', identities);
    const work = `identity patch of roleAttributes under 100 policies, ${grouped(identities)} identities`;
    return timesRaw(`${work}: time`, '–', timeOf(found), 14, durableAnswerTime(results));
  });
}

function byCertificate(results: BenchResults): GoalLine[] {
  const kept = find(results, 'authenticate-cert-kept', small)?.cpuMicros;
  const fresh = find(results, 'authenticate-cert-fresh', small)?.cpuMicros;
  const work = 'authenticate by certificate';
  const rival = '2.0 ms (EC), 7.1 ms (RSA)';
  return [
    timesRaw(`${work}, kept alive: CPU`, '1.6 ms', kept, 13, bareAnswer(results)),
    {
      ...timesRaw(`${work}, a connection each: CPU`, rival, fresh, 3.8, rawHandshake(results)),
      reason: 'each connection has a Unix connection to the main thread, and streams of Node',
    },
  ];
}

function storm({ storms }: BenchResults): GoalLine[] {
  const [found] = storms;
  const others = found && found.othersMs.p99 * 1000;
  const clients = grouped(found?.clients ?? 10_000);
  const work = `current-api-session of others while ${clients} clients reconnect: p99`;
  return [atMost(work, '–', others, 50_000, millis)];
}

/** Second factors and posture. */
function secondFactors(results: BenchResults): GoalLine[] {
  const plain = find(results, 'session-create-1000', small);
  const guarded = find(results, 'session-create-posture', small);
  const ratio = ratioOf(guarded?.cpuMicros, plain?.cpuMicros);
  const mfa = find(results, 'authenticate-mfa', small)?.cpuMicros;
  const response = find(results, 'posture-response', small)?.cpuMicros;
  const work = 'posture response, 1,000 services affected: CPU';
  return [
    timesRaw('authenticate-MFA: CPU', '–', mfa, 11, bareAnswer(results)),
    timesRaw(work, '–', response, 56, bareAnswer(results)),
    atMost('session create with 3 posture checks against none: CPU', '–', ratio, 1.2, times),
  ];
}

/** The goal holds for this many sessions at once; larger numbers are only reported. */
const sessionsOfTheGoal = 10_000;

function endings(results: BenchResults): GoalLine[] {
  return results.endings
    .filter(({ sessions }) => sessions <= sessionsOfTheGoal)
    .map(({ title, sessions, pauses }) => {
      const work = `${title}, ${grouped(sessions)} sessions end`;
      return longestPause(work, pauses, 2200, bareAnswer(results));
    });
}

function mixes(results: BenchResults): GoalLine[] {
  return results.mixes.map(({ identities, delay, coreWait }) => {
    const work = `all scenarios at half of saturation, ${grouped(identities)} identities`;
    const delayMicros = delay.p999Ms * 1000;
    const line = timesRaw(
      `${work}: event-loop delay p99.9`,
      ...(['–', delayMicros, 2200, bareAnswer(results)] as const),
    );
    const waited = `${millis(coreWait.p999Ms * 1000)} of p99.9 slices waiting for a core`;
    return { ...line, measured: `${line.measured}; ${waited}` };
  });
}

function snapshots(results: BenchResults): GoalLine[] {
  return results.snapshots.map(({ records, meanwhile }) => {
    const work = `a snapshot of ${grouped(records)} records`;
    return longestPause(work, meanwhile.pauses, 1100, bareAnswer(results));
  });
}

/** Only session creates have a goal; identity creates are measured without one. */
function inspectors({ inspectors }: BenchResults): GoalLine[] {
  return inspectors
    .filter(({ load }) => load === 'session creates')
    .map(({ load, inspectors, reading, ratio }) =>
      atLeast(
        `${load} with ${inspectors} inspectors, ${inspectors - reading} of them not reading: rate`,
        ...(['–', ratio, 0.9, times] as const),
      ),
    );
}

/** The start of a home is compared with that of the next smaller one. */
function restarts(results: BenchResults): GoalLine[] {
  const startOf = (identities: number, name: string): RawOperation => {
    const found = results.restarts.find((restart) => restart.identities === identities);
    return { name, micros: found && found.startMs * 1000 };
  };
  const [bare, tenth] = [bareStart(results), startOf(medium, 'that of 10,000 identities')];
  const hundred = startOf(large, 'that of 100,000 identities');
  const all = [
    { identities: medium, memory: 250, rival: '930 MB', goal: 16, raw: bare, rivalStart: '1.4 s' },
    { identities: large, memory: 500, rival: '–', goal: 2.5, raw: tenth, rivalStart: '–' },
    { identities: 900_000, memory: 2500, rival: '–', goal: 3, raw: hundred, rivalStart: '–' },
  ];
  return all.flatMap(({ identities, memory, rival, goal, raw, rivalStart }) => {
    const found = results.restarts.filter((restart) => restart.identities === identities);
    // Lines without a measurement are in the table too.
    return (found.length === 0 ? [undefined] : found).flatMap((restart) => {
      const at = restart === undefined ? `${grouped(identities)} identities` : sizeOf(restart);
      const resident = restart && restart.settledBytes / 1e6;
      const startMicros = restart && restart.startMs * 1000;
      return [
        atMost(`resident memory: ${at}`, rival, resident, memory, megabytes),
        timesRaw(`restart: ${at},`, rivalStart, startMicros, goal, raw),
      ];
    });
  });
}

/** The work that both controllers were measured at: this one is nowhere the slower of the two. */
function besideRival(results: BenchResults, rival: BenchResults | undefined): GoalLine[] {
  if (rival === undefined) return [];
  return results.measurements
    .filter(({ identities, connections }) => identities === small && connections === busy)
    .flatMap(({ scenario, title, perSecond }) => {
      const other = find(rival, scenario, small);
      if (other === undefined) return [];
      const ratio = perSecond / other.perSecond;
      const theirs = `${grouped(other.perSecond)}/s`;
      return [atLeast(`${title}: rate against B, side by side`, theirs, ratio, 1, times)];
    });
}

/** The mean time from one answer to the next, in µs. */
function timeOf(found: Measurement | undefined): number | undefined {
  return found && 1e6 / found.perSecond;
}

/** The content of a restart's home, in words. */
export function sizeOf(restart: RestartMeasurement): string {
  const { identities, services, routers, logins, apiSessions } = restart;
  const sessions =
    apiSessions > 0
      ? `, ${grouped(apiSessions)} API sessions of ${grouped(logins)} with a password`
      : '';
  return `${grouped(identities)} identities, ${grouped(services)} services, ${routers} routers${sessions}`;
}

/**
 * At 64 connections, or the most that were measured, because CPU per request is asked of a busy
 * server.
 */
function find(
  { measurements }: BenchResults,
  scenario: string,
  identities: number,
): Measurement | undefined {
  return measurements
    .filter((found) => found.scenario === scenario && found.identities === identities)
    .find((found) => found.connections === busy);
}
