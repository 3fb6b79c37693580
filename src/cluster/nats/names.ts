// What the things of a data set are called at a NATS server.

import type { Generation } from '../contract.ts';

/** A data set in one of its generations. Its names tell all of this. */
export interface DataSet {
  /** Lower-case letters, digits and hyphens, at most 32: see `isDataSetName`. */
  readonly name: string;
  readonly generation: Generation;
}

/** Whether a data set can have this name: it is part of names of streams and of subjects. */
export function isDataSetName(name: string): boolean {
  return /^[a-z0-9-]{1,32}$/.test(name);
}

/** The stream of a data set's log. */
export function logStream({ name, generation }: DataSet): string {
  return `EDGE_${name}_${generation}`;
}

/** The one subject of that stream. */
export function logSubject({ name, generation }: DataSet): string {
  return `edge.${name}.${generation}.log`;
}

/** The subjects of the logs of all generations. */
export function logSubjects(name: string): string {
  return `edge.${name}.*.log`;
}

/** The generation of a log's stream; undefined if it belongs to another data set. */
export function generationOf(name: string, stream: string): Generation | undefined {
  const prefix = `EDGE_${name}_`;
  if (!stream.startsWith(prefix)) return undefined;
  const digits = stream.slice(prefix.length);
  return /^[1-9][0-9]{0,8}$/.test(digits) ? Number(digits) : undefined;
}

/** The key-value bucket of its members. */
export function membersBucket({ name, generation }: DataSet): string {
  return `EDGE_${name}_${generation}_members`;
}

/** The stream behind a key-value bucket, as all clients of NATS name it. */
export function keyValueStream(bucket: string): string {
  return `KV_${bucket}`;
}

/** The subject of a key. */
export function keySubject(bucket: string, key: string): string {
  return `$KV.${bucket}.${key}`;
}

/** The object store of its snapshots. */
export function snapshotsBucket({ name, generation }: DataSet): string {
  return `EDGE_${name}_${generation}_snapshots`;
}

/** The stream behind an object store, as all clients of NATS name it. */
export function objectStream(bucket: string): string {
  return `OBJ_${bucket}`;
}

/** Subjects of the entries of all objects; the last token is the object's name in base64url. */
export function objectEntries(bucket: string): string {
  return `$O.${bucket}.M.>`;
}
