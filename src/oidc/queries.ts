// What a login still owes, and the answer to a client that has given a factor
// (behaviour/oidc#logins).

import { isEnrolled, jwtQuery, loginChallenge } from '../auth/factors.ts';
import type { Reply } from '../declare/operations/operation.ts';
import type { Header } from '../platform/http-exchange.ts';
import type { AuthRequestRecord } from '../records/auth-request.ts';
import type { Context } from './context.ts';
import { askForFactor } from './page.ts';
import { json, originOf, redirect, wantsPage } from './replies.ts';

/** The prefix of a factor that is a token of an external JWT signer; its id follows. */
export const signerFactor = 'ejs:';

/** The factor of a TOTP or recovery code. */
export const totpFactor = 'totp';

/** A factor that a login owes, as clients of the provider read it. */
type LoginQuery = Readonly<Record<string, unknown>>;

/**
 * The answer to a factor that was right: on to the callback, or what is still owed. A browser is
 * shown a page.
 */
export function answerTo(context: Context, record: AuthRequestRecord): Reply {
  if (record.state === 'complete') return toCallback(context, record);
  if (wantsPage(context) && record.owed.includes(totpFactor)) {
    return askForFactor(context, record);
  }
  return queriesReply(context, record);
}

/** Sends the client to the callback, by its whole address. */
function toCallback(context: Context, { id, callbackKey }: AuthRequestRecord): Reply {
  return redirect(`${originOf(context)}/oidc/authorize/callback?id=${id}&key=${callbackKey}`);
}

/** What is still owed. */
export function queriesReply(context: Context, record: AuthRequestRecord): Reply {
  const authQueries = record.owed.map((factor) => queryOf(context, record, factor));
  const headers: Header[] = [];
  if (record.owed.includes(totpFactor)) headers.push(['totp-required', 'true']);
  const signers = record.owed.filter((factor) => factor.startsWith(signerFactor));
  const queries = signers.map((factor) => jwtQuery(context.env, signerOf(factor)));
  headers.push(...loginChallenge(context, { queries }));
  return json({ authQueries }, { headers });
}

function queryOf(context: Context, record: AuthRequestRecord, factor: string): LoginQuery {
  if (factor === totpFactor) return totpQuery(context, record);
  return { ...jwtQuery(context.env, signerOf(factor)) };
}

function signerOf(factor: string): string {
  return factor.slice(signerFactor.length);
}

function totpQuery({ env }: Context, { identityId }: AuthRequestRecord): LoginQuery {
  return {
    typeId: 'TOTP',
    provider: 'ziti',
    httpMethod: 'POST',
    httpUrl: './oidc/login/totp',
    format: 'numeric',
    minLength: 6,
    maxLength: 8,
    ...(isEnrolled({ env }, identityId) ? { isTotpEnrolled: true } : {}),
    scopes: null,
  };
}
