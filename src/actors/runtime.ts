// Runs records as actors: an event goes to a record's machine, and its answer into the transaction.

import { decide } from '../../machines/decide.ts';
import type { MachineEvent, MachineRecord } from '../../machines/machine.ts';
import type { CompiledMachine, Moved } from '../../machines/table.ts';
import type { LoggedEvent } from '../../snapshots/journal.ts';
import type { RecordBase } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';

/** The transaction, as the runtime needs it. Everything happens within the one operation. */
export interface MachineHost {
  /** The record as this transaction sees it, including its own writes. */
  get(kind: string, id: string): MachineRecord | undefined;
  put(kind: string, record: { readonly id: string }): void;
  delete(kind: string, id: string): void;
  /** Notes a decided event for the frame. */
  logEvent(event: LoggedEvent): void;
}

/** The host of the events that are sent within `tx`. */
export function transactionHost(store: Store, tx: Transaction): MachineHost {
  return {
    get: (kind, id) => store.tableNamed(kind).peek(id)?.record as ReturnType<MachineHost['get']>,
    put: (kind, record) => void tx.put(store.tableNamed(kind), record as RecordBase),
    delete: (kind, id) => tx.delete(store.tableNamed(kind), id),
    logEvent: (event) => tx.logEvent(event),
  };
}

/** The options of the runtime. */
export interface RuntimeOptions {
  /** Creates the error for an event that a machine refused with `code`. */
  refusal(code: string, kind: string, id: string): Error;
  /**
   * Creates the error for an event that `state` does not accept; `none` means that there is no such
   * record.
   */
  unhandled(kind: string, id: string, state: string, event: string): Error;
}

/** The result of an event. */
export interface Sent {
  readonly from: string;
  readonly to: string;
  /** False when the event was accepted and nothing had to be written. */
  readonly changed: boolean;
  /** The record as written; undefined when it was deleted or never existed. */
  readonly record: MachineRecord | undefined;
}

/** Entities as actors: an actor's address is (kind, id), its mailbox is the transaction. */
export interface Runtime {
  /**
   * Sends one event to a record's machine and carries the answer out: the record's patch, state and
   * `updatedAt`, or its deletion, then the effects in order, depth first.
   * @throws the error made by `refusal` or `unhandled`; the transaction is then to be taken back.
   */
  send<E extends MachineEvent>(host: MachineHost, kind: string, id: string, event: E): Sent;
}

/** A runtime over compiled machines, one per kind. */
export function createRuntime(
  machines: readonly CompiledMachine[],
  options: RuntimeOptions,
): Runtime {
  const tables = new Map<string, CompiledMachine>();
  for (const machine of machines) {
    if (tables.has(machine.kind)) throw new Error(`two machines for the kind ${machine.kind}`);
    tables.set(machine.kind, machine);
  }
  const deliver: Delivery = (host, kind, id, event, depth) => {
    const table = tables.get(kind);
    if (table === undefined) throw new Error(`no machine for the kind ${kind}`);
    if (depth > sendDepthMax) {
      throw new Error(`events go more than ${sendDepthMax} deep at ${kind} ${id}`);
    }
    const record = host.get(kind, id);
    const decision = decide(table, record, event);
    if (decision.kind === 'refused') throw options.refusal(decision.code, kind, id);
    if (decision.kind === 'unhandled') {
      throw options.unhandled(kind, id, decision.from, event.type);
    }
    const sent = write(host, kind, id, event, record, decision);
    for (const effect of decision.effects) {
      deliver(host, effect.kind, effect.id, effect.event, depth + 1);
    }
    return sent;
  };
  return { send: (host, kind, id, event) => deliver(host, kind, id, event, 1) };
}

type Delivery = (
  host: MachineHost,
  kind: string,
  id: string,
  event: MachineEvent,
  depth: number,
) => Sent;

function write(
  host: MachineHost,
  kind: string,
  id: string,
  event: MachineEvent,
  record: MachineRecord | undefined,
  { from, state, final, patch, effects }: Moved,
): Sent {
  if (from === state && effects.length === 0 && isEmpty(patch)) {
    return { from, to: state, changed: false, record };
  }
  host.logEvent([kind, id, event.type, from, state]);
  if (final) {
    host.delete(kind, id);
    return { from, to: state, changed: true, record: undefined };
  }
  const { now } = event;
  const next =
    record === undefined
      ? { ...patch, id, createdAt: now, updatedAt: now, state }
      : { ...record, ...patch, id: record.id, updatedAt: now, state };
  host.put(kind, next);
  return { from, to: state, changed: true, record: next };
}

function isEmpty(patch: object): boolean {
  for (const _ in patch) return false;
  return true;
}

/** How deeply effects of one event may nest. The longest chain is far shorter. @bound */
const sendDepthMax = 8;
