// The changes of a frame that another node has decided, written to the tables in place.

import type { Change, Frame, Lsn } from '../../snapshots/journal.ts';
import { deepFreeze } from './deep-freeze.ts';
import { NewerRecord, type RecordBase, type Sealer } from './record.ts';
import type { Table } from './table.ts';
import type { CommittedChange } from './transaction.ts';

/** A frame is not the one that comes next for this store. Memory cannot go on from here. */
export class FrameDoesNotFit extends Error {
  override readonly name = 'FrameDoesNotFit';

  /** @param reason as the end of a sentence; it holds no content of records. */
  constructor(lsn: Lsn, reason: string) {
    super(`Frame ${lsn} of the log does not fit what was applied before: ${reason}.`);
  }
}

/** How records are read from a frame. */
export interface AppliedOptions {
  /** Freezes records deeply: tests and development. */
  readonly freeze: boolean;
  readonly sealer?: Sealer;
}

/**
 * Writes the changes of a frame, in their order. Rows keep the LSNs of their former records.
 * @throws FrameDoesNotFit if a record was last changed by another frame than the change says;
 *   NewerRecord for a kind or a version of a newer controller. Earlier changes stay.
 */
export function applyChanges(
  { lsn, changes }: Frame,
  tableOf: (kind: string) => Table | undefined,
  options: AppliedOptions,
): CommittedChange[] {
  const committed: CommittedChange[] = [];
  for (const change of changes) {
    const { kind, id, previousLsn } = change;
    const table = tableOf(kind);
    if (table === undefined || table.isVolatile) {
      throw new NewerRecord(`records of the unknown kind ${kind}`);
    }
    const known = table.peek(id);
    if ((known?.lsn ?? 0) !== previousLsn) {
      const said = `it changes a record of kind ${kind} of frame ${previousLsn}`;
      throw new FrameDoesNotFit(lsn, `${said}, and that is of frame ${known?.lsn ?? 0}`);
    }
    const before = known?.record;
    const after = recordOf(table, change, options);
    const row = table.apply(id, after);
    if (row === undefined) throw new FrameDoesNotFit(lsn, `it deletes an unknown ${kind}`);
    committed.push({ table, row, before, after });
  }
  return committed;
}

function recordOf(
  { codec }: Table,
  { id, version, values }: Change,
  { freeze, sealer }: AppliedOptions,
): RecordBase | undefined {
  if (values === null) return undefined;
  const record = codec.decode(id, version, values, sealer);
  if (freeze) deepFreeze(record);
  return record;
}
