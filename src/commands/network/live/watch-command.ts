// `watch`: what is created, changed and deleted, as it happens.

import type { Lsn } from '../../../../snapshots/journal.ts';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Connection } from '../connection/connection.ts';
import type { NetworkFlags } from '../connection/connection-plan.ts';
import { columnsOf } from '../kinds/columns.ts';
import type { KindRow } from '../kinds/kind.ts';
import { kindTyped } from '../kinds/kinds.ts';
import { type Entity, type Wanted, wanted } from '../kinds/names.ts';
import { recordKindOf } from '../kinds/record-kinds.ts';
import { RecordNames } from '../kinds/record-names.ts';
import { terminalColumns } from '../output/output.ts';
import { isJsonOf } from './audit-command.ts';
import { auditFeed, lastLsn } from './audit-feed.ts';
import { fieldsText } from './audit-rows.ts';
import {
  type Following,
  following,
  goesOn,
  lossNotes,
  pause,
  whileFollowing,
} from './following.ts';
import { ListChanges } from './list-changes.ts';
import { LiveTable } from './live-table.ts';
import type { LogFrame } from './log-frame.ts';
import {
  usualWatchRow,
  type WatchEvent,
  type WatchRow,
  watchColumns,
  watchJson,
  watchRow,
} from './watch-event.ts';

/** The entities that are watched, and how their changes are shown. */
export interface WatchOrder {
  readonly kind: KindRow;
  /** Undefined for all of the kind. */
  readonly wanted: Wanted | undefined;
  readonly isJson: boolean;
  readonly withHeader: boolean;
}

/** Reads words and flags. @throws CommandFailure */
export function watchOrder([word = '', name]: readonly string[], flags: NetworkFlags): WatchOrder {
  const kind = kindTyped(word, 'list');
  const entity = name === undefined ? undefined : wanted(name);
  if (entity?.text === '') {
    throw CommandFailure.wrong(`a name of a ${kind.title} must not be empty. Nothing was sent.`);
  }
  const withHeader = flags['headers'] !== false;
  return { kind, wanted: entity, isJson: isJsonOf(flags), withHeader };
}

/** Watches until it is interrupted. @returns the exit code @throws CommandFailure */
export async function watch(
  order: WatchOrder,
  flags: NetworkFlags,
  context: ProcessContext,
): Promise<number> {
  const command = following(flags, context);
  const show = new WatchShow(order, command);
  const use = (connection: Connection) => show.run(connection);
  return await whileFollowing(command, use, lossNotes(context));
}

/** Kinds of which the log does not hold what one watches for: whether a router is there, say. */
const listed = new Set([
  'edge-router',
  'transit-router',
  'router',
  'terminator',
  'link',
  'circuit',
  'session',
  'api-session',
  'authenticator',
  'enrollment',
]);

/** Between two looks at a list. */
const lookMs = 2000;

/** One run of the command, over all its connections. */
class WatchShow {
  readonly #order: WatchOrder;
  readonly #command: Following;
  readonly #table: LiveTable<WatchRow>;
  readonly #names = new RecordNames();
  readonly #list: ListChanges;
  #readsFeed: boolean;
  #nextLsn: Lsn | undefined;
  #hasBegun = false;

  constructor(order: WatchOrder, command: Following) {
    this.#order = order;
    this.#command = command;
    const { context } = command;
    this.#table = new LiveTable({
      columns: watchColumns,
      usualRow: usualWatchRow,
      layout: { columns: terminalColumns(context), withHeader: order.withHeader },
      out: (line) => context.out(`${line}\n`),
    });
    this.#list = new ListChanges(order.kind);
    this.#readsFeed = !listed.has(order.kind.name);
  }

  /** Shows changes until the connection is lost. @throws CommandFailure */
  async run(connection: Connection): Promise<void> {
    if (this.#readsFeed) {
      try {
        return await this.#follow(connection);
      } catch (error) {
        if (!CommandFailure.isNotAllowed(error)) throw error;
        this.#readsFeed = false;
        this.#command.context.err('no right to read the log: looking at the list every 2 s\n');
      }
    }
    await this.#look(connection);
  }

  async #follow(connection: Connection): Promise<void> {
    const { kind } = this.#order;
    this.#nextLsn ??= (await lastLsn(connection)) + 1;
    const order = {
      fromLsn: this.#nextLsn,
      kind: recordKindOf(kind),
      signal: this.#command.stop,
    };
    for await (const part of auditFeed(connection, order)) {
      await this.#begin(connection);
      this.#nextLsn = part.lsn + 1;
      if (part.is === 'frame') await this.#show(await this.#eventsOf(part.frame, connection));
      if (part.is === 'gone') {
        const { fromLsn, toLsn } = part;
        this.#command.context.err(`LSN ${fromLsn} to ${toLsn} are not kept any more\n`);
      }
      if (!goesOn(this.#command)) return;
    }
  }

  async #look(connection: Connection): Promise<void> {
    const { context } = this.#command;
    while (goesOn(this.#command)) {
      const rows = await this.#rows(connection);
      await this.#begin(connection, rows);
      await this.#show(this.#list.since(rows, context.clock.now()));
      await pause(this.#command, lookMs);
    }
  }

  /** All rows in one answer: between two pages, others could move from one to the next. */
  async #rows(connection: Connection): Promise<readonly Entity[]> {
    const { kind, wanted: entity } = this.#order;
    const text = JSON.stringify(entity?.text);
    const filter =
      entity === undefined || !kind.isNamed ? undefined : `name = ${text} or id = ${text}`;
    const { rows } = await connection.page(kind, { filter, limit: -1 });
    return rows.filter((row) => this.#isWanted(row));
  }

  #isWanted(row: Entity): boolean {
    const { kind, wanted: entity } = this.#order;
    if (entity === undefined) return true;
    const { by, text } = entity;
    if (by !== 'name' && row.id === text) return true;
    if (by === 'id') return false;
    if (kind.isNamed) return row['name'] === text;
    const cells = columnsOf(kind, { nowMs: 0, addresses: new Map(), hosts: new Map() });
    return cells.some((column) => column.text(row) === text);
  }

  /** Says once what is there of a name. */
  async #begin(connection: Connection, rows?: readonly Entity[]): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (!this.#order.isJson) this.#table.flush(true);
    if (this.#order.wanted === undefined) return;
    const nowMs = this.#command.context.clock.now();
    const present = rows ?? (await this.#rows(connection));
    await this.#show(present.map((row) => this.#list.event('present', undefined, row, nowMs)));
  }

  async #eventsOf(frame: LogFrame, connection: Connection): Promise<WatchEvent[]> {
    const { kind } = this.#order;
    const recordKind = recordKindOf(kind);
    const { actor } = frame;
    this.#names.learn([frame]);
    await this.#names.ask([frame], connection);
    return (frame.changes ?? [])
      .filter((change) => change.kind === recordKind)
      .map(({ id, change, fields }) => ({
        time: frame.time,
        change,
        kind: kind.name,
        id,
        name: this.#names.of(recordKind, id) ?? id,
        ...(actor !== undefined && { by: actor.name ?? actor.id }),
        fields,
        detail: change === 'updated' ? fieldsText({ fields }, this.#names) : '',
      }))
      .filter((event) => this.#isWanted(event));
  }

  async #show(events: readonly WatchEvent[]): Promise<void> {
    const { context } = this.#command;
    const nowMs = context.clock.now();
    for (const event of events) {
      if (this.#order.isJson) context.out(`${watchJson(event)}\n`);
      else this.#table.add([watchRow(event, nowMs)]);
    }
    if (events.length > 0) await context.drained();
  }
}
