// The messages by which routers learn of API sessions and sessions
// (behaviour/control-channel#api-session-sync).

import type { Message } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { encodeHeaders, textValue } from '../../channel/headers.ts';
import { edge, encodeMessage } from '../../channel/messages/messages.ts';
import { type ApiSessionRecord, apiSessionKind } from '../../records/api-session.ts';
import {
  type SessionCertificateRecord,
  sessionCertificateKind,
} from '../../records/session-certificate.ts';
import type { DurableFrames } from '../../store/durable-frames.ts';
import type { GroupIndex } from '../../store/indexes.ts';
import type { RoutersEnvironment } from '../context.ts';
import type { ApiSessionRow } from './session-chunks.ts';

const headerKeys = { strategy: 1013, state: 1014 } as const;

const strategy = textValue('instant');

/** The place of a message among those of one full state. */
export interface SyncState {
  /** Greater than that of any earlier sync, as text. */
  readonly id: string;
  readonly isLast: boolean;
  /** From 0. */
  readonly sequence: number;
}

/** `isFullState` of an `ApiSessionAdded`. The fields of a protobuf may come in any order. */
const fullState = Buffer.of(0x08, 0x01);

/** The parts of the controller that messages are made from. */
export interface ApiSessionMessagesOptions {
  readonly env: Pick<RoutersEnvironment, 'store' | 'sealing' | 'clock'>;
  readonly durable: Pick<DurableFrames, 'lsn'>;
}

/** Encodes what routers are told; each body is encoded once for all routers. */
export class ApiSessionMessages {
  readonly #options: ApiSessionMessagesOptions;
  readonly #certificates: GroupIndex<SessionCertificateRecord>;

  constructor(options: ApiSessionMessagesOptions) {
    this.#options = options;
    this.#certificates = options.env.store.table(sessionCertificateKind).group('apiSessionId');
  }

  /** The body of a message of full state: that of an addition, and behind it the mark. */
  fullBody(rows: readonly ApiSessionRow[]): Buffer {
    const apiSessions = this.#shown(rows);
    const body = encodeMessage(edge.ApiSessionAdded, { apiSessions });
    return Buffer.concat([body, fullState]);
  }

  /** One message of a full state; the bodies are of `fullBody`. */
  full(bodies: readonly Buffer[], state: SyncState): Message {
    const [only] = bodies;
    const body =
      bodies.length === 1 && only !== undefined
        ? only
        : Buffer.concat([...bodies.map(additionOf), fullState]);
    return { contentType: contentTypes.apiSessionAdded, headers: headersOf(state), body };
  }

  /** An addition of the API sessions of these bodies, which are of `fullBody`. */
  added(bodies: readonly Buffer[], id: string): Message {
    const [only] = bodies;
    return {
      contentType: contentTypes.apiSessionAdded,
      headers: headersOf({ id, isLast: true, sequence: 0 }),
      body:
        bodies.length === 1 && only !== undefined
          ? additionOf(only)
          : Buffer.concat(bodies.map(additionOf)),
    };
  }

  /** The certificates of these API sessions have changed. */
  updated(rows: readonly ApiSessionRow[]): Message {
    const apiSessions = this.#shown(rows);
    return {
      contentType: contentTypes.apiSessionUpdated,
      headers: updateHeaders,
      body: encodeMessage(edge.ApiSessionUpdated, { apiSessions }),
    };
  }

  /** These API sessions have ended, or the router may not be used by them any more. */
  removed(records: Iterable<ApiSessionRecord>): Message {
    const removed = { tokens: [] as string[], ids: [] as string[] };
    for (const record of records) {
      removed.tokens.push(this.#tokenOf(record));
      removed.ids.push(record.id);
    }
    return removedMessage(removed);
  }

  #shown(rows: readonly ApiSessionRow[]): edge.ApiSession.$Properties[] {
    const table = this.#options.env.store.table(apiSessionKind);
    const shown: edge.ApiSession.$Properties[] = [];
    for (const { record } of rows) {
      // One that ends by a deferred cascade is still there.
      if (table.mayHoldDeleted && table.isLive?.(record) === false) continue;
      const token = this.#tokenOf(record);
      if (token === '') continue;
      const { id, identityId } = record;
      shown.push({ token, certFingerprints: this.#fingerprintsOf(id), id, identityId });
    }
    return shown;
  }

  /** Without certificates that are not durable yet, and issued ones that have expired. */
  #fingerprintsOf(apiSessionId: string): string[] {
    const { env, durable } = this.#options;
    const now = env.clock.now();
    const fingerprints = new Set<string>();
    for (const { record, lsn } of this.#certificates.rows(apiSessionId)) {
      if (lsn > durable.lsn || (record.isIssued && (record.validTo ?? 0) < now)) continue;
      fingerprints.add(record.fingerprint);
    }
    return [...fingerprints];
  }

  /** Empty for a text that cannot be opened, which the integrity run reports. */
  #tokenOf({ id, token }: ApiSessionRecord): string {
    if (token === undefined) return '';
    try {
      const place = { kind: apiSessionKind.kind, id, field: 'token' };
      return this.#options.env.sealing.open(token, place).toString();
    } catch {
      return '';
    }
  }
}

/** API sessions that are no longer valid; routers find them by token or by id. */
export function removedMessage(removed: edge.ApiSessionRemoved.$Properties): Message {
  const body = encodeMessage(edge.ApiSessionRemoved, removed);
  return { contentType: contentTypes.apiSessionRemoved, body };
}

/** Sessions that have ended; routers find them by id. */
export function sessionsRemovedMessage(ids: readonly string[]): Message {
  const body = encodeMessage(edge.SessionRemoved, { tokens: [...ids], ids: [...ids] });
  return { contentType: contentTypes.sessionRemoved, body };
}

const updateHeaders = encodeHeaders([
  [headerKeys.strategy, strategy],
  [headerKeys.state, Buffer.alloc(0)],
]);

const additionOf = (full: Buffer) => full.subarray(0, full.length - fullState.length);

function headersOf({ id, isLast, sequence }: SyncState): Buffer {
  const state = textValue(JSON.stringify({ id, isLast, sequence }));
  return encodeHeaders([
    [headerKeys.strategy, strategy],
    [headerKeys.state, state],
  ]);
}
