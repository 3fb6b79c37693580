// Transitions as events of @statelyai/inspect 0.7, so that the Stately inspector can be attached.

import { Buffer } from 'node:buffer';
import { machines } from '../../../../machines/index.ts';
import type { Transition } from '../../messages.ts';

/** A transition as a series of events, each of which is one message. */
export interface StatelyEvents {
  /** Names the instance, as `kind:id`. */
  readonly sessionId: string;
  /**
   * Introduces the instance in the state before, with its machine, to an inspector that does not
   * know it.
   */
  readonly actor: Buffer;
  /** The event, then the state after it. */
  readonly steps: readonly [event: Buffer, snapshot: Buffer];
}

/** The events of a transition. */
export function statelyEvents(transition: Transition): StatelyEvents {
  const { kind, id, lsn, timeMs, from, to } = transition;
  const sessionId = `${kind}:${id}`;
  const base = baseOf(sessionId, `${lsn}:${sessionId}`, timeMs);
  const event = eventOf(transition);
  return {
    sessionId,
    actor: text({
      type: '@xstate.actor',
      name: `${kind} ${id}`,
      ...base,
      parentId: undefined,
      definition: shownOf(kind)?.definition,
      snapshot: snapshotOf(kind, from),
    }),
    steps: [
      text({ type: '@xstate.event', ...base, sourceId: undefined, event }),
      text({ type: '@xstate.snapshot', ...base, event, snapshot: snapshotOf(kind, to) }),
    ],
  };
}

/** Reports dropped transitions as events of an actor that stands for the stream itself. */
export function statelyDropped(count: number, timeMs: number): readonly Buffer[] {
  const sessionId = 'edge-control:stream';
  const base = baseOf(sessionId, `${timeMs}:${sessionId}`, timeMs);
  const event = { type: 'dropped', count };
  const snapshot = { status: 'active', value: 'slow', context: { dropped: count } };
  return [
    text({ type: '@xstate.actor', name: 'stream', ...base, snapshot, definition: streamChart }),
    text({ type: '@xstate.event', ...base, sourceId: undefined, event }),
    text({ type: '@xstate.snapshot', ...base, event, snapshot }),
  ];
}

const streamChart = JSON.stringify({ id: 'stream', initial: 'slow', states: { slow: {} } });

/** The version of the format, by which receivers recognise it. */
const formatVersion = '0.7.2';

function baseOf(sessionId: string, id: string, timeMs: number) {
  return { rootId: sessionId, sessionId, id, createdAt: String(timeMs), _version: formatVersion };
}

/** Actor and operation are part of the event, because the format has no other place for them. */
function eventOf(transition: Transition) {
  const { event, lsn, actor, actorName, operation, requestId, causeLsn } = transition;
  return {
    type: event,
    lsn,
    actor,
    actorName,
    operation,
    requestId,
    ...(causeLsn === 0 ? {} : { causeLsn }),
  };
}

function snapshotOf(kind: string, state: string) {
  const isDone = shownOf(kind)?.finals.has(state);
  return { status: isDone ? 'done' : 'active', value: stateValue(state), context: {} };
}

/** Parallel regions are `region:state` pairs here, and an object in XState. */
function stateValue(state: string): string | Readonly<Record<string, string>> {
  if (!state.includes(':')) return state;
  return Object.fromEntries(state.split(',').map((pair) => pair.split(':') as [string, string]));
}

interface Shown {
  readonly definition: string;
  readonly finals: ReadonlySet<string>;
}

/** By kind; built for the first Stately inspector. */
let shown: ReadonlyMap<string, Shown> | undefined;

function shownOf(kind: string): Shown | undefined {
  shown ??= new Map(
    machines.map(({ machine }) => {
      const { id: kind, config, root } = machine;
      const finals = Object.values(root.states).filter(({ type }) => type === 'final');
      const definition = JSON.stringify(config, named);
      return [kind, { definition, finals: new Set(finals.map(({ key }) => key)) }] as const;
    }),
  );
  return shown.get(kind);
}

/** The way in which their inspector writes functions. */
function named(_key: string, value: unknown): unknown {
  return typeof value === 'function' ? { type: value.name } : value;
}

function text(event: object): Buffer {
  return Buffer.from(JSON.stringify(event));
}
