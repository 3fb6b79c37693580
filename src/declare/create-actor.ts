// Makes a record of which only one may be, where it is the machine of the one there is that says
// so.

import type { RecordBase } from '../store/record.ts';
import { insertRecord } from './crud.ts';
import type { Kind } from './kind.ts';
import type { Context } from './operation.ts';

/**
 * Writes a new record, unless another one holds its unique key `index`: then that one is sent the
 * creating event, which its machine refuses.
 * @throws ApiError as the machine refuses it; Error when it doesn't, a mistake of the program.
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
