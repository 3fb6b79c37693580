// How the streams of a data set are configured, and how a server's configuration differs from that.

import type { StreamConfig } from '@nats-io/jetstream';
import {
  type DataSet,
  keyValueStream,
  logStream,
  logSubject,
  membersBucket,
  objectStream,
  snapshotsBucket,
} from './names.ts';

/** What the operator decides about the streams. */
export interface StreamSettings {
  /** Copies of each message, from 1 to 5; 3 where there are three servers. */
  readonly replicas: number;
}

/** A configuration as the server tells it. */
export type Configuration = Readonly<Record<string, unknown>> & { readonly name: string };

/** The shortest time for which a server remembers ids of messages: we send none. */
const duplicateWindowNanos = 120_000_000_000;

/**
 * What all three have in common: they keep everything until it is purged, on disk, and nobody
 * but the stream's leader answers for them.
 */
function common({ replicas }: StreamSettings) {
  return {
    retention: 'limits',
    storage: 'file',
    num_replicas: replicas,
    max_consumers: -1,
    max_msgs: -1,
    max_bytes: -1,
    max_age: 0,
    max_msg_size: -1,
    duplicate_window: duplicateWindowNanos,
    compression: 'none',
    allow_direct: false,
    mirror_direct: false,
    sealed: false,
  } as const;
}

/** The log: nothing in it can be deleted or replaced, only its beginning can be purged. */
export function logConfiguration(dataSet: DataSet, settings: StreamSettings): Configuration {
  return {
    ...common(settings),
    name: logStream(dataSet),
    subjects: [logSubject(dataSet)],
    discard: 'old',
    max_msgs_per_subject: -1,
    deny_delete: true,
    deny_purge: false,
    allow_rollup_hdrs: false,
  };
}

/** The members: one value per key, and keys that may expire. */
export function membersConfiguration(dataSet: DataSet, settings: StreamSettings): Configuration {
  const bucket = membersBucket(dataSet);
  return {
    ...common(settings),
    name: keyValueStream(bucket),
    subjects: [`$KV.${bucket}.>`],
    discard: 'new',
    max_msgs_per_subject: 1,
    deny_delete: true,
    deny_purge: false,
    allow_rollup_hdrs: true,
    allow_msg_ttl: true,
  };
}

/** The snapshots, laid out as all clients of NATS lay out an object store. */
export function snapshotsConfiguration(dataSet: DataSet, settings: StreamSettings): Configuration {
  const bucket = snapshotsBucket(dataSet);
  return {
    ...common(settings),
    name: objectStream(bucket),
    subjects: [`$O.${bucket}.C.>`, `$O.${bucket}.M.>`],
    discard: 'new',
    max_msgs_per_subject: -1,
    deny_delete: false,
    deny_purge: false,
    allow_rollup_hdrs: true,
  };
}

/** Fields in which servers may do as they like, and which change nothing for us. */
const freeFields = new Set(['metadata', 'placement', 'description', 'consumer_limits']);

/**
 * Fields on which the safety of the log rests: by another value, the stream could lose, change or
 * add messages, acknowledge them too early, or take none. No other field keeps a node from leading,
 * because servers of later releases have fields of which this one knows nothing.
 */
const safetyFields = new Set([
  'subjects',
  'retention',
  'storage',
  'num_replicas',
  'max_msgs',
  'max_bytes',
  'max_age',
  'max_msgs_per_subject',
  'max_msg_size',
  'deny_delete',
  'allow_rollup_hdrs',
  'allow_msg_ttl',
  'allow_msg_counter',
  'allow_msg_schedules',
  'mirror',
  'sources',
  'subject_transform',
  'no_ack',
  'persist_mode',
  'sealed',
]);

/** The harm that other fields of the log do, although none of them can lose a message. */
const hindrances: ReadonlyMap<string, string> = new Map([
  ['max_consumers', 'The nodes lead nevertheless, but some may find no way to follow.'],
  ['deny_purge', 'The nodes lead nevertheless, but the log grows until NATS is full.'],
]);

/**
 * Compares a configuration with the one that it has to be. Fields that this release does not know
 * have to be off.
 * @returns one sentence per field that differs, by the names of the fields
 */
export function differences(
  wanted: Configuration,
  actual: Readonly<Record<string, unknown>>,
): readonly string[] {
  return differingFields(wanted, actual).map((field) => sentenceOf(field, wanted, actual));
}

/**
 * As `differences`, for the stream of a log: each sentence also says whether that keeps nodes from
 * leading (behaviour/cluster#the-stream-at-nats).
 */
export function logDifferences(
  wanted: Configuration,
  actual: Readonly<Record<string, unknown>>,
): readonly string[] {
  const unsafe = new Set(unsafeFields(wanted, actual));
  return differingFields(wanted, actual).map((field) => {
    const consequence = unsafe.has(field)
      ? 'Until then no node begins to lead.'
      : (hindrances.get(field) ?? 'The nodes follow, relay and lead nevertheless.');
    return `${sentenceOf(field, wanted, actual)} ${consequence}`;
  });
}

/**
 * Why no node may lead: what differs between the configuration of a log's stream and ours in a
 * field on which the log's safety rests, in one line. Undefined if nothing does. A node looks
 * before each term.
 */
export function logFault(
  dataSet: DataSet,
  settings: StreamSettings,
  actual: Readonly<Record<string, unknown>>,
): string | undefined {
  const wanted = logConfiguration(dataSet, settings);
  const unsafe = unsafeFields(wanted, actual);
  if (unsafe.length === 0) return undefined;
  const found = unsafe.map(
    (field) => `${field} is ${text(actual[field])} and has to be ${text(wanted[field])}`,
  );
  return `the stream ${wanted.name} is not configured safely: ${found.join(', ')}`;
}

function sentenceOf(
  field: string,
  wanted: Configuration,
  actual: Readonly<Record<string, unknown>>,
): string {
  const [is, has] = [text(actual[field]), text(wanted[field])];
  const setting =
    field === 'num_replicas'
      ? `, as cluster.replicas says: set that to ${is} on all nodes, or change the stream`
      : '';
  return `Stream ${wanted.name}: ${field} is ${is}, and has to be ${has}${setting}.`;
}

function differingFields(
  wanted: Configuration,
  actual: Readonly<Record<string, unknown>>,
): readonly string[] {
  const fields = new Set([...Object.keys(wanted), ...Object.keys(actual)]);
  return [...fields]
    .filter((field) => !freeFields.has(field) && !isSame(wanted[field], actual[field]))
    .sort();
}

function unsafeFields(
  wanted: Configuration,
  actual: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { num_replicas: copies } = actual;
  // More copies are no danger: they are how a cluster grows.
  const hasMore = Number(copies) > Number(wanted['num_replicas']);
  return differingFields(wanted, actual).filter(
    (field) => safetyFields.has(field) && !(field === 'num_replicas' && hasMore),
  );
}

/** A field that is off is the same as one that is absent. */
function isSame(wanted: unknown, actual: unknown): boolean {
  if (isOff(wanted)) return isOff(actual);
  return JSON.stringify(wanted) === JSON.stringify(actual);
}

function isOff(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return value === 0 || (Array.isArray(value) && value.length === 0) || value === 'default';
}

function text(value: unknown): string {
  return value === undefined ? 'absent' : (JSON.stringify(value) ?? 'absent').slice(0, 100);
}

/** The configuration as the client's types have it: ours are the words of the protocol. */
export function asStreamConfig(
  configuration: Configuration,
): Configuration & Partial<StreamConfig> {
  return configuration;
}
