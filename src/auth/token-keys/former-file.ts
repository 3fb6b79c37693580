// Removes the file in which former releases kept the key of tokens, once a record has it
// (behaviour/token-keys#storage).

import { join } from 'node:path';
import type { Log } from '../../observe/logs.ts';
import { tokenKeyName } from '../../pki/authority/authority.ts';
import { readText } from '../../pki/authority/files.ts';
import { tokenKeyId } from '../../pki/tokens/token-keys.ts';
import { parsePrivateKey } from '../../pki/x509/pem.ts';
import type { Disk } from '../../platform/ports.ts';
import { tokenKeyKind } from '../../records/token-key.ts';
import type { DurableFrames } from '../../store/durable-frames.ts';
import type { Store } from '../../store/store.ts';
import { isOf } from '../../store/transaction.ts';

/** Where the file is, and who tells that it is not needed any more. */
export interface FormerFileOptions {
  readonly store: Store;
  readonly durable: Pick<DurableFrames, 'when'>;
  readonly disk: Disk;
  /** `<home>/pki` */
  readonly directory: string;
  readonly log: Log;
}

/** Removes it now, or as soon as the record is durable. */
export function removeFormerFile(options: FormerFileOptions): void {
  const { store, durable } = options;
  const remove = () => removeFile(options);
  if (store.table(tokenKeyKind).size > 0) remove();
  store.follow(({ lsn, changes }) => {
    if (!changes.some((change) => isOf(change, tokenKeyKind) && change.after !== undefined)) return;
    // Frames of a leader were durable before they came.
    if (store.isAttached) durable.when(lsn, remove);
    else remove();
  });
}

function removeFile({ store, disk, directory, log }: FormerFileOptions): void {
  const file = join(directory, tokenKeyName);
  try {
    if (!disk.exists(file)) return;
    const key = parsePrivateKey(readText(disk, file, tokenKeyName), tokenKeyName);
    if (store.table(tokenKeyKind).peek(tokenKeyId(key)) === undefined) {
      log.warn({ file }, 'a file holds a token key that is not in the log, and stays');
      return;
    }
    disk.remove(file);
  } catch (err) {
    log.warn({ err, file }, 'the key of tokens is in the log now, but its file cannot be removed');
  }
}
