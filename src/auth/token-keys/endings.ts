// Ends what former keys have signed, when a key made to end sessions begins to sign
// (behaviour/token-keys#end-of-sessions).

import type { Environment } from '../../declare/operations/environment.ts';
import { type TokenKeyRecord, tokenKeyKind } from '../../records/token-key.ts';
import type { BeforeCommitTrigger, Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { ApiSessionEndings } from '../sessions/endings.ts';

/** Ends all API sessions, and takes the former keys away, in the frame of the new one. */
export class TokenKeyEndings implements BeforeCommitTrigger {
  readonly #table: Table<TokenKeyRecord>;
  readonly #send: Environment['send'];
  readonly #endings: Pick<ApiSessionEndings, 'end'>;
  /** Whether such a key has begun to sign in the open transaction. */
  #hasBegun = false;

  constructor(store: Store, send: Environment['send'], endings: Pick<ApiSessionEndings, 'end'>) {
    this.#table = store.table(tokenKeyKind);
    this.#send = send;
    this.#endings = endings;
    this.#table.observe((_row, before, after) => {
      if (before?.state !== 'announced' || after?.state !== 'signing') return;
      if (after.endsSessions) this.#hasBegun = true;
    });
    store.beforeCommit(this);
  }

  begin(): void {
    this.#hasBegun = false;
  }

  write(tx: Transaction): void {
    if (!this.#hasBegun) return;
    this.#hasBegun = false;
    this.#endings.end(tx, { by: 'all', key: '' });
    for (const { id, record } of [...this.#table.all()]) {
      if (record.state !== 'verifying') continue;
      this.#send(tx, tokenKeyKind.kind, id, { type: 'remove', now: tx.now });
    }
  }
}
