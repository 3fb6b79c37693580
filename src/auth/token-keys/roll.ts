// Makes token keys: the first one of a home, and each that replaces another
// (behaviour/token-keys#roll).

import type { KeyObject } from 'node:crypto';
import type { Environment } from '../../declare/operations/environment.ts';
import { makeKey } from '../../pki/authority/issue.ts';
import { privateKeyText, publicKeyText, tokenKeyId } from '../../pki/tokens/token-keys.ts';
import { type TokenKeyRecord, tokenKeyKind } from '../../records/token-key.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { Sealing } from '../sealing/sealing.ts';

/** The parts of the controller that keys are made with. */
export type TokenKeyEnvironment = Pick<Environment, 'store' | 'send' | 'bounds'> & {
  readonly sealing: Sealing;
};

/** The key cannot be replaced at present; the message is a sentence. Nothing was changed. */
export class RollRefused extends Error {
  override readonly name = 'RollRefused';
}

/** The key that was announced. */
export interface AnnouncedKey {
  readonly kid: string;
  /** Wall-clock ms. */
  readonly signsAt: number;
}

/** How long routers have to learn of a key before it signs, in ms. @bound */
const announcedMs = 60_000;

const keyBounds = {
  /** Keys that may exist at the same time: each is sent to all routers. @bound per controller */
  tokenKeysMax: 64,
};

/**
 * Makes a key that replaces the present one in a minute. Resolves once it is durable; routers are
 * told then.
 * @param endsSessions whether all API sessions end when it begins to sign, and the former keys with
 *   them
 * @throws RollRefused; errors of the journal, like operations
 */
export async function rollTokenKey(
  env: TokenKeyEnvironment,
  { endsSessions }: { readonly endsSessions: boolean },
): Promise<AnnouncedKey> {
  replacedKey(env, endsSessions);
  const key = await makeKey('ec-p256');
  const cause = { actor: 'edge-control keys roll', requestId: '', operation: 'rollTokenKey' };
  const announced = env.store.transact(cause, (tx) => {
    const replaces = replacedKey(env, endsSessions);
    const signsAt = tx.now + announcedMs;
    const times = { replaces, signsAt, endsSessions };
    return { kid: send({ env, tx }, 'announce', key, times), signsAt };
  });
  await env.store.journal.flush();
  return announced;
}

/**
 * Lets the key of the home sign that no record holds yet, unless nodes of the cluster know no such
 * records.
 */
export function adoptTokenKey(env: TokenKeyEnvironment, first: KeyObject): void {
  const table = env.store.table(tokenKeyKind);
  if (table.writtenVersion === 0) return;
  if ([...table.all()].some(({ record }) => record.state === 'signing')) return;
  const cause = { actor: 'controller', requestId: '', operation: 'adoptTokenKey' };
  env.store.transact(cause, (tx) => createFirstKey({ env, tx }, first));
}

/** The record of a home's first key. */
export function createFirstKey(context: Writing, key: KeyObject): void {
  send(context, 'adopt', key, {});
}

interface Writing {
  readonly env: Pick<TokenKeyEnvironment, 'send' | 'sealing'>;
  readonly tx: Transaction;
}

function send(
  { env, tx }: Writing,
  type: 'adopt' | 'announce',
  key: KeyObject,
  times: Partial<TokenKeyRecord>,
): string {
  const { kind } = tokenKeyKind;
  const id = tokenKeyId(key);
  const place = { kind, id, field: 'privateKey' };
  const fields = {
    tags: {},
    publicKey: publicKeyText(key),
    privateKey: env.sealing.seal(Buffer.from(privateKeyText(key)), place),
    replaces: undefined,
    signsAt: tx.now,
    verifiesUntil: undefined,
    endsSessions: false,
    ...times,
  };
  env.send(tx, kind, id, { type, now: tx.now, fields });
  return id;
}

/** The name of the key that signs. @throws RollRefused if it cannot be replaced */
function replacedKey({ store, bounds }: TokenKeyEnvironment, endsSessions: boolean): string {
  const { tokenKeysMax } = boundsOf(keyBounds, bounds);
  const records = [...store.table(tokenKeyKind).all()].map(({ record }) => record);
  const announced = records.find(({ state }) => state === 'announced');
  if (announced !== undefined) {
    const at = new Date(announced.signsAt ?? 0).toISOString();
    throw new RollRefused(`The key ${announced.id} was announced before and signs from ${at} on.`);
  }
  if (records.length >= tokenKeysMax && !endsSessions) {
    throw new RollRefused(
      `There are ${records.length} keys whose tokens are still good, and no more than ${tokenKeysMax} are kept: ` +
        'let all sessions end (--end-sessions), or wait.',
    );
  }
  const signing = records.find(({ state }) => state === 'signing');
  if (signing !== undefined) return signing.id;
  throw new RollRefused(
    'No record holds the key that signs: finish the upgrade of the cluster first.',
  );
}
