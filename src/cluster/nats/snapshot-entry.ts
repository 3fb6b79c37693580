// What stands beside a shared snapshot: facts about it, and a MAC by which nodes know that one of
// them has written it.

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { SharedSnapshot } from '../shared-snapshots.ts';

/** The facts about a snapshot that its MAC covers. */
export interface SealedFacts extends Omit<SharedSnapshot, 'name'> {
  /** SHA-256 of the file, in hex. */
  readonly digest: string;
}

/** A snapshot whose entry is right. */
export interface KnownSnapshot {
  readonly snapshot: SharedSnapshot;
  /** SHA-256 of the file, in hex. */
  readonly digest: string;
}

/** The key of the MACs of one object store. */
export interface EntrySeal {
  readonly bucket: string;
  readonly key: Buffer;
}

/**
 * @param sealingKey shared by all nodes, and unknown to NATS. The key of groups is derived from it,
 *   too, and differs, so that no MAC is right in both places (RFC 5869).
 */
export function entrySeal(bucket: string, sealingKey: Buffer): EntrySeal {
  const key = Buffer.from(hkdfSync('sha256', sealingKey, '', 'edge-control snapshots', 32));
  return { bucket, key };
}

/** Names by LSN and checksum: names in order are snapshots in order. */
export function snapshotName({ lsn, crc }: Pick<SharedSnapshot, 'lsn' | 'crc'>): string {
  return `snapshot-${`${lsn}`.padStart(16, '0')}-${crc.toString(16).padStart(8, '0')}`;
}

/** Whether an object may be a snapshot, by its name. */
export function isSnapshotName(name: string): boolean {
  return /^snapshot-\d{16}-[0-9a-f]{8}$/.test(name);
}

/** The fields that are kept with a snapshot. */
export function entryOf(seal: EntrySeal, facts: SealedFacts): Record<string, string> {
  const { generation, lsn, crc, sequence, digest } = facts;
  return {
    generation: `${generation}`,
    lsn: `${lsn}`,
    crc: `${crc}`,
    sequence: `${sequence}`,
    digest,
    mac: macOf(seal, facts),
  };
}

/** Reads them; undefined if one is missing, or if the MAC is not that of these facts. */
export function readEntry(
  seal: EntrySeal,
  name: string,
  bytes: number,
  fields: Readonly<Record<string, string>>,
): KnownSnapshot | undefined {
  const { digest, mac } = fields;
  if (typeof digest !== 'string' || typeof mac !== 'string') return undefined;
  const [generation, lsn, crc, sequence] = ['generation', 'lsn', 'crc', 'sequence'].map((field) =>
    numberOf(fields[field]),
  );
  if (generation === undefined || lsn === undefined) return undefined;
  if (crc === undefined || sequence === undefined) return undefined;
  const facts = { generation, lsn, crc, sequence, bytes };
  if (!isEqual(mac, macOf(seal, { ...facts, digest }))) return undefined;
  return snapshotName(facts) === name ? { snapshot: { name, ...facts }, digest } : undefined;
}

/** Compares in constant time. */
export function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function macOf({ bucket, key }: EntrySeal, facts: SealedFacts): string {
  const { generation, lsn, crc, sequence, bytes, digest } = facts;
  const text = ['snapshot', bucket, generation, lsn, crc, sequence, bytes, digest].join();
  return createHmac('sha256', key).update(text).digest('hex');
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
