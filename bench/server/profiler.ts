// CPU profiles of the running controller, main thread and workers, over its inspector.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProfileLine } from '../results.ts';
import type { ControllerProcess } from './controller-process.ts';

/** What Node must be started with, so that it can be profiled. */
export const profilerFlags: readonly string[] = ['--inspect=127.0.0.1:0'];

/** Sampling interval in µs. */
const samplingMicros = 500;

/** Functions that are named for each thread. */
const linesMax = 15;

/**
 * Profiles the controller while `work` runs. One `.cpuprofile` a thread is written, to be opened in
 * a browser's developer tools. @returns the result of `work` and the functions with most own time
 */
export async function profileWhile<T>(
  { logFile }: ControllerProcess,
  directory: string,
  name: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly profile: readonly ProfileLine[] }> {
  const inspector = await Inspector.open(inspectorUrl(logFile));
  try {
    await inspector.start();
    const result = await work();
    const profiles = await inspector.stop();
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
  const file = frame.url.split('/').slice(-2).join('/');
  return `${name} ${file}:${frame.lineNumber + 1}`;
}

/** Node says it on standard error when it starts. */
function inspectorUrl(logFile: string): string {
  const url = readFileSync(logFile, 'utf8')
    .match(/ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/g)
    ?.at(-1);
  if (url === undefined) throw new Error('the controller does not say where its inspector is');
  return url;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

/**
 * Just enough of the DevTools protocol: profiles of the main thread and, through NodeWorker, of
 * workers.
 */
class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, (result: Readonly<Record<string, unknown>>) => void>();
  /** Session id → name, for the workers. */
  readonly #workers = new Map<string, string>();
  #lastId = 0;

  static async open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)));
    });
    return new Inspector(socket);
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#hear('', String(data)));
  }

  async start(): Promise<void> {
    await this.#call('', 'NodeWorker.enable', { waitForDebuggerOnStart: false });
    for (const session of this.#sessions()) {
      await this.#call(session, 'Profiler.enable', {});
      await this.#call(session, 'Profiler.setSamplingInterval', { interval: samplingMicros });
      await this.#call(session, 'Profiler.start', {});
    }
  }

  async stop(): Promise<[thread: string, profile: CpuProfile][]> {
    const profiles: [string, CpuProfile][] = [];
    for (const session of this.#sessions()) {
      const { profile } = await this.#call(session, 'Profiler.stop', {});
      profiles.push([this.#workers.get(session) ?? 'main', profile as CpuProfile]);
    }
    return profiles;
  }

  close(): void {
    this.#socket.close();
  }

  #sessions(): string[] {
    return ['', ...this.#workers.keys()];
  }

  #call(
    session: string,
    method: string,
    params: object,
  ): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#lastId;
    const answered = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
      this.#waiting.set(`${session}/${id}`, resolve);
    });
    const message = JSON.stringify({ id, method, params });
    if (session === '') this.#socket.send(message);
    else {
      const outer = { sessionId: session, message };
      const method = 'NodeWorker.sendMessageToWorker';
      this.#socket.send(JSON.stringify({ id: ++this.#lastId, method, params: outer }));
    }
    return answered;
  }

  /** The name of its script and a number: two TLS workers must not share a file. */
  #workerName(info: unknown): string {
    const url = String((info as { readonly url?: unknown } | undefined)?.url ?? 'worker');
    const file = url
      .split('/')
      .at(-1)
      ?.replace(/\.[jt]s$/, '');
    return `${file}-${this.#workers.size + 1}`;
  }

  #hear(session: string, text: string): void {
    const { id, method, params, result } = JSON.parse(text) as Message;
    if (id !== undefined) {
      this.#waiting.get(`${session}/${id}`)?.(result ?? {});
      this.#waiting.delete(`${session}/${id}`);
    } else if (method === 'NodeWorker.attachedToWorker') {
      this.#workers.set(String(params?.['sessionId']), this.#workerName(params?.['workerInfo']));
    } else if (method === 'NodeWorker.receivedMessageFromWorker') {
      this.#hear(String(params?.['sessionId']), String(params?.['message']));
    }
  }
}
