// The goals of routers.

import type { BenchResults } from '../results.ts';
import type { CpuOfBoth, FleetMeasurement } from '../routers/reconnect.ts';
import {
  atMost,
  fraction,
  type GoalLine,
  grouped,
  kilobytes,
  millis,
  seconds,
  times,
} from './goal-line.ts';
import { bareAnswer, bareAnswerTime, longestPause, timesRaw } from './raw-operations.ts';

/** The goals with the figures of a run. */
export function routerGoals(results: BenchResults): GoalLine[] {
  return [...fleet(results), ...work(results), ...logins(results), ...endings(results)];
}

function fleet(results: BenchResults): GoalLine[] {
  const { fleets, machine } = results;
  const found = fleets.find(({ backOff }) => backOff === 'stock');
  const routers = found === undefined ? '10,000 routers' : `${grouped(routersOf(found))} routers`;
  const others = found && found.othersMs.p99 * 1000;
  const back = `${routers} after a restart of the controller`;
  // On a slower machine, half as long again as the work of both takes all its cores.
  const allowed = (ms: number, cpu: CpuOfBoth | undefined) =>
    Math.max(ms, (1.5 * ((cpu?.serverMs ?? 0) + (cpu?.fleetMs ?? 0))) / machine.cores);
  const helloMs = allowed(12_000, found?.helloCpu);
  const syncMs = allowed(18_000, found?.syncCpu);
  const forNothing = found && forNothingEach(found);
  const restMicros = found && (found.restCores * 1e6) / routersOf(found);
  const pauses = 'routers whose attempts fail pause together, some for a minute';
  return [
    { ...atMost(`${back}: last hello`, '–', found?.lastHelloMs, helloMs, seconds), reason: pauses },
    {
      ...atMost(`${back}: attempts for nothing each`, '–', forNothing, 0.3, fraction),
      reason: 'whoever is served later than 5 s after the first dial has failed once',
    },
    atMost(`${back}: all know their API sessions`, '–', found?.allSyncedMs, syncMs, seconds),
    atMost(`${routers} meanwhile: p99 of others`, '–', others, 50_000, millis),
    timesRaw(
      `${routers} at rest: CPU of each per second`,
      ...(['–', restMicros, 1.6, bareAnswer(results)] as const),
    ),
    {
      ...atMost(`${routers}: memory each`, '–', found && bytesEach(found), 100_000, kilobytes),
      reason: 'after a large write Node keeps two or three buffers of 16 KB per TLS connection',
    },
  ];
}

/** How many routers a fleet has. */
export function routersOf({ classes, routersEach }: FleetMeasurement): number {
  return classes * routersEach;
}

/** Attempts of a router that did not end in an accepted hello. */
export function forNothingEach(found: FleetMeasurement): number {
  return found.forNothing / Math.max(1, routersOf(found));
}

/** Resident memory of the controller per router. */
export function bytesEach(found: FleetMeasurement): number {
  return (found.residentBytes - found.residentBytesBefore) / Math.max(1, routersOf(found));
}

function work(results: BenchResults): GoalLine[] {
  const of = (name: string) => results.routerWork.find(({ work }) => work === name);
  const [circuits, terminators] = [of('circuit create'), of('terminator create')];
  const each = circuits && 1e6 / circuits.perSecond;
  const circuit = 'circuit create, one router';
  const terminator = 'terminator create, durable: CPU';
  return [
    timesRaw(`${circuit}: CPU`, '–', circuits?.createMicros, 16, bareAnswer(results)),
    timesRaw(`${circuit}: time`, '–', each, 20, bareAnswerTime(results)),
    timesRaw(terminator, '–', terminators?.createMicros, 16, bareAnswer(results)),
  ];
}

function logins({ sharedLogins }: BenchResults): GoalLine[] {
  return [
    { connections: 64, goal: 1.25 },
    { connections: 1, goal: 2.5 },
  ].map(({ connections, goal }) => {
    const found = sharedLogins.find((logins) => logins.connections === connections);
    const routers = found?.routers ?? 10;
    const work = `login of identities that share ${routers} routers, ${connections} at a time`;
    return atMost(`${work}: CPU against none`, '–', found?.ratio, goal, times);
  });
}

function endings(results: BenchResults): GoalLine[] {
  return results.accessEndings.flatMap(({ title, circuits, routers, lastToldMs, pauses }) => {
    const work = `${title}, ${grouped(circuits)} circuits on ${routers} routers`;
    const each = (lastToldMs * 1000) / circuits;
    return [
      timesRaw(`${work}: last router told, per circuit`, '–', each, 11, bareAnswer(results)),
      longestPause(work, pauses, 2200, bareAnswer(results)),
    ];
  });
}
