// Keeps the JWTs by which clients enroll under a CA (behaviour/enrollment#lasting-jwts).

import type { Log } from '../../observe/logs.ts';
import { caKind } from '../../records/ca.ts';
import type { ResourceEnvironment } from '../context.ts';

/**
 * Signs the JWTs that are missing or of another key or address, some per frame. Called at the start
 * and after the key has changed. A failure is logged; those JWTs are then signed for each request.
 */
export function renewCaTokens(env: ResourceEnvironment, log: Log): void {
  const table = env.store.table(caKind);
  const cause = { actor: 'controller', requestId: '', operation: 'renewCaTokens' };
  const old = [...table.all()].filter(({ record }) => !env.isCurrentCaEnrollment(record.jwt ?? ''));
  try {
    for (let from = 0; from < old.length; from += casPerFrame) {
      env.store.transact(cause, (tx) => {
        for (const { record } of old.slice(from, from + casPerFrame)) {
          tx.put(table, { ...record, jwt: env.signCaEnrollment(record.id) });
        }
      });
    }
  } catch (err) {
    log.error({ err }, 'the enrollment JWTs of CAs could not be renewed');
  }
}

/** CAs whose JWTs one frame holds: with a certificate of 64 KiB each, it stays under 2 MiB. */
const casPerFrame = 20;
