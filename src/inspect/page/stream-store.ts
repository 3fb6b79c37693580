// The bounded data of the stream, the page's subscription, and one list of what the stream and the
// log tell of an instance.

import { createStore } from '@xstate/store';
import type {
  Figures,
  ProcessView,
  RecentTransitions,
  StreamMessage,
  Transition,
  TransitionPage,
} from '../messages.ts';
import { formatCount } from './format.ts';
import { afterCircuits, afterRows, type Fabric, noFabric } from './map/fabric.ts';

/** The most transitions that the page keeps for showing. */
const transitionsKeptMax = 500;

/** Two minutes of figures, one per second. */
const figuresKeptMax = 121;

/** The data of the stream that views use. */
export interface StreamState {
  /** Of the connection. */
  readonly phase: 'closed' | 'connecting' | 'live' | 'reconnecting';
  /** Counts each `attached`: what happened in between may have been missed. */
  readonly attachments: number;
  /** Controller's clock minus ours, ms. */
  readonly clockAheadMs: number;
  /** Newest first. */
  readonly transitions: readonly Transition[];
  /** The number of transitions since the view subscribed. */
  readonly toldCount: number;
  readonly droppedCount: number;
  readonly lsn: number;
  /** Oldest first. */
  readonly figures: readonly Figures[];
  readonly processes: readonly ProcessView[] | undefined;
  /** Why the controller refused the last request; empty when it did not. */
  readonly refusal: string;
  /** The transitions that the view subscribes to; undefined for none. */
  readonly filter: string | undefined;
  readonly isPaused: boolean;
  /** Kept after the view has left it, so that it is there at once on the way back. */
  readonly fabric: Fabric;
  /** The service whose circuits the map shows, empty for none; undefined where there is no map. */
  readonly mapService: string | undefined;
}

const noTransitions = { transitions: [], toldCount: 0, droppedCount: 0, refusal: '' } as const;

/** The state before the first message. */
const initialStream: StreamState = {
  phase: 'closed',
  attachments: 0,
  clockAheadMs: 0,
  ...noTransitions,
  lsn: 0,
  figures: [],
  processes: undefined,
  filter: undefined,
  isPaused: false,
  fabric: noFabric,
  mapService: undefined,
};

/** A stream's store, of which the page has one. */
export function createStreamStore() {
  return createStore({
    context: initialStream,
    on: {
      told: (state, { message, nowMs }: { message: StreamMessage; nowMs: number }) =>
        afterMessage(state, message, nowMs),
      connection: (state, { phase }: Pick<StreamState, 'phase'>) => ({ ...state, phase }),
      watch: (state, { filter }: Pick<StreamState, 'filter'>) => ({
        ...state,
        ...noTransitions,
        filter,
        isPaused: false,
      }),
      look: (state, { mapService }: Pick<StreamState, 'mapService'>) => {
        const isSame = state.fabric.circuits?.serviceId === mapService;
        const fabric = isSame ? state.fabric : { ...state.fabric, circuits: undefined };
        return { ...state, fabric, mapService };
      },
      pause: (state, { isPaused }: Pick<StreamState, 'isPaused'>) => ({ ...state, isPaused }),
      clear: (state) => ({ ...state, ...noTransitions }),
      leave: () => initialStream,
    },
  });
}

/** The store that `createStreamStore` makes. */
export type StreamStore = ReturnType<typeof createStreamStore>;

/** The state after one message that came at wall-clock ms `nowMs`. */
function afterMessage(state: StreamState, message: StreamMessage, nowMs: number): StreamState {
  switch (message.type) {
    case 'attached':
      return {
        ...state,
        phase: 'live',
        attachments: state.attachments + 1,
        clockAheadMs: message.timeMs - nowMs,
        lsn: message.lsn,
      };
    case 'transitions': {
      const { transitions, dropped, lsn } = message;
      const told = transitions.length === 0 ? state.transitions : newestFirst(state, transitions);
      const toldCount = state.toldCount + transitions.length;
      const droppedCount = state.droppedCount + dropped;
      return { ...state, transitions: told, toldCount, droppedCount, lsn };
    }
    case 'figures':
      return { ...state, figures: [...state.figures, message.figures].slice(-figuresKeptMax) };
    case 'processes':
      return { ...state, processes: message.processes };
    case 'map':
      return { ...state, fabric: afterRows(state.fabric, message, nowMs) };
    case 'circuits':
      return { ...state, fabric: afterCircuits(state.fabric, message, state.mapService) };
    case 'filtered':
      return { ...state, refusal: '' };
    case 'refused':
      return { ...state, refusal: message.reason };
  }
}

function newestFirst(state: StreamState, news: readonly Transition[]): readonly Transition[] {
  const newest = news.slice(-transitionsKeptMax).reverse();
  return [...newest, ...state.transitions].slice(0, transitionsKeptMax);
}

/**
 * Newest first: what the log told, and what the stream told since. Both may tell of the same
 * frames, and one frame may hold several steps of an instance.
 * @param reportedLsn the newest frame that the log reported
 * @param live by the stream, newest first, of any instance
 */
export function withLive(
  told: readonly Transition[],
  reportedLsn: number,
  live: readonly Transition[],
  { kind, id }: { readonly kind: string; readonly id: string },
): readonly Transition[] {
  const news = live.filter(
    (step) => step.lsn > reportedLsn && step.kind === kind && step.id === id,
  );
  return news.length === 0 ? told : [...news, ...told];
}

/** Newest first: what the stream told, and what the log tells of the time before and meanwhile. */
export function withRecent(
  live: readonly Transition[],
  told: readonly Transition[],
): readonly Transition[] {
  const known = new Set(live.map(transitionKey));
  const others = told.filter((step) => !known.has(transitionKey(step)));
  return [...live, ...others].sort((a, b) => b.lsn - a.lsn || b.timeMs - a.timeMs);
}

/** How many of the last transitions the page began with, and how far back they were looked for. */
export function recentReach({ transitions, fromLsn, dropped }: RecentTransitions): string {
  const count = transitions.length;
  const found =
    count === 0
      ? `No transition was found from LSN ${fromLsn} on.`
      : `It begins with the last ${formatCount(count)}, found from LSN ${fromLsn} on.`;
  const untested =
    dropped === 0 ? '' : ` The filter could not be tried on ${formatCount(dropped)}.`;
  const kept = `The last ${formatCount(transitionsKeptMax)} that happen meanwhile are kept here.`;
  return `${found}${untested} ${kept}`;
}

/** One frame may hold several steps of one instance. */
export function transitionKey({ lsn, timeMs, kind, id, event, from, to }: Transition): string {
  return [lsn, timeMs, kind, id, event, from, to].join(' ');
}

/**
 * What is known of the history of a record, with one more page of it: the newest one, or the one
 * that goes on where the known part ends. What is known is dropped where the newest page does not
 * reach down to it, because the rows in between would be missing without a word.
 */
export function mergedHistory(
  known: TransitionPage | undefined,
  page: TransitionPage,
): TransitionPage {
  if (known === undefined) return page;
  const newestLsn = Math.max(known.changes[0]?.lsn ?? 0, known.transitions[0]?.lsn ?? 0);
  if (page.hasMore && page.nextBeforeLsn > newestLsn) return page;
  const end = page.nextBeforeLsn < known.nextBeforeLsn ? page : known;
  return {
    ...end,
    oldestLsn: page.oldestLsn,
    transitions: united(known.transitions, page.transitions),
    changes: united(known.changes, page.changes),
  };
}

/** By frame, newest first; a page holds all of a frame or nothing. */
function united<Of extends { readonly lsn: number }>(
  known: readonly Of[],
  page: readonly Of[],
): readonly Of[] {
  const told = new Set(page.map(({ lsn }) => lsn));
  return [...known.filter(({ lsn }) => !told.has(lsn)), ...page].sort((a, b) => b.lsn - a.lsn);
}
