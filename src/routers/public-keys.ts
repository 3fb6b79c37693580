// Tells edge routers by which keys they check the tokens and certificates of clients
// (behaviour/control-channel#public-keys).

import { createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto';
import type { Lsn } from '../../snapshots/journal.ts';
import type { Message } from '../channel/channel-api.ts';
import { contentTypes } from '../channel/content-types.ts';
import { edge, encodeMessage } from '../channel/messages/messages.ts';
import type { Serving } from '../pki/authority/serving.ts';
import { publicKeyOf } from '../pki/tokens/token-keys.ts';
import { fingerprint, parseCertificates } from '../pki/x509/pem.ts';
import { type CaRecord, caKind } from '../records/ca.ts';
import { type TokenKeyRecord, tokenKeyKind } from '../records/token-key.ts';
import type { Row } from '../store/record.ts';
import { type ChangeSet, isOf } from '../store/transaction.ts';
import type { RoutersContext, RoutersEnvironment } from './context.ts';
import type { ConnectedRouter, RouterFeature } from './router-feature.ts';

/** The parts that the keys come from besides the records. */
export interface PublicKeysOptions {
  readonly serving: Pick<Serving, 'server' | 'follow' | 'afterChange'>;
}

/** The feature, and the keys for those that send them in another way. */
export interface PublicKeysFeature extends RouterFeature {
  /** All keys, each once. */
  keys(): readonly edge.PublicKey.$Properties[];
  /** Calls `changed` whenever one of them may have changed. */
  onChange(changed: () => void): void;
}

/** Creates the feature. It follows the store and the server certificate from now on. */
export function createPublicKeys(
  context: RoutersContext,
  options: PublicKeysOptions,
): PublicKeysFeature {
  const keys = new PublicKeys(context, options);
  return {
    keys: () => keys.all(),
    onChange: (changed) => keys.onChange(changed),
    handlers: new Map(),
    greeted: (router) => keys.greeted(router),
    disconnected: (router) => keys.disconnected(router),
  };
}

type Key = edge.PublicKey.$Properties;

const { JWT_VALIDATION, CLIENT_CERTIFICATE_VALIDATION } = edge.PublicKey.Usage;

class PublicKeys {
  readonly #context: RoutersContext;
  readonly #serving: PublicKeysOptions['serving'];
  readonly #greeted = new Set<ConnectedRouter>();
  /** All keys as encoded last; undefined since one of them changed. */
  #message: Message | undefined;
  readonly #changed: (() => void)[] = [];

  constructor(context: RoutersContext, { serving }: PublicKeysOptions) {
    this.#context = context;
    this.#serving = serving;
    const { store } = context.env;
    const changed = () => {
      this.#message = undefined;
      for (const follower of this.#changed) follower();
    };
    store.table(caKind).observe(changed);
    context.env.tokenKeys.onChange(changed);
    store.follow((changes) => {
      if (this.#greeted.size > 0) this.#follow(changes);
    });
    let former = serving.server.certificate;
    // The new certificate is sent before anything is signed with its key.
    serving.follow(({ certificate }) => this.#send(creation([servingKey(certificate)])));
    serving.afterChange(() => {
      changed();
      this.#remove([fingerprint(former)]);
      former = serving.server.certificate;
    });
  }

  greeted(router: ConnectedRouter): void {
    this.#greeted.add(router);
    this.#sendAll(router);
  }

  disconnected(router: ConnectedRouter): void {
    this.#greeted.delete(router);
  }

  /** A CA gives access once its verification is durable; a token key may sign a minute later. */
  #sendAll(router: ConnectedRouter): void {
    const { env, durable } = this.#context;
    const tables = [env.store.table(caKind), env.store.table(tokenKeyKind)];
    const newest = () => Math.max(...tables.map(({ lastLsn }) => lastLsn));
    const lsn = newest();
    durable.when(lsn, () => {
      if (!this.#greeted.has(router)) return;
      if (newest() > lsn) this.#sendAll(router);
      else router.channel.send((this.#message ??= creation(this.all())));
    });
  }

  #follow({ lsn, changes }: ChangeSet): void {
    const gone: string[] = [];
    for (const change of changes) {
      if (isOf(change, tokenKeyKind)) {
        const { row, before, after } = change;
        if (after === undefined) gone.push(row.id);
        if (before === undefined) this.#announce(lsn, row);
      }
      if (!isOf(change, caKind)) continue;
      const { row, before, after } = change;
      if (isVerified(before) && !isVerified(after)) gone.push(before.fingerprint);
      if (isVerified(before) || !isVerified(after)) continue;
      this.#context.durable.when(lsn, () => {
        // It may have been deleted in the meantime.
        if (this.#context.env.store.table(caKind).peek(row.id) === row) {
          this.#send(creation(keysOfCa(row.record)));
        }
      });
    }
    if (gone.length > 0) this.#remove(gone);
  }

  /** Routers must not be told of a key that a crash could still lose. */
  #announce(lsn: Lsn, { id, record }: Row<TokenKeyRecord>): void {
    this.#context.durable.when(lsn, () => {
      if (this.#context.env.tokenKeys.has(id)) {
        this.#send(creation([tokenKeyOf(id, publicKeyOf(record.publicKey))]));
      }
    });
  }

  /** Takes keys away at once, unless a certificate is in use for another reason, too. */
  #remove(kids: readonly string[]): void {
    if (this.#greeted.size === 0) return;
    const present = new Set(this.all().map(({ kid }) => kid));
    const gone = kids.filter((kid) => !present.has(kid));
    if (gone.length === 0) return;
    const action = edge.Event.Action.DELETE;
    const isSynthetic = true;
    this.#send(changeSet(gone.map((kid) => ({ action, isSynthetic, publicKey: { kid } }))));
  }

  #send(message: Message): void {
    for (const { channel } of this.#greeted) {
      channel.send(message);
      // What is signed with a new key may leave in this turn, too.
      channel.flush();
    }
  }

  /** Calls `changed` whenever one of the keys may have changed. */
  onChange(changed: () => void): void {
    this.#changed.push(changed);
  }

  /** All keys, each once. */
  all(): Key[] {
    const { env } = this.#context;
    const keys = [...tokenKeysOf(env), servingKey(this.#serving.server.certificate)];
    for (const ca of [...env.trust.anchors, ...env.trust.intermediates]) keys.push(caKey(ca));
    for (const { record } of env.store.table(caKind).all()) {
      if (isVerified(record)) keys.push(...keysOfCa(record));
    }
    return [...new Map(keys.toReversed().map((key) => [key.kid, key])).values()].reverse();
  }
}

function isVerified(record: CaRecord | undefined): record is CaRecord {
  return record?.state === 'verified';
}

/** They have no certificates; the tokens name them in the same way. */
function tokenKeysOf({ tokenKeys }: Pick<RoutersEnvironment, 'tokenKeys'>): Key[] {
  return tokenKeys.jwks.map(({ kid, ...jwk }) =>
    tokenKeyOf(kid, createPublicKey({ key: { ...jwk }, format: 'jwk' })),
  );
}

function tokenKeyOf(kid: string, key: KeyObject): Key {
  return {
    kid,
    data: key.export({ type: 'spki', format: 'der' }),
    usages: [JWT_VALIDATION],
    format: edge.PublicKey.Format.PUBLIC_KEY,
  };
}

function servingKey(certificate: X509Certificate): Key {
  const usages = [JWT_VALIDATION, CLIENT_CERTIFICATE_VALIDATION];
  return { kid: fingerprint(certificate), data: certificate.raw, usages };
}

function caKey(certificate: X509Certificate): Key {
  const usages = [CLIENT_CERTIFICATE_VALIDATION];
  return { kid: fingerprint(certificate), data: certificate.raw, usages };
}

/** None where the certificate cannot be read, which the integrity run reports. */
function keysOfCa({ certPem, fingerprint: kid }: CaRecord): Key[] {
  try {
    return [{ ...caKey(parseCertificates(certPem, 'a CA')[0]), kid }];
  } catch {
    return [];
  }
}

function creation(keys: readonly Key[]): Message {
  return changeSet(keys.map((publicKey) => ({ isSynthetic: true, publicKey })));
}

/** Synthetic: routers apply it whatever they know of the data model. */
function changeSet(changes: edge.Event.$Properties[]): Message {
  const body = encodeMessage(edge.ChangeSet, { isSynthetic: true, changes });
  return { contentType: contentTypes.modelChanges, body };
}
