// Leaves a revocation of each API session with JWTs that ends before its tokens: routers accept
// those until they hear of it (behaviour/revocations#ended-sessions).

import type { Environment } from '../../declare/operations/environment.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import { type RevocationRecord, revocationKind } from '../../records/revocation.ts';
import type { BeforeCommitTrigger, Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import type { Transaction } from '../../store/transaction.ts';

/** An API session that has ended in the open transaction. */
interface Ended {
  readonly id: string;
  /** Wall-clock ms at which its last token dies. */
  readonly until: number;
}

/** Follows the ends of API sessions, by whatever operation or cascade. */
export class SessionRevocations implements BeforeCommitTrigger {
  readonly #revocations: Table<RevocationRecord>;
  readonly #send: Environment['send'];
  readonly #ended: Ended[] = [];

  constructor(store: Store, send: Environment['send']) {
    this.#send = send;
    this.#revocations = store.table(revocationKind);
    store.table(apiSessionKind).observe(({ id }, before, after) => {
      if (before?.jwt === undefined || after !== undefined) return;
      this.#ended.push({ id, until: before.jwt.until });
    });
    store.beforeCommit(this);
  }

  begin(): void {
    this.#ended.length = 0;
  }

  write(tx: Transaction): void {
    for (const { id, until } of this.#ended) {
      // No session may fail to end because there are too many revocations.
      if (until <= tx.now || this.#revocations.isFull) continue;
      // Nodes of the former release do not know the kind while a cluster is upgraded.
      if (this.#revocations.writtenVersion === 0) continue;
      if (this.#revocations.peek(id) !== undefined) continue;
      const fields = { tags: {}, type: 'API_SESSION', expiresAt: until, issuedBefore: undefined };
      this.#send(tx, revocationKind.kind, id, { type: 'revoke', now: tx.now, fields });
    }
  }
}
