// Opens the core of a controller on the real machine: disk, network, threads.

import { readFileSync } from 'node:fs';
import { reasonOf } from '../../snapshots/errors.ts';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { createHasher } from '../auth/passwords/hasher.ts';
import { AnswerGate } from '../cluster/log/answer-gate.ts';
import type { EventStream } from '../cluster/nats/event-stream.ts';
import { emptyCaches } from '../containers/recent-cache.ts';
import { StartProblem } from '../errors/errors.ts';
import { eventMessageBytesMax } from '../events/nats/event-nats.ts';
import { consoleBounds, consolePage } from '../http/application/console.ts';
import type { OutsideHandler } from '../http/application/other-paths.ts';
import { Sources } from '../monitoring/sources.ts';
import { HeapWatch } from '../observe/heap-watch.ts';
import type { Log } from '../observe/logs.ts';
import { createFetch } from '../platform/fetch.ts';
import { systemHeap } from '../platform/heap.ts';
import type { Clock } from '../platform/ports.ts';
import { readDirectoryFiles } from '../platform/read-files.ts';
import { natsTls } from '../settings/cluster-config.ts';
import type { Config } from '../settings/config.ts';
import type { HomeNode } from './cluster/node.ts';
import { type Core, openCore } from './core.ts';
import type { CoreOptions } from './core-options.ts';
import { setUpHome } from './first-start.ts';
import type { ControllerSystem, FirstStart } from './process-context.ts';

/**
 * Opens a home on the real machine, and sets it up at its first start.
 * @param own the node of a cluster that this process is
 */
export async function openCoreOf(
  config: Config,
  { clock, random, log, fatal }: ControllerSystem,
  addresses: CoreOptions['addresses'],
  sources = new Sources(clock),
  console?: OutsideHandler,
  own?: HomeNode,
): Promise<{ core: Core; firstStart: FirstStart | undefined }> {
  const node = own?.thread;
  const core = await openCore({
    config,
    clock,
    random,
    disk: nodeDisk,
    hasher: createHasher(random),
    fetch: createFetch({
      clock,
      rules: { allowsPrivate: config.auth.jwksFromPrivateAddresses },
    }),
    memory: sources.heap ?? heapWatchOf(config, clock),
    log,
    writer: 'worker',
    eventStream: await openEventStream(config, clock),
    openWriter: node && ((start, events) => node.openWriter(start, events)),
    gate: node && new AnswerGate(node, clock),
    leader: own?.questions,
    generation: own?.generation,
    openHome: own?.openHome,
    snapshotKept: own && ((kept) => own.share(kept)),
    snapshotFailed: own && (() => own.shareFailed()),
    freeze: false,
    fatal,
    addresses,
    sources,
    console,
  });
  own?.onSnapshotWanted(() => void takeSnapshot(core));
  try {
    const mayWrite = core.following === undefined;
    const firstStart =
      mayWrite && core.isNew
        ? await setUpHome(core.env, random, core.authority.firstTokenKey)
        : undefined;
    if (firstStart !== undefined) await core.journal.flush();
    return { core, firstStart };
  } catch (error) {
    await core.close();
    throw error;
  }
}

/** The stream at NATS that events are sent to, if there is one. @throws StartProblem */
async function openEventStream(
  { events, limits }: Config,
  clock: Clock,
): Promise<EventStream | undefined> {
  const { servers, credentials, prefix } = events.nats;
  if (servers.length === 0) return undefined;
  // Its code is loaded only here, because most controllers send no events to NATS.
  const { natsAccessOf } = await import('../cluster/nats/configured-access.ts');
  const { NatsEventStream } = await import('../cluster/nats/event-stream.ts');
  const group = 'events.nats';
  const tls = natsTls(group, events.nats);
  const read = (path: string) => readFileSync(path, 'utf8');
  const access = natsAccessOf({ servers, credentials, tls }, limits, read, group);
  const payloadBytesMin = eventMessageBytesMax + messageHeadBytes;
  return new NatsEventStream({ ...access, payloadBytesMin }, clock, prefix);
}

/** Room for the headers of a message. */
const messageHeadBytes = 4096;

/** The watch of the heap, with the bounds of the settings. */
export function heapWatchOf({ limits }: Config, clock: Clock): HeapWatch {
  return new HeapWatch({ clock, heap: systemHeap, limits, emptyCaches });
}

/** Takes a snapshot; a failure is logged elsewhere. */
export async function takeSnapshot({ snapshotter }: Core): Promise<void> {
  await snapshotter.take().catch(() => undefined);
}

/** Reads the console that is to be served, if any. @throws StartProblem */
export async function openConsole(
  { console: directory }: Config,
  log: Log,
): Promise<OutsideHandler | undefined> {
  if (directory === undefined) return undefined;
  let files: ReadonlyMap<string, Buffer>;
  try {
    files = await readDirectoryFiles(directory, consoleBounds);
  } catch (thrown) {
    const reason = reasonOf(thrown);
    throw new StartProblem(`The console in ${directory} cannot be read: ${reason}.`);
  }
  const page = consolePage(files);
  if (page === undefined) {
    throw new StartProblem(`${directory} is no built console: it has no index.html.`);
  }
  log.info({ directory, files: files.size }, 'the console is served at /zac');
  return page;
}
