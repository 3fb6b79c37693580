// Where the figures of `top` come from: the inspector, the metrics and the audit feed.

import type { Lsn } from '../../../../snapshots/journal.ts';
import { CommandFailure } from '../command-failure.ts';
import { type Asking, pageRows } from '../connection/asking.ts';
import type { Connection } from '../connection/connection.ts';
import { kindOfRecords } from '../kinds/record-kinds.ts';
import { RecordNames } from '../kinds/record-names.ts';
import { auditFeed, lastLsn } from './audit-feed.ts';
import { auditRows } from './audit-rows.ts';
import type { FrameChange, LogFrame } from './log-frame.ts';
import type { AwayRouter, TopCounters, TopFigures, TopView } from './top-view.ts';

/** The metrics are some 100 KB, so they are not read each second. */
const metricsEveryMs = 5000;
/** Frames that are looked through for the last changes at the beginning. @bound */
const framesMax = 200;
/** Changes and routers that are kept for the screen. @bound */
const linesMax = 10;

/** Gathers what a caller may read; it asks only once for what the caller may not. */
export class TopSources {
  readonly #refused = new Set<string>();
  readonly #names = new RecordNames();
  #changes: string[] = [];
  #nextLsn: Lsn | undefined;
  #counted: { readonly atMs: number; readonly text: Counted } | undefined;
  #counters: TopCounters | undefined;

  /** The present view. @throws CommandFailure if the controller is lost */
  async view(connection: Connection, nowMs: number, signal: AbortSignal): Promise<TopView> {
    const figures = await this.#readable('figures', () => figuresOf(connection));
    const away = await this.#readable('away', () => awayOf(connection));
    await this.#readable('counters', () => this.#count(connection, nowMs));
    await this.#readable('changes', () => this.#read(connection, nowMs, signal));
    return {
      host: new URL(connection.url).host,
      lost: undefined,
      figures,
      counters: this.#counters,
      away: away ?? [],
      changes: this.#changes,
    };
  }

  async #readable<T>(panel: string, read: () => Promise<T>): Promise<T | undefined> {
    if (this.#refused.has(panel)) return undefined;
    try {
      return await read();
    } catch (error) {
      if (!CommandFailure.isNotAllowed(error)) throw error;
      this.#refused.add(panel);
      return undefined;
    }
  }

  async #count(asking: Asking, nowMs: number): Promise<void> {
    const former = this.#counted;
    const isRated = this.#counters?.loginsASecond !== undefined;
    if (former !== undefined && isRated && nowMs - former.atMs < metricsEveryMs) return;
    const text = await countedBy(asking);
    if (text === undefined) return;
    this.#counted = { atMs: nowMs, text };
    const seconds = former === undefined ? 0 : (nowMs - former.atMs) / 1000;
    // A controller that was started again counts from 0.
    const rate = (name: 'logins' | 'sessions') =>
      former === undefined || seconds <= 0
        ? undefined
        : Math.max(0, text[name] - former.text[name]) / seconds;
    this.#counters = {
      isHealthy: text.isHealthy,
      loginsASecond: rate('logins'),
      sessionsASecond: rate('sessions'),
    };
  }

  /** Reads the frames since the last look. */
  async #read(connection: Connection, nowMs: number, stop: AbortSignal): Promise<void> {
    const last = await lastLsn(connection);
    const fromLsn = Math.max(this.#nextLsn ?? 1, last + 1 - framesMax);
    if (fromLsn > last) return;
    const ended = new AbortController();
    const signal = AbortSignal.any([stop, ended.signal]);
    const frames: LogFrame[] = [];
    for await (const part of auditFeed(connection, { fromLsn, signal })) {
      if (part.is === 'frame') frames.push(part.frame);
      this.#nextLsn = part.lsn + 1;
      if (part.lsn >= last) ended.abort();
    }
    this.#names.learn(frames);
    const shown = frames.filter(({ operation }) => operation !== 'authenticate');
    await this.#names.ask(shown, connection);
    const rows = shown.flatMap((frame) => auditRows(frame, this.#names, nowMs, isByPeople));
    const texts = rows.map(({ time, who, what }) => `${time} ${who} ${what}`.trimEnd());
    this.#changes = [...texts.reverse(), ...this.#changes].slice(0, linesMax);
  }
}

/** What people create; sessions and what the controller notes for itself come by the hundred. */
function isByPeople({ kind }: FrameChange): boolean {
  return kind === 'router' || kindOfRecords(kind)?.verbs.includes('create') === true;
}

interface Machine {
  readonly id: string;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
}

async function figuresOf(asking: Asking): Promise<TopFigures> {
  const figures = await dataOf<TopFigures>(asking, '/inspect/figures');
  const processes = await dataOf<readonly { name: string; sinceMs: number }[]>(
    asking,
    '/inspect/processes',
  );
  const machines = await dataOf<readonly Machine[]>(asking, '/inspect/machines');
  const machine = (id: string) => machines.find((one) => one.id === id);
  const sum = (id: string, states: readonly string[]) =>
    states.reduce((total, state) => total + (machine(id)?.counts[state] ?? 0), 0);
  const online = sum('routerPresence', ['online', 'syncing', 'resync']);
  const verified = sum('router', ['verified']);
  return {
    ...figures,
    sinceMs: processes.find(({ name }) => name === 'controller')?.sinceMs ?? 0,
    routersOnline: online,
    routersOffline: Math.max(0, verified - online),
    routersNotEnrolled: sum('router', ['unverified']),
    apiSessions: machine('apiSession')?.total ?? 0,
    apiSessionsPartial: sum('apiSession', ['partial']),
    circuits: machine('circuit')?.total ?? 0,
  };
}

/** Routers that were connected since the start, and are not any more: the last ones first. */
async function awayOf(asking: Asking): Promise<AwayRouter[]> {
  const query = new URLSearchParams({
    filter: 'state = "offline" sort by updatedAt desc',
    limit: String(Math.min(linesMax, pageRows)),
  });
  const path = `/inspect/machines/routerPresence/instances?${query}`;
  const rows = await dataOf<readonly { name: string; id: string; updatedAt: string }[]>(
    asking,
    path,
  );
  return rows.map(({ name, id, updatedAt }) => ({
    name: name || id,
    sinceMs: Date.parse(updatedAt),
  }));
}

async function dataOf<T>(asking: Asking, path: string): Promise<T> {
  return ((await asking.ask('GET', path)) as { readonly data: T }).data;
}

interface Counted {
  readonly isHealthy: boolean;
  readonly logins: number;
  readonly sessions: number;
}

interface Inspected {
  readonly values: readonly { readonly appId: string; readonly value: unknown }[] | null;
}

/** Totals of the metrics; undefined if the controller answers without them. */
async function countedBy(asking: Asking): Promise<Counted | undefined> {
  const inspect = async (appRegex: string, value: string): Promise<Inspected> => {
    const body = { appRegex, requestedValues: [value] };
    return (await asking.ask('POST', '/inspections', body, 'fabric')) as Inspected;
  };
  // Only the controller answers this, so that routers need not be asked for their metrics.
  const { values } = await inspect('.*', 'connected-routers');
  const [controller] = values ?? [];
  if (controller === undefined) return undefined;
  const metrics = await inspect(`^${controller.appId}$`, 'metrics:prometheus');
  const text = String((metrics.values ?? [])[0]?.value ?? '');
  const logins = 'edge_control_authentications_total{';
  const operation = 'edge_control_http_request_duration_seconds_count{operation="createSession"';
  return {
    isHealthy: sumOf(text, (line) => line.startsWith('edge_control_healthy ')) === 1,
    logins: sumOf(text, (line) => line.startsWith(logins) && line.includes('outcome="success"')),
    sessions: sumOf(text, (line) => line.startsWith(operation) && line.includes('status="2xx"')),
  };
}

/** The sum of the samples that a condition takes. */
function sumOf(text: string, isMeant: (line: string) => boolean): number {
  let sum = 0;
  for (const line of text.split('\n')) {
    if (isMeant(line)) sum += Number(line.slice(line.lastIndexOf(' ') + 1));
  }
  return sum;
}
