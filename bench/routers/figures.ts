// Figures of routers that two revisions are compared by, each with its subject.

import { compareFigure } from '../compare.ts';
import type { Comparison } from '../results.ts';
import type { AccessEndingMeasurement } from './access-endings.ts';
import type { FleetMeasurement } from './reconnect.ts';
import type { SharedLoginMeasurement } from './shared-logins.ts';
import type { RouterWorkMeasurement } from './work-rows.ts';

/** One figure of a run. */
export interface RouterFigure extends Pick<Comparison, 'subject' | 'figure' | 'unit'> {
  readonly value: number;
}

/** The results of one run on a stage with traffic. */
export interface TrafficRun {
  readonly work: readonly RouterWorkMeasurement[];
  readonly logins: readonly SharedLoginMeasurement[];
  readonly endings: readonly AccessEndingMeasurement[];
}

/** The figures of a run with traffic. */
export function trafficFigures({ work, logins, endings }: TrafficRun): RouterFigure[] {
  return [
    ...work.flatMap(({ work: subject, createMicros, removeMicros, perSecond }) => [
      { subject, figure: 'CPU', unit: 'µs', value: createMicros },
      { subject, figure: 'CPU of a removal', unit: 'µs', value: removeMicros },
      { subject, figure: 'rate', unit: '/s', value: perSecond },
    ]),
    ...logins.flatMap(({ connections, routers, aloneMicros, sharedMicros }) => {
      const subject = `login, ${connections} at a time`;
      return [
        { subject, figure: 'CPU', unit: 'µs', value: aloneMicros },
        {
          subject: `${subject}, of identities that share ${routers} routers`,
          figure: 'CPU',
          unit: 'µs',
          value: sharedMicros,
        },
      ];
    }),
    ...endings.flatMap(({ title: subject, lastToldMs, serverCpu, pauses }) => [
      { subject, figure: 'last told', unit: 'ms', value: lastToldMs },
      { subject, figure: 'CPU', unit: 'ms', value: serverCpu.cpuMs },
      { subject, figure: 'longest pause', unit: 'ms', value: pauses.longestOwnMs },
    ]),
  ];
}

/** The figures of a fleet that came back. */
export function fleetFigures(fleet: FleetMeasurement): RouterFigure[] {
  const { backOff, classes, routersEach, residentBytes, residentBytesBefore } = fleet;
  const routers = classes * routersEach;
  const subject = `return of ${routers} routers, ${backOff} back-off`;
  return [
    { subject, figure: 'last hello', unit: 'ms', value: fleet.lastHelloMs },
    { subject, figure: 'all synced', unit: 'ms', value: fleet.allSyncedMs },
    { subject, figure: 'CPU until hello', unit: 'ms', value: fleet.helloCpu.serverMs },
    { subject, figure: 'CPU until synced', unit: 'ms', value: fleet.syncCpu.serverMs },
    { subject, figure: 'p99 of others', unit: 'ms', value: fleet.othersMs.p99 },
    { subject, figure: 'CPU at rest', unit: 'cores', value: fleet.restCores },
    {
      subject,
      figure: 'memory of a router',
      unit: 'KB',
      value: (residentBytes - residentBytesBefore) / routers / 1000,
    },
  ];
}

/** Compares the runs of both, turn by turn. */
export function compareRouterFigures(
  here: readonly (readonly RouterFigure[])[],
  there: readonly (readonly RouterFigure[])[],
): Comparison[] {
  const [first = []] = here;
  return first.flatMap((what) => {
    const valueIn = (run: readonly RouterFigure[]): number | undefined =>
      run.find(({ subject, figure }) => subject === what.subject && figure === what.figure)?.value;
    return compareFigure(what, here.map(valueIn), there.map(valueIn));
  });
}
