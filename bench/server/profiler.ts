// CPU profiles of the running controller, main thread and workers, over its inspector.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceStack } from '../../src/observe/stacks.ts';
import type { ProfileLine } from '../results.ts';
import type { ControllerProcess } from './controller-process.ts';
import { type Answered, Inspector } from './inspector.ts';

/** Sampling interval in µs. */
const samplingMicros = 500;

/** The number of functions that are listed for each thread. */
const linesMax = 15;

/**
 * Profiles the threads of the controller that live while `work` runs. It writes one `.cpuprofile`
 * per thread, which a browser's developer tools can open. @returns the result of `work` and the
 * functions with most own time
 */
export async function profileWhile<T>(
  controller: Pick<ControllerProcess, 'logFile'>,
  directory: string,
  name: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly profile: readonly ProfileLine[] }> {
  const inspector = await Inspector.open(controller);
  try {
    await inspector.attachWorkers();
    const started = await startProfiles(inspector);
    const result = await work();
    const profiles = await stopProfiles(inspector, started);
    mkdirSync(directory, { recursive: true });
    const lines: ProfileLine[] = [];
    for (const [thread, profile] of profiles) {
      writeFileSync(join(directory, `${name}-${thread}.cpuprofile`), JSON.stringify(profile));
      lines.push(...topOf(thread, profile));
    }
    return { result, profile: lines };
  } finally {
    inspector.close();
  }
}

/** The shape of a CPU profile of the Chrome DevTools protocol. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The functions with most own time, as shares of the time the thread was not idle. */
export function topOf(thread: string, profile: CpuProfile): ProfileLine[] {
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const own = new Map<string, number>();
  let busy = 0;
  profile.samples.forEach((node, index) => {
    const place = places.get(node) ?? '';
    if (place === '(idle)') return;
    const micros = profile.timeDeltas[index] ?? 0;
    busy += micros;
    own.set(place, (own.get(place) ?? 0) + micros);
  });
  return [...own]
    .sort((a, b) => b[1] - a[1])
    .slice(0, linesMax)
    .map(([place, micros]) => ({ thread, place, share: micros / Math.max(1, busy) }));
}

function placeOf(frame: CpuProfile['nodes'][number]['callFrame']): string {
  const name = frame.functionName === '' ? '(anonymous)' : frame.functionName;
  if (frame.url === '') return name;
  const { url, lineNumber, columnNumber } = frame;
  const directory = url.slice(0, url.lastIndexOf('/') + 1);
  const place = sourceStack(`${url}:${lineNumber + 1}:${columnNumber + 1}`, directory);
  const [file] = /[^/]*\/[^/]*(?=:\d+$)/.exec(place) ?? [place];
  return `${name} ${file}`;
}

type Thread = readonly [session: string, name: string];

async function startProfiles(inspector: Inspector): Promise<Thread[]> {
  const started: Thread[] = [];
  for (const thread of inspector.threads()) {
    const call = (method: string, params = {}) => inspector.call(thread[0], method, params);
    const starting = call('Profiler.enable')
      .then(() => call('Profiler.setSamplingInterval', { interval: samplingMicros }))
      .then(() => call('Profiler.start'));
    if ((await unlessEnded(thread, starting)) !== undefined) started.push(thread);
  }
  return started;
}

/** Only threads that still run are read, because the thread that writes a snapshot ends with it. */
async function stopProfiles(
  inspector: Inspector,
  started: readonly Thread[],
): Promise<[name: string, CpuProfile][]> {
  const profiles: [string, CpuProfile][] = [];
  for (const thread of started) {
    const answer = await unlessEnded(thread, inspector.call(thread[0], 'Profiler.stop', {}));
    if (answer !== undefined) profiles.push([thread[1], answer['profile'] as CpuProfile]);
  }
  return profiles;
}

/** The answer of a thread; undefined if a worker has ended. */
async function unlessEnded([session]: Thread, answered: Promise<Answered>) {
  return session === '' ? await answered : await answered.catch(() => undefined);
}
