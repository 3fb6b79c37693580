// Creates a record that must be unique, where the machine of an existing record refuses a second
// one.

import type { RecordBase } from '../store/record.ts';
import { insertRecord } from './crud.ts';
import type { Kind } from './kind.ts';
import type { Context } from './operation.ts';

/**
 * Writes a new record. If another record holds its unique key `index`, the creating event is sent
 * to that record, whose machine refuses it.
 * @throws ApiError as the machine refuses it; Error if it doesn't, which is a bug in the program.
 */
export function createActor(
  context: Pick<Context, 'env' | 'tx' | 'now'>,
  kind: Kind,
  index: string,
  record: RecordBase,
): RecordBase {
  const { env, tx, now } = context;
  const key = kind.uniqueKeys?.find(({ name }) => name === index)?.key(record as never);
  const holder = key === undefined ? undefined : env.store.tableNamed(kind.kind).findBy(index, key);
  if (holder === undefined) return insertRecord(context, kind, record);
  const type = kind.machine?.creates ?? '';
  env.send(tx, kind.kind, holder.record.id, { type, now, fields: record });
  throw new Error(`${kind.kind}: the machine let a second record of ${index} ${key} be`);
}
