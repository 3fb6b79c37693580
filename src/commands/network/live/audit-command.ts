// `audit`: who changed what, from the log of the controller.

import type { Lsn } from '../../../../snapshots/journal.ts';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { CommandFailure } from '../command-failure.ts';
import { type Connection, whileConnected } from '../connection/connection.ts';
import type { NetworkFlags } from '../connection/connection-plan.ts';
import { recordKindTyped } from '../kinds/record-kinds.ts';
import { RecordNames } from '../kinds/record-names.ts';
import { terminalColumns } from '../output/output.ts';
import { timeTyped } from '../output/times.ts';
import { auditFeed, type FeedPart, lastLsn, lsnSince } from './audit-feed.ts';
import { type AuditRow, auditRows, auditTable, goneRow } from './audit-rows.ts';
import {
  type Following,
  following,
  goesOn,
  interrupted,
  lossNotes,
  whileFollowing,
} from './following.ts';
import type { LiveTable } from './live-table.ts';
import type { FrameChange, LogFrame } from './log-frame.ts';

/** The part of the log that is shown, and how. */
export interface AuditOrder {
  /** Wall-clock ms of the first frame; undefined without `--since`. */
  readonly sinceMs: number | undefined;
  readonly fromLsn: Lsn | undefined;
  /** A kind of records. */
  readonly kind: string | undefined;
  /** Name or id of a record. */
  readonly name: string | undefined;
  /** Name or id of who did it. */
  readonly by: string | undefined;
  readonly isFollowing: boolean;
  readonly isJson: boolean;
  readonly withHeader: boolean;
}

/** Reads the flags. @throws CommandFailure */
export function auditOrder(flags: NetworkFlags, nowMs: number): AuditOrder {
  const { since, from, kind, name, by } = flags;
  if (since !== undefined && from !== undefined) {
    throw CommandFailure.wrong('--since and --from exclude each other. Nothing was sent.');
  }
  return {
    sinceMs: sinceOf(since, nowMs),
    fromLsn: lsnOf(from),
    kind: typeof kind === 'string' ? recordKindTyped(kind) : undefined,
    name: textOf('--name', name),
    by: textOf('--by', by),
    isFollowing: flags['follow'] === true,
    isJson: isJsonOf(flags),
    withHeader: flags['headers'] !== false,
  };
}

function sinceOf(since: unknown, nowMs: number): number | undefined {
  if (since === undefined) return undefined;
  const ms = timeTyped(String(since), nowMs);
  if (ms !== undefined) return ms;
  throw CommandFailure.wrong(
    `--since is ${JSON.stringify(since)} but must be a time such as 2026-11-24T09:00, 09:00 or 10m. ` +
      'Nothing was sent.',
  );
}

function lsnOf(from: unknown): Lsn | undefined {
  if (from === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(String(from))) return Number(from);
  throw CommandFailure.wrong(
    `--from is ${JSON.stringify(from)} but must be an LSN, from 1 on. Nothing was sent.`,
  );
}

function textOf(flag: string, value: unknown): string | undefined {
  if (value === '') throw CommandFailure.wrong(`${flag} must not be empty. Nothing was sent.`);
  return typeof value === 'string' ? value : undefined;
}

/** Whether each line is a JSON object. @throws CommandFailure for any form but table and json */
export function isJsonOf({ output = 'table' }: NetworkFlags): boolean {
  if (output === 'json') return true;
  if (output === 'table') return false;
  throw CommandFailure.wrong(
    `-o is ${JSON.stringify(output)} but must be one of table, json. Nothing was sent.`,
  );
}

/** Shows the log. @returns the exit code @throws CommandFailure */
export async function showAudit(
  order: AuditOrder,
  flags: NetworkFlags,
  context: ProcessContext,
): Promise<number> {
  const command = following(flags, context);
  const show = new AuditShow(order, command);
  if (order.isFollowing) {
    const notes = lossNotes(context);
    return await whileFollowing(command, (connection) => show.follow(connection), notes);
  }
  const shown = whileConnected(flags, context, (connection) => show.upToNow(connection));
  await Promise.race([shown, interrupted(command)]);
  return command.stop.aborted ? exitCodes.interrupted : exitCodes.stopped;
}

/** One run of the command, over all its connections. */
class AuditShow {
  readonly #order: AuditOrder;
  readonly #command: Following;
  readonly #names = new RecordNames();
  readonly #table: LiveTable<AuditRow>;
  #nextLsn: Lsn | undefined;
  #held: FeedPart[] = [];

  constructor(order: AuditOrder, command: Following) {
    this.#order = order;
    this.#command = command;
    const { context } = command;
    const layout = { columns: terminalColumns(context), withHeader: order.withHeader };
    this.#table = auditTable(layout, (line) => context.out(`${line}\n`));
  }

  /** Shows the frames that there are by now. @throws CommandFailure */
  async upToNow(connection: Connection): Promise<void> {
    const last = await lastLsn(connection);
    this.#nextLsn ??= await this.#firstLsn(connection, last);
    if (this.#nextLsn <= last) {
      const ended = new AbortController();
      const signal = AbortSignal.any([this.#command.stop, ended.signal]);
      // The feed says nothing for 15 s where its filter takes nothing, so here it has none.
      for await (const part of auditFeed(connection, { fromLsn: this.#nextLsn, signal })) {
        this.#take(part);
        if (this.#held.length >= heldMax) await this.#print(connection);
        if (part.lsn >= last || !goesOn(this.#command)) ended.abort();
      }
      if (goesOn(this.#command) && this.#nextLsn <= last) {
        throw CommandFailure.unreachable('the controller has ended the audit feed too early.');
      }
    }
    await this.#print(connection);
    this.#table.flush(this.#order.isFollowing);
    await this.#command.context.drained();
  }

  /** Shows those frames, and each new one until the feed ends. @throws CommandFailure */
  async follow(connection: Connection): Promise<void> {
    await this.upToNow(connection);
    const { kind } = this.#order;
    const order = { fromLsn: this.#nextLsn ?? 1, kind, signal: this.#command.stop };
    for await (const part of auditFeed(connection, order)) {
      this.#take(part);
      await this.#print(connection);
      if (!goesOn(this.#command)) return;
    }
  }

  async #firstLsn(connection: Connection, last: Lsn): Promise<Lsn> {
    const { sinceMs, fromLsn, isFollowing } = this.#order;
    if (sinceMs !== undefined) return await lsnSince(connection, sinceMs, last);
    return fromLsn ?? (isFollowing ? last + 1 : 1);
  }

  #take(part: FeedPart): void {
    const isShown = part.is === 'frame' ? this.#mayMatch(part.frame) : part.is === 'gone';
    if (isShown) this.#held.push(part);
    this.#nextLsn = part.lsn + 1;
  }

  /** Prints what is held. The controller is asked for all its names at once. */
  async #print(connection: Connection): Promise<void> {
    const parts = this.#held;
    this.#held = [];
    const frames = parts.flatMap((part) => (part.is === 'frame' ? [part.frame] : []));
    this.#names.learn(frames);
    // JSON has no names but those of the feed.
    if (!this.#order.isJson || this.#order.name !== undefined) {
      await this.#names.ask(frames, connection);
    }
    for (const part of parts) this.#printPart(part);
    if (parts.length > 0) await this.#command.context.drained();
  }

  #printPart(part: FeedPart): void {
    const { context } = this.#command;
    const { isJson } = this.#order;
    if (part.is === 'gone') {
      const { fromLsn, toLsn } = part;
      if (isJson) context.out(`${JSON.stringify({ gone: { fromLsn, toLsn } })}\n`);
      else this.#table.add([goneRow(fromLsn, toLsn)]);
      return;
    }
    if (part.is !== 'frame') return;
    const rows = auditRows(part.frame, this.#names, context.clock.now(), (change) =>
      this.#isWanted(change),
    );
    const isMark = part.frame.changes === undefined;
    if (rows.length === 0 || (isMark && this.#isNarrowed)) return;
    if (isJson) context.out(`${part.line}\n`);
    else this.#table.add(rows);
  }

  get #isNarrowed(): boolean {
    const { kind, name, by } = this.#order;
    return kind !== undefined || name !== undefined || by !== undefined;
  }

  /** Whether a frame may be shown, as far as this is known without the names of records. */
  #mayMatch({ actor, changes = [] }: LogFrame): boolean {
    const { kind, by } = this.#order;
    if (by !== undefined && actor?.id !== by && actor?.name !== by) return false;
    return kind === undefined || changes.some((change) => change.kind === kind);
  }

  #isWanted({ kind, id }: FrameChange): boolean {
    const { kind: wantedKind, name } = this.#order;
    if (wantedKind !== undefined && kind !== wantedKind) return false;
    return name === undefined || id === name || this.#names.of(kind, id) === name;
  }
}

/** Parts whose names are asked for together. @bound */
const heldMax = 500;
