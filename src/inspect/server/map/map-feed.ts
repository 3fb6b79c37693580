// Sends the map to the inspectors that want it: all routers and links, then their changes, and the
// circuits of one service.

import type { Lsn } from '../../../../snapshots/journal.ts';
import type { Log } from '../../../observe/logs.ts';
import { boundsOf } from '../../../settings/bounds.ts';
import { inSlices } from '../../../turns/slices.ts';
import type { StreamMessage, StreamRequest } from '../../messages.ts';
import type { InspectEnvironment } from '../context.ts';
import { MapChanges, type MapMember } from './map-changes.ts';
import { circuitsOfService, mapRow } from './map-rows.ts';

/** An inspector that looks at the map. */
interface MapReader {
  /** Whether so much is buffered for it that nothing more is sent. */
  readonly isSlow: boolean;
  sendAll(messages: readonly Uint8Array[]): void;
}

/** What an inspector wants of the map. */
export type MapRequest = Extract<StreamRequest, { readonly type: 'map' }>;

/** How far one of them was told. */
interface Told {
  serviceId: string;
  /** The newest removal that was forgotten when it was told first; undefined before that. */
  begunAt: number | undefined;
  /** The last change that it was told. */
  upTo: number;
  /** Whether it was told that it knows everything there is. */
  isWhole: boolean;
  /** Whether it knows the circuits of the service as they were at some time. */
  hasCircuits: boolean;
}

/**
 * Each inspector reads the last changes at its own pace, so one that is slow misses nothing, and is
 * told of many changes to a row once.
 */
export class MapFeed {
  readonly #env: InspectEnvironment;
  readonly #log: Log;
  readonly #bounds: typeof mapBounds;
  readonly #changes: MapChanges;
  /** The one that was told last at the end. */
  readonly #readers = new Map<MapReader, Told>();
  /** Services that had circuits which were not durable when their circuits were sent. */
  #late = new Set<string>();

  constructor(env: InspectEnvironment, log: Log) {
    this.#env = env;
    this.#log = log;
    this.#bounds = boundsOf(mapBounds, env.bounds);
    this.#changes = new MapChanges(env.store);
  }

  /** An inspector says what it wants from now on. */
  watch(reader: MapReader, { isWanted, serviceId }: MapRequest): void {
    if (!isWanted) {
      this.leave(reader);
      return;
    }
    const told = this.#readers.get(reader);
    if (told !== undefined) {
      told.hasCircuits &&= told.serviceId === serviceId;
      told.serviceId = serviceId;
      return;
    }
    if (this.#readers.size === 0) this.#start();
    this.#readers.set(reader, { serviceId, ...nothingTold, hasCircuits: false });
  }

  /** An inspector has detached, or looks at something else. */
  leave(reader: MapReader): void {
    if (this.#readers.delete(reader) && this.#readers.size === 0) this.#changes.stop();
  }

  /** Sends what is new and durable. @param isSecond a second has passed since the last such call */
  flush(isSecond: boolean): void {
    if (this.#readers.size === 0) return;
    if (isSecond) this.#changes.noteLoads();
    const flush = { lsn: this.#env.store.journal.durableLsn, texts: new Map<MapMember, string>() };
    let room = this.#bounds.mapFlushBytesMax;
    for (const [reader, told] of [...this.#readers]) {
      if (room <= 0) break;
      const sent = this.#tell(reader, told, flush, Math.min(room, this.#bounds.mapReaderBytesMax));
      if (sent === 0) continue;
      room -= sent;
      this.#readers.delete(reader);
      this.#readers.set(reader, told);
    }
    this.#tellCircuits(isSecond ? this.#changedServices() : noServices);
  }

  #changedServices(): ReadonlySet<string> {
    const changed = new Set([...this.#changes.takeServices(), ...this.#late]);
    this.#late = new Set();
    return changed;
  }

  #start(): void {
    const { clock } = this.#env;
    inSlices(this.#changes.start(), clock, this.#bounds.mapSliceMs).catch((err: unknown) => {
      this.#log.error({ err }, 'the map could not be gathered');
    });
  }

  /** @returns how many bytes were sent */
  #tell(reader: MapReader, told: Told, flush: Flush, bytesMax: number): number {
    let sent = 0;
    while (sent < bytesMax && !reader.isSlow) {
      const message = this.#next(told, flush);
      if (message === undefined) break;
      reader.sendAll([message]);
      sent += message.length;
    }
    return sent;
  }

  /** The next message; undefined if there is nothing new. */
  #next(told: Told, flush: Flush): Buffer | undefined {
    const { log } = this.#changes;
    const { begunAt = -1 } = told;
    // One that was too slow may know rows that are gone without having been told so.
    const isFirst = begunAt < 0 || log.forgottenAt > Math.max(begunAt, told.upTo);
    if (isFirst) Object.assign(told, nothingTold);
    const rows: string[] = [];
    const gone: string[] = [];
    let bytes = 0;
    for (const member of log.after(told.upTo, mapMessageRowsMax)) {
      if (member.lsn > flush.lsn || bytes > mapMessageBytesMax) break;
      told.upTo = member.changedAt;
      const { kind, id } = member;
      const text = member.isRemoved ? undefined : this.#textOf(member, flush);
      if (text === undefined) gone.push(JSON.stringify({ kind, id }));
      else rows.push(text);
      bytes += text?.length ?? id.length;
    }
    const isWhole = this.#changes.isBuilt && told.upTo >= log.last;
    if (bytes === 0 && (told.isWhole || !isWhole)) return undefined;
    told.isWhole ||= isWhole;
    if (isFirst) told.begunAt = log.forgottenAt;
    const lists = `"gone":[${gone.join(',')}],"rows":[${rows.join(',')}]`;
    return Buffer.from(`{"type":"map","isFirst":${isFirst},${lists},"isWhole":${isWhole}}`);
  }

  /** One text for all inspectors of a flush. */
  #textOf(member: MapMember, { texts }: Flush): string | undefined {
    let text = texts.get(member);
    if (text === undefined) {
      const row = mapRow(this.#env, member.kind, member.id);
      if (row === undefined) return undefined;
      texts.set(member, (text = JSON.stringify(row)));
    }
    return text;
  }

  #tellCircuits(changed: ReadonlySet<string>): void {
    const messages = new Map<string, Buffer>();
    for (const [reader, told] of this.#readers) {
      const { serviceId } = told;
      told.hasCircuits &&= !changed.has(serviceId);
      if (serviceId === '' || told.hasCircuits || reader.isSlow) continue;
      told.hasCircuits = true;
      let message = messages.get(serviceId);
      if (message === undefined) messages.set(serviceId, (message = this.#circuits(serviceId)));
      reader.sendAll([message]);
    }
  }

  #circuits(serviceId: string): Buffer {
    const { isDurable, ...found } = circuitsOfService(
      this.#env,
      serviceId,
      this.#bounds.mapCircuitsMax,
    );
    if (!isDurable) this.#late.add(serviceId);
    const message: StreamMessage = { type: 'circuits', serviceId, ...found };
    return Buffer.from(JSON.stringify(message));
  }
}

interface Flush {
  /** Up to this frame everything is durable. */
  readonly lsn: Lsn;
  readonly texts: Map<MapMember, string>;
}

const nothingTold = { begunAt: undefined, upTo: 0, isWhole: false } as const;

const noServices: ReadonlySet<string> = new Set();

/** Rows of one message to an inspector, and their bytes, after which it ends. @bound */
const mapMessageRowsMax = 500;
/** Bytes of the rows of one message, half of what an inspector may leave unread. @bound */
const mapMessageBytesMax = 64 * 1024;

const mapBounds = {
  /**
   * Bytes of routers and links that one inspector is sent per flush: 1,000 routers and 5,000 links
   * take half a second. @bound per connection
   */
  mapReaderBytesMax: 256 * 1024,
  /** The same for all inspectors, some 5 ms of the main thread. @bound per controller */
  mapFlushBytesMax: 1024 * 1024,
  /** Circuits of the chosen service that are sent; more make no picture. @bound */
  mapCircuitsMax: 200,
  /** A slice of the work in which all routers and links are gathered. @bound */
  mapSliceMs: 2,
};
