// The first start of a home: creates the records that every controller has, and its administrator
// (behaviour/identities#first-start).

import type { KeyObject } from 'node:crypto';
import { passwordCharactersMax } from '../auth/passwords/password-rules.ts';
import { createFirstKey } from '../auth/token-keys/roll.ts';
import type { Kind } from '../declare/kinds/kind.ts';
import { wholeValues } from '../declare/resources/bodies.ts';
import { insertRecord } from '../declare/resources/crud.ts';
import { StartProblem } from '../errors/errors.ts';
import type { Random } from '../platform/ports.ts';
import { createUpdb } from '../resources/authenticators/authenticator.ts';
import { builtInRecords } from '../resources/configs/built-in/index.ts';
import { kinds } from '../resources/index.ts';
import type { RecordBase } from '../store/record.ts';
import type { Transaction } from '../store/transaction.ts';
import type { ControllerEnvironment } from './controller-environment.ts';
import type { FirstStart } from './process-context.ts';

/** Bytes of a generated password: its 24 characters of base64url hold 144 bits. */
const passwordBytes = 18;

/** No other caller is served yet. */
const ownShare = { address: '', username: '', isKnown: true };

/**
 * Writes everything as one frame, so that a home is set up completely or not at all.
 * @param tokenKey `Authority.firstTokenKey`
 * @throws StartProblem when the configured administrator is not valid.
 */
export async function setUpHome(
  env: ControllerEnvironment,
  random: Random,
  tokenKey: KeyObject,
): Promise<FirstStart> {
  const { config, hasher, limits, store, clock } = env;
  const adminUser = config.adminUser;
  const adminPassword = config.adminPassword ?? random.bytes(passwordBytes).toString('base64url');
  const { passwordCharactersMin: least } = limits;
  const most = passwordCharactersMax;
  if (adminUser.length < 4 || adminUser.length > 100) {
    throw new StartProblem('The name of the administrator must have 4 to 100 characters.');
  }
  if (adminPassword.length < least || adminPassword.length > most) {
    throw new StartProblem(
      `The password of the administrator must have ${least} to ${most} characters.`,
    );
  }
  const passwordHash = await hasher.hash(adminPassword, config.argon2, ownShare);
  const cause = { actor: 'controller', requestId: '', operation: 'setUp' };
  store.transact(cause, (tx) => {
    const base = { createdAt: clock.now(), updatedAt: clock.now(), tags: {} };
    for (const { kind, record } of builtInRecords) {
      insert(env, tx, kind, { ...base, ...record });
    }
    const identityId = env.ids.entity();
    insert(env, tx, 'identity', {
      ...base,
      id: identityId,
      name: adminUser,
      isAdmin: true,
      isDefaultAdmin: true,
    });
    createUpdb({ env, tx, now: tx.now }, env.ids.entity(), {
      identityId,
      username: adminUser,
      passwordHash,
    });
    createFirstKey({ env, tx }, tokenKey);
    env.integrity.create(tx);
  });
  return { adminUser, adminPassword };
}

function insert(
  env: ControllerEnvironment,
  tx: Transaction,
  name: string,
  record: RecordBase & Record<string, unknown>,
): void {
  const kind = kinds.find((declared) => declared.kind === name) as Kind;
  const whole = { ...wholeValues(kind.fields, {}, undefined), ...record };
  insertRecord({ env, tx, now: tx.now }, kind, whole);
}
