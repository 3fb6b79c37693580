// The live stream: transitions, figures and processes to every attached inspector, at a bounded
// cost.

import type { Lsn } from '../../../../snapshots/journal.ts';
import { callerAgain, concernsCallers } from '../../../auth/callers.ts';
import type { AnswerGate } from '../../../cluster/log/answer-gate.ts';
import { refusing } from '../../../declare/lists/list-query.ts';
import { ApiError, fieldError } from '../../../errors/errors.ts';
import { sendError } from '../../../http/application/answer.ts';
import {
  isOwnOrigin,
  type Socket,
  type SocketHandler,
  type SocketListener,
} from '../../../http/server/sockets.ts';
import type { Log } from '../../../observe/logs.ts';
import type { HttpReply, HttpRequest } from '../../../platform/http-exchange.ts';
import type { Timer } from '../../../platform/ports.ts';
import { boundsOf } from '../../../settings/bounds.ts';
import type { StreamMessage } from '../../messages.ts';
import type { InspectEnvironment } from '../context.ts';
import { MapFeed } from '../map/map-feed.ts';
import { Attached, type StreamFormat } from './attached-inspector.ts';
import { GatedSocket } from './gated-socket.ts';
import { StreamBatch, TransitionTexts } from './stream-batch.ts';
import { type StreamFilter, StreamFilters } from './stream-filter.ts';
import type { TicketHolder } from './tickets.ts';
import { type DurableTransitions, TransitionFeed } from './transition-feed.ts';

/** `GET /edge/management/v1/inspect/stream`, as a WebSocket. */
export class InspectStream implements SocketHandler {
  readonly path = '/edge/management/v1/inspect/stream';
  readonly #env: InspectEnvironment;
  readonly #log: Log;
  readonly #gate: AnswerGate | undefined;
  readonly #bounds: typeof streamBounds;
  readonly #feed: TransitionFeed;
  readonly #filters: StreamFilters;
  readonly #map: MapFeed;
  readonly #attached = new Set<Attached>();
  /** Inspectors that wait for another filter, the longest waiting first. */
  readonly #waiting = new Set<Attached>();
  #timer: Timer | undefined;
  /** Monotonic ms at which the next second begins. */
  #secondAt = 0;
  /** Whether a commit may have taken an inspector's right to look. */
  #isDoubtful = false;
  /** Transitions that inspectors missed since the start. */
  #dropped = 0;

  /** @param gate says what may leave; absent where there is no cluster */
  constructor(env: InspectEnvironment, log: Log, gate?: AnswerGate) {
    this.#env = env;
    this.#gate = gate;
    this.#log = log;
    this.#filters = new StreamFilters(env.bounds);
    this.#map = new MapFeed(env, log);
    this.#bounds = boundsOf(streamBounds, env.bounds);
    this.#feed = new TransitionFeed(env.store, inspectorRingTransitionsMax, (changes) => {
      this.#isDoubtful ||= concernsCallers(changes);
    });
  }

  /** For metrics. */
  get figures(): { readonly attached: number; readonly dropped: number } {
    return { attached: this.#attached.size, dropped: this.#dropped };
  }

  upgrade(
    request: HttpRequest,
    reply: HttpReply,
  ): ((socket: Socket) => SocketListener) | undefined {
    const { ids, addresses } = this.#env;
    try {
      return this.#admit(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      sendError(reply, error, ids.request(), [['ziti-instance-id', addresses.instanceId]]);
      return undefined;
    }
  }

  /** @throws ApiError */
  #admit(request: HttpRequest): (socket: Socket) => SocketListener {
    if (!isOwnOrigin(request.header('origin'), request.header('host'))) {
      throw new ApiError('UNAUTHORIZED', { status: 403 });
    }
    if (this.#gate?.isOpen === false) throw new ApiError('STORAGE_UNAVAILABLE');
    const query = new URLSearchParams(request.query);
    const holder = this.#env.tickets.take(query.get('ticket') ?? '');
    if (holder === undefined || !this.#mayLook(holder)) throw new ApiError('UNAUTHORIZED');
    if (this.#attached.size >= this.#env.limits.inspectorsMax) throw new ApiError('RATE_LIMITED');
    const format = formatOf(query.get('format') ?? '');
    const text = query.get('filter') ?? '';
    const filter = refusing('INVALID_FILTER', 'filter', text, () => this.#filters.use(text));
    return (socket) => this.#attach(socket, holder, format, filter);
  }

  #attach(
    socket: Socket,
    holder: TicketHolder,
    format: StreamFormat,
    filter: StreamFilter,
  ): SocketListener {
    const { clock, limits, bounds } = this.#env;
    this.#feed.start();
    const attached = new Attached({
      socket: this.#gate === undefined ? socket : new GatedSocket(socket, this.#gate),
      holder,
      format,
      filter,
      limits,
      bounds,
      filters: this.#filters,
      reportedLsn: this.#feed.reportedLsn,
      wants: (one) => this.#waiting.add(one),
      wantsMap: (one, request) => this.#map.watch(one, request),
      left: (one) => this.#leave(one),
    });
    this.#attached.add(attached);
    attached.greet(clock.now());
    if (this.#timer === undefined) this.#arm();
    return attached;
  }

  #leave(attached: Attached): void {
    this.#attached.delete(attached);
    this.#waiting.delete(attached);
    this.#map.leave(attached);
    if (this.#attached.size > 0) return;
    this.#feed.stop();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#env.clock.after(inspectorFlushMs, () => this.#flush());
  }

  #flush(): void {
    this.#arm();
    if (this.#gate?.isOpen === false) return;
    try {
      const now = this.#env.clock.monotonic();
      const isSecond = now >= this.#secondAt;
      if (isSecond || this.#isDoubtful) this.#dismissEnded();
      this.#changeFilters();
      const batch = this.#feed.flush();
      if (batch.length > 0 || batch.lost > 0) this.#tell(batch);
      this.#map.flush(isSecond);
      if (isSecond) this.#second(now, batch.lsn);
    } catch (err) {
      this.#log.error({ err }, 'the inspector stream failed');
    }
  }

  /**
   * Compiles at most one filter per flush, which takes up to 4 ms; other inspectors wait for the
   * next flush. A text that is replaced in the meantime is never compiled.
   */
  #changeFilters(): void {
    let hasCompiled = false;
    for (const attached of this.#waiting) {
      const isFree = this.#filters.isFree(attached.wanted ?? '');
      // A slow inspector would not receive the message.
      if (attached.isSlow || (hasCompiled && !isFree)) continue;
      hasCompiled ||= !isFree;
      this.#waiting.delete(attached);
      attached.changeFilter();
    }
  }

  /** Searches a flush once per filter. */
  #tell(batch: DurableTransitions): void {
    const { limits } = this.#env;
    const groups = new Map<StreamFilter, Attached[]>();
    let readers = 0;
    for (const attached of this.#attached) {
      if (attached.isResting) continue;
      const group = groups.get(attached.filter);
      if (group === undefined) groups.set(attached.filter, [attached]);
      else group.push(attached);
      if (!attached.isSlow) readers += attached.format === 'stately' ? statelyWeight : 1;
    }
    const share = Math.max(1, Math.floor(this.#bounds.inspectorSendsMax / Math.max(1, readers)));
    const transitionsMax = Math.min(this.#bounds.inspectorTransitionsMax, share);
    const steps = Math.floor(inspectorFilterStepsMax / Math.max(1, groups.size));
    const texts = new TransitionTexts();
    for (const [filter, group] of groups) {
      const taken = filter.take(batch, transitionsMax, steps);
      const messages = new StreamBatch(taken, batch.lsn, texts, limits.inspectorBufferBytesMax);
      for (const attached of group) this.#dropped += attached.tell(messages);
    }
  }

  #second(nowMs: number, lsn: Lsn): void {
    this.#secondAt = nowMs + 1000;
    const { observation } = this.#env;
    const messages = [
      encoded({ type: 'figures', figures: observation.figures() }),
      encoded({ type: 'processes', processes: observation.processes() }),
    ];
    const timeMs = this.#env.clock.now();
    for (const attached of this.#attached) {
      attached.sendProgress(lsn, timeMs);
      attached.sendAll(messages);
      attached.second();
    }
  }

  #dismissEnded(): void {
    this.#isDoubtful = false;
    for (const attached of this.#attached) {
      if (!this.#mayLook(attached.holder)) attached.dismiss();
    }
  }

  /**
   * Watching the stream does not count as activity, so a session that only watches ends when it has
   * been idle long enough.
   */
  #mayLook({ caller, bearerTokens }: TicketHolder): boolean {
    const now = callerAgain({ env: this.#env, bearerTokens }, caller);
    return now !== 'invalid' && now.isAdmin && !now.isPartial;
  }
}

/**
 * The cost of a Stately inspector: three messages per transition, and the machine with the first
 * one.
 */
const statelyWeight = 10;

function formatOf(text: string): StreamFormat {
  if (text === '' || text === 'stately') return text === '' ? 'own' : 'stately';
  throw fieldError('format', 'must be stately or absent', text);
}

function encoded(message: StreamMessage): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

/** Between two messages about transitions: what people see as at once. @bound */
const inspectorFlushMs = 100;

/**
 * Transitions kept until they are durable and told, 200 bytes each; one more is dropped and
 * counted. In 100 ms a controller makes some 2,000. @bound per controller
 */
const inspectorRingTransitionsMax = 20_000;

/** Steps of all inspectors' filters per flush, 2 ms of the main thread. @bound */
const inspectorFilterStepsMax = 40_000;

const streamBounds = {
  /** Transitions of one message to an inspector, 300 bytes each. @bound */
  inspectorTransitionsMax: 200,
  /** Transitions sent to all inspectors per flush, 6 MB per second. @bound per controller */
  inspectorSendsMax: 2000,
};
