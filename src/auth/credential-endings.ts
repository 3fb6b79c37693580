// Ends the API sessions that rest on a credential which is deleted or disabled, in the frame that
// does so.

import { caKind } from '../records/ca.ts';
import { externalJwtSignerKind } from '../records/external-jwt-signer.ts';
import type { BeforeCommitTrigger, Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { ApiSessionEndings, EndedSessions } from './api-session-endings.ts';

const kindOfAuthenticators = 'authenticator';

/** What API sessions name in place of an authenticator after a login by this signer's token. */
export function credentialOfSigner(signerId: string): string {
  return `extJwtId:${signerId}`;
}

/**
 * Looks at what a transaction did to authenticators, third-party CAs and external JWT signers,
 * whichever operation or cascade it was, and ends what rested on those that are gone.
 */
export class CredentialEndings implements BeforeCommitTrigger {
  readonly #endings: Pick<ApiSessionEndings, 'end'>;
  /** Of the open transaction. */
  readonly #lost: EndedSessions[] = [];

  constructor(store: Store, endings: Pick<ApiSessionEndings, 'end'>) {
    this.#endings = endings;
    store.tableNamed(kindOfAuthenticators).observe(({ id }, before, after) => {
      if (before === undefined || after !== undefined) return;
      this.#lost.push({ by: 'authenticatorId', key: id });
    });
    store.table(caKind).observe(({ id }, before, after) => {
      if (before?.isAuthEnabled && !after?.isAuthEnabled) this.#lost.push({ by: 'caId', key: id });
    });
    store.table(externalJwtSignerKind).observe(({ id }, before, after) => {
      if (!before?.enabled || after?.enabled) return;
      this.#lost.push({ by: 'authenticatorId', key: credentialOfSigner(id) });
    });
    store.beforeCommit(this);
  }

  begin(): void {
    this.#lost.length = 0;
  }

  write(tx: Transaction): void {
    let gone = 0;
    for (const sessions of this.#lost) {
      if (!isReenrolled(tx, sessions.key)) gone = this.#endings.end(tx, sessions, gone);
    }
  }
}

/** An authenticator that became an enrollment again is to be renewed, not revoked. */
function isReenrolled({ events }: Transaction, id: string): boolean {
  return events.some(
    ([kind, actor, event]) => kind === kindOfAuthenticators && actor === id && event === 'revert',
  );
}
