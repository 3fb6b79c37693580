// Errors in the forms that clients of the OIDC provider expect (behaviour/oidc#errors).

import type { ErrorCode } from './error-codes.ts';
import type { ApiError } from './errors.ts';

/** The codes that OAuth and OpenID Connect have names for (RFC 6749 §5.2, OIDC Core §3.1.2.6). */
const ownNames: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ACCESS_DENIED',
  'INVALID_CLIENT',
  'INVALID_GRANT',
  'INVALID_REQUEST',
  'INVALID_SCOPE',
  'UNAUTHORIZED_CLIENT',
  'UNSUPPORTED_GRANT_TYPE',
]);

/** The name of an error in OAuth. Every code has one, because clients switch on it. */
function oauthName({ code, status }: Pick<ApiError, 'code' | 'status'>): string {
  if (ownNames.has(code)) return code.toLowerCase();
  // RFC 6750 §3.1.
  if (code === 'UNAUTHORIZED') return 'invalid_token';
  if (status === 500) return 'server_error';
  return status === 409 || status === 429 || status === 503
    ? 'temporarily_unavailable'
    : 'invalid_request';
}

/** The JSON body of an error of a protocol endpoint (RFC 6749 §5.2). */
export function protocolErrorBody(error: ApiError, requestId: string): string {
  const text = { error: oauthName(error), error_description: descriptionOf(error) };
  return JSON.stringify(error.status < 500 ? text : { ...text, requestId });
}

/** The JSON body of an error of a login. */
export function loginErrorBody({ code, message, cause }: ApiError, requestId: string): string {
  return JSON.stringify({
    code,
    message,
    requestId,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The sentence with what is wrong with which parameter. Never a value: it may be a token. */
function descriptionOf({ message, cause }: ApiError): string {
  if (cause === undefined || !('field' in cause)) return message;
  return `${message} ${cause.field} ${cause.reason}.`;
}
