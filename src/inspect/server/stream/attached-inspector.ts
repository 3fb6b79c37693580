// One attached inspector: its filter, what it was sent, and what it missed.

import type { Lsn } from '../../../../snapshots/journal.ts';
import { FilterError } from '../../../filter/scope.ts';
import { closeCodes, type Socket, type SocketListener } from '../../../http/server/sockets.ts';
import { type BoundValues, boundsOf } from '../../../settings/bounds.ts';
import type { Limits } from '../../../settings/limits.ts';
import type { StreamMessage } from '../../messages.ts';
import { statelyDropped } from '../machines/stately.ts';
import type { MapRequest } from '../map/map-feed.ts';
import type { StreamBatch } from './stream-batch.ts';
import type { StreamFilter, StreamFilters } from './stream-filter.ts';
import { streamRequestOf } from './stream-request.ts';
import type { TicketHolder } from './tickets.ts';

/** The format of an inspector's messages: ours, or that of @statelyai/inspect. */
export type StreamFormat = 'own' | 'stately';

/** What an inspector is created with. */
export interface AttachedOptions {
  readonly socket: Socket;
  readonly holder: TicketHolder;
  readonly format: StreamFormat;
  /** Its filter, which it must give back. */
  readonly filter: StreamFilter;
  readonly filters: StreamFilters;
  readonly limits: Pick<Limits, 'inspectorBufferBytesMax'>;
  readonly bounds?: BoundValues | undefined;
  /** Everything up to this frame was sent, or is older than the attachment. */
  readonly reportedLsn: Lsn;
  /** It requests another filter: `changeFilter` must be called when it is its turn. */
  readonly wants: (attached: Attached) => void;
  /** It wants the map, another part of it, or no map any more. */
  readonly wantsMap: (attached: Attached, request: MapRequest) => void;
  /** It has detached. */
  readonly left: (attached: Attached) => void;
}

/** The controller's end of one inspector's stream. */
export class Attached implements SocketListener {
  readonly holder: TicketHolder;
  readonly format: StreamFormat;
  isPaused = false;
  readonly #options: AttachedOptions;
  readonly #bounds: typeof attachedBounds;
  readonly #socket: Socket;
  #filter: StreamFilter;
  /** Text of the filter that it requested last and does not have yet. */
  #wanted: string | undefined;
  #reportedLsn: Lsn;
  /** Since the last message of transitions. */
  #dropped = 0;
  /** Messages that it sent in the current second. */
  #heard = 0;
  /** Instances that a Stately inspector already knows, the least recently used first. */
  readonly #met = new Set<string>();

  constructor(options: AttachedOptions) {
    this.#options = options;
    this.#bounds = boundsOf(attachedBounds, options.bounds);
    this.#socket = options.socket;
    this.#filter = options.filter;
    this.#reportedLsn = options.reportedLsn;
    this.holder = options.holder;
    this.format = options.format;
  }

  get filter(): StreamFilter {
    return this.#filter;
  }

  /** Text of the filter that it waits for. */
  get wanted(): string | undefined {
    return this.#wanted;
  }

  /** Whether it is sent no transitions now, because it has given up its former filter. */
  get isResting(): boolean {
    return this.isPaused || this.#wanted !== undefined;
  }

  /** Whether so much is buffered for it that nothing more is sent. */
  get isSlow(): boolean {
    return this.#socket.bufferedBytes > this.#options.limits.inspectorBufferBytesMax;
  }

  /**
   * Sends the transitions that passed its filter. A slow inspector misses them, and is told later
   * how many.
   * @returns how many transitions of the batch were not sent to it
   */
  tell(batch: StreamBatch): number {
    if (this.isResting) return 0;
    const { transitions, dropped } = batch.taken;
    if (transitions.length === 0 || this.isSlow) {
      const missed = transitions.length + dropped;
      this.#dropped += missed;
      return missed;
    }
    const missed = this.format === 'stately' ? this.#tellStately(batch) : batch.dropped;
    if (this.format === 'own') this.#socket.send(batch.message(this.#dropped));
    this.#dropped = 0;
    this.#reportedLsn = batch.lsn;
    return missed;
  }

  /** Sends its position when there was nothing else to send, and what it missed. */
  sendProgress(lsn: Lsn, timeMs: number): void {
    if (this.isResting || this.isSlow) return;
    if (this.format === 'stately') {
      if (this.#dropped > 0) this.#socket.send(...statelyDropped(this.#dropped, timeMs));
    } else if (lsn > this.#reportedLsn || this.#dropped > 0) {
      this.#say({ type: 'transitions', transitions: [], dropped: this.#dropped, lsn });
    }
    this.#dropped = 0;
    this.#reportedLsn = lsn;
  }

  /** Sends a message that was made for all inspectors. A slow one misses it. */
  sendAll(messages: readonly Uint8Array[]): void {
    if (this.format === 'own' && !this.isSlow) this.#socket.send(...messages);
  }

  /** A second has passed: it may send messages again. */
  second(): void {
    this.#heard = 0;
  }

  /** Closes it, because its session has ended or is no longer that of an administrator. */
  dismiss(): void {
    this.#socket.close(closeCodes.policy, 'the session has ended or lost its rights');
  }

  /** Greets it. */
  greet(timeMs: number): void {
    if (this.format === 'own') this.#say({ type: 'attached', lsn: this.#reportedLsn, timeMs });
  }

  message(text: string): void {
    this.#heard += 1;
    if (this.#heard > this.#bounds.inspectorMessagesMax) {
      this.#socket.close(closeCodes.policy, 'too many messages');
      return;
    }
    const request = streamRequestOf(text);
    if (typeof request === 'string') this.#refuse(request);
    else if (request.type === 'filter') this.#wants(request.filter);
    else if (request.type === 'map') this.#wantsMap(request);
    else this.isPaused = request.type === 'pause';
  }

  closed(): void {
    this.#options.filters.giveBack(this.#filter);
    this.#options.left(this);
  }

  /** Gives it the filter that it waits for. If that filter is invalid, it keeps the one it has. */
  changeFilter(): void {
    const text = this.#wanted;
    if (text === undefined) return;
    this.#wanted = undefined;
    try {
      this.#filter = this.#options.filters.use(text, this.#filter);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      this.#refuse(`${error.message} (at position ${error.position})`, text);
      return;
    }
    // Transitions of the former filter do not count as missed by the new one.
    this.#dropped = 0;
    if (this.format === 'own') this.#say({ type: 'filtered', filter: text });
  }

  #wants(text: string): void {
    this.#wanted = text;
    this.#options.wants(this);
  }

  /** A Stately inspector has no map. */
  #wantsMap(request: MapRequest): void {
    if (this.format === 'own') this.#options.wantsMap(this, request);
  }

  /** A Stately inspector takes only events of its own format. */
  #refuse(reason: string, filter?: string): void {
    if (this.format !== 'own' || this.isSlow) return;
    const refused = filter === undefined ? {} : { filter };
    this.#say({ type: 'refused', reason, ...refused });
  }

  /**
   * Sends no more than may be buffered, as messages include machines. @returns how many were not
   * sent
   */
  #tellStately({ taken, texts }: StreamBatch): number {
    const { inspectorBufferBytesMax } = this.#options.limits;
    const messages: Uint8Array[] = [];
    let { dropped } = taken;
    let bytes = 0;
    for (const transition of taken.transitions) {
      if (bytes > inspectorBufferBytesMax) {
        dropped += 1;
        continue;
      }
      const { sessionId, actor, steps } = texts.stately(transition);
      const told = this.#met.delete(sessionId) ? steps : [actor, ...steps];
      this.#met.add(sessionId);
      for (const message of told) bytes += message.length;
      messages.push(...told);
    }
    for (const sessionId of this.#met) {
      if (this.#met.size <= this.#bounds.inspectorActorsMax) break;
      this.#met.delete(sessionId);
    }
    const missed = this.#dropped + dropped;
    const timeMs = taken.transitions[0]?.timeMs ?? 0;
    if (missed > 0) messages.push(...statelyDropped(missed, timeMs));
    this.#socket.send(...messages);
    return dropped;
  }

  #say(message: StreamMessage): void {
    this.#socket.send(Buffer.from(JSON.stringify(message)));
  }
}

const attachedBounds = {
  /**
   * Messages of one inspector within a second; with more it is closed. Typing a filter makes ten,
   * and compiling one takes up to a millisecond. @bound per connection
   */
  inspectorMessagesMax: 20,
  /** Instances that a Stately inspector was introduced to, 100 bytes each. @bound */
  inspectorActorsMax: 2000,
};
