// The token keys that the records hold (behaviour/token-keys).

import type { KeyObject } from 'node:crypto';
import type { JwksEntry, Signer } from '../../pki/tokens/signer.ts';
import {
  privateKeyOf,
  publicKeyOf,
  TokenKeySet,
  type TokenKeys,
} from '../../pki/tokens/token-keys.ts';
import { type TokenKeyRecord, tokenKeyKind } from '../../records/token-key.ts';
import type { Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import { isOf } from '../../store/transaction.ts';
import type { Sealing } from '../sealing/sealing.ts';

/** The sources of the keys. */
export interface StoredTokenKeysOptions {
  readonly store: Store;
  readonly sealing: Sealing;
  /** Signs while no record does: of a home of a former release, or of one that is being made. */
  readonly first: KeyObject;
}

/** The keys of a controller, as they are at each use. */
export class StoredTokenKeys implements TokenKeys {
  readonly #table: Table<TokenKeyRecord>;
  readonly #options: Omit<StoredTokenKeysOptions, 'store'>;
  readonly #followers: ((isGone: boolean) => void)[] = [];
  readonly #fence: Store['fence'];
  /** Undefined since a record has changed. */
  #read: TokenKeySet | undefined;

  constructor({ store, ...options }: StoredTokenKeysOptions) {
    this.#table = store.table(tokenKeyKind);
    this.#fence = store.fence;
    this.#options = options;
    store.follow(({ changes }) => {
      const ours = changes.filter((change) => isOf(change, tokenKeyKind));
      if (ours.length === 0) return;
      this.#read = undefined;
      const isGone = ours.some(({ after }) => after === undefined);
      for (const changed of this.#followers) changed(isGone);
    });
  }

  /** As in `TokenKeys`. */
  get signer(): Pick<Signer, 'kid' | 'start' | 'signNow'> {
    return this.#present.signer;
  }

  /** As in `TokenKeys`. */
  get jwks(): readonly JwksEntry[] {
    // An answer with a key leaves once the key is durable.
    this.#fence.note(this.#table.lastLsn);
    return this.#present.jwks;
  }

  /** As in `TokenKeys`. */
  has(kid: unknown): boolean {
    return this.#present.has(kid);
  }

  /** As in `TokenKeys`. */
  verify(jwt: string): unknown {
    return this.#present.verify(jwt);
  }

  /** As in `TokenKeys`. */
  onChange(changed: (isGone: boolean) => void): void {
    this.#followers.push(changed);
  }

  get #present(): TokenKeySet {
    this.#read ??= this.#readAll();
    return this.#read;
  }

  #readAll(): TokenKeySet {
    const rows = [...this.#table.all()];
    const signing = rows.find(({ record }) => record.state === 'signing');
    const others = rows
      .filter((row) => row !== signing)
      .map(({ id, record }) => ({ kid: id, publicKey: publicKeyOf(record.publicKey) }));
    return new TokenKeySet(this.#privateKeyOf(signing?.record), others);
  }

  #privateKeyOf(record: TokenKeyRecord | undefined): KeyObject {
    const { sealing, first } = this.#options;
    if (record?.privateKey === undefined) return first;
    const place = { kind: tokenKeyKind.kind, id: record.id, field: 'privateKey' };
    return privateKeyOf(sealing.open(record.privateKey, place).toString());
  }
}
