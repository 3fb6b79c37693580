// Ends the API sessions of a credential in the frame that deletes or disables it.

import { authenticatorKind } from '../../records/authenticator.ts';
import { caKind } from '../../records/ca.ts';
import { externalJwtSignerKind } from '../../records/external-jwt-signer.ts';
import type { BeforeCommitTrigger, Store } from '../../store/store.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { ApiSessionEndings, EndedSessions } from './endings.ts';

const kindOfAuthenticators = authenticatorKind.kind;

/**
 * The id that API sessions hold instead of an authenticator's after a login by this signer's token.
 */
export function credentialOfSigner(signerId: string): string {
  return `extJwtId:${signerId}`;
}

/**
 * Examines every change of authenticators, third-party CAs and external JWT signers in a
 * transaction, by any operation or cascade, and ends the sessions that depended on removed ones.
 */
export class CredentialEndings implements BeforeCommitTrigger {
  readonly #endings: Pick<ApiSessionEndings, 'end'>;
  /** Changes of the open transaction. */
  readonly #lost: EndedSessions[] = [];

  constructor(store: Store, endings: Pick<ApiSessionEndings, 'end'>) {
    this.#endings = endings;
    store.table(authenticatorKind).observe(({ id }, before, after) => {
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

/** An authenticator that became an enrollment again is being renewed, not revoked. */
function isReenrolled({ events }: Transaction, id: string): boolean {
  return events.some(
    ([kind, actor, event]) => kind === kindOfAuthenticators && actor === id && event === 'revert',
  );
}
