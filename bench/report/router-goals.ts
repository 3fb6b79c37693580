// The goals of routers.

import type { BenchResults } from '../results.ts';
import type { CpuOfBoth, FleetMeasurement } from '../routers/reconnect.ts';
import {
  atLeast,
  atMost,
  cores,
  fraction,
  type GoalLine,
  grouped,
  kilobytes,
  millis,
  rate,
  seconds,
  times,
} from './goal-line.ts';

/** The goals with the figures of a run. */
export function routerGoals(results: BenchResults): GoalLine[] {
  return [...fleet(results), ...work(results), ...logins(results), ...endings(results)];
}

function fleet({ fleets, machine }: BenchResults): GoalLine[] {
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
  return [
    atMost(`${back}: last hello`, '–', found?.lastHelloMs, helloMs, seconds),
    atMost(`${back}: attempts for nothing each`, '–', forNothing, 0.3, fraction),
    atMost(`${back}: all know their API sessions`, '–', found?.allSyncedMs, syncMs, seconds),
    atMost(`${routers} meanwhile: p99 of others`, '–', others, 50_000, millis),
    atMost(`${routers} at rest: CPU`, '–', found?.restCores, 0.15, cores),
    atMost(`${routers}: memory each`, '–', found && bytesEach(found), 120_000, kilobytes),
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

function work({ routerWork }: BenchResults): GoalLine[] {
  const circuits = routerWork.find(({ work }) => work === 'circuit create');
  const terminators = routerWork.find(({ work }) => work === 'terminator create');
  return [
    atMost('circuit create, one router: CPU', '–', circuits?.createMicros, 150, millis),
    atLeast('circuit create, one router: rate', '–', circuits?.perSecond, 4000, rate),
    atMost('terminator create, durable: CPU', '–', terminators?.createMicros, 150, millis),
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

function endings({ accessEndings }: BenchResults): GoalLine[] {
  return accessEndings.flatMap(({ title, circuits, routers, lastToldMs, pauses }) => {
    const work = `${title}, ${grouped(circuits)} circuits on ${routers} routers`;
    const own = pauses.longestOwnMs * 1000;
    const pause = atMost(`${work}: longest pause`, '–', own, 20_000, millis);
    const whole = `${millis(pauses.longestMs * 1000)} with waits for a core`;
    return [
      atMost(`${work}: last router told`, '–', lastToldMs * 1000, 100_000, millis),
      { ...pause, measured: `${pause.measured} (${whole})` },
    ];
  });
}
