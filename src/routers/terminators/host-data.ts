// The data that a host wants its clients to be told, as requests of routers and as records have it.

import type { TerminatorRecord } from '../../records/terminator.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import { RouterRequestRefused, retryHints, routerErrors } from '../router-feature.ts';

/** The peer data of a record by the numbers of their headers. */
export function hostDataOf({
  peerData = {},
}: Pick<TerminatorRecord, 'peerData'>): Map<number, Buffer> {
  return new Map(
    Object.entries(peerData).map(([key, text]) => [Number(key), Buffer.from(text, 'base64')]),
  );
}

/**
 * The peer data of a request as records have them; undefined for none.
 * @throws RouterRequestRefused when there are too many
 */
export function storedHostData(
  peerData: Readonly<Record<string, Uint8Array>>,
  values: BoundValues | undefined,
): TerminatorRecord['peerData'] {
  const { hostDataEntriesMax, hostDataBytesMax } = boundsOf(hostDataBounds, values);
  const stored: Record<string, string> = {};
  let entries = 0;
  let bytes = 0;
  for (const [key, value] of Object.entries(peerData)) {
    entries += 1;
    bytes += value.length;
    if (entries > hostDataEntriesMax || bytes > hostDataBytesMax) {
      throw new RouterRequestRefused({
        code: routerErrors.internal,
        retryHint: retryHints.notRetriable,
        text: `peer data has more than ${hostDataEntriesMax} entries or ${hostDataBytesMax} bytes`,
      });
    }
    const { buffer, byteOffset, length } = value;
    stored[key] = Buffer.from(buffer, byteOffset, length).toString('base64');
  }
  return entries === 0 ? undefined : stored;
}

/** Bounds of what a host wants to be told. */
export const hostDataBounds = {
  /** Entries of the peer data of a terminator; hosts send one to three. @bound per entity */
  hostDataEntriesMax: 32,
  /**
   * Bytes of all values of the peer data of a terminator. Most are a public key of 32 bytes; with
   * this bound, all terminators of a router take at most 80 MB. @bound per entity
   */
  hostDataBytesMax: 8192,
};
