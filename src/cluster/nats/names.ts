// What the things of a data set are called at a NATS server.

import type { Generation } from '../stream.ts';

/** A data set in one of its generations. Its names tell all of this. */
export interface DataSet {
  /** 32 hex digits. */
  readonly dataSetId: string;
  readonly generation: Generation;
}

/** The stream of a data set's log. */
export function logStream({ dataSetId, generation }: DataSet): string {
  return `EDGE_${dataSetId}_${generation}`;
}

/** The one subject of that stream. */
export function logSubject({ dataSetId, generation }: DataSet): string {
  return `edge.${dataSetId}.${generation}.log`;
}

/** Where a node is asked how far it is. No stream keeps these messages. */
export function positionSubject({ dataSetId, generation }: DataSet, nodeId: string): string {
  return `edge.${dataSetId}.${generation}.node.${nodeId}`;
}

/** The subjects of the logs of all data sets and generations. */
export const logSubjects = 'edge.*.*.log';

/** The data set whose log a stream is; undefined if it is another stream. */
export function dataSetOfLog(stream: string): DataSet | undefined {
  const [, dataSetId, digits] = /^EDGE_([0-9a-f]{32})_([1-9][0-9]{0,8})$/.exec(stream) ?? [];
  if (dataSetId === undefined || digits === undefined) return undefined;
  return { dataSetId, generation: Number(digits) };
}

/** The key-value bucket of its members. */
export function membersBucket({ dataSetId, generation }: DataSet): string {
  return `EDGE_${dataSetId}_${generation}_members`;
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
export function snapshotsBucket({ dataSetId, generation }: DataSet): string {
  return `EDGE_${dataSetId}_${generation}_snapshots`;
}

/** The stream behind an object store, as all clients of NATS name it. */
export function objectStream(bucket: string): string {
  return `OBJ_${bucket}`;
}

/** Subjects of the entries of all objects; the last token is the object's name in base64url. */
export function objectEntries(bucket: string): string {
  return `$O.${bucket}.M.>`;
}

/** The subject of the entry of one object. */
export function objectEntry(bucket: string, name: string): string {
  const encoded = Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  return `$O.${bucket}.M.${encoded}`;
}

/** Subjects of the content of all objects; the last token is the id that an entry tells. */
export function objectContents(bucket: string): string {
  return `$O.${bucket}.C.>`;
}

/** The subject of the content of one object, by the id that its entry tells. */
export function objectContent(bucket: string, id: string): string {
  return `$O.${bucket}.C.${id}`;
}
