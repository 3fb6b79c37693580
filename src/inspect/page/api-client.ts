// Sends requests to the controller's management API.

import { ApiProblem, type ApiRequest, type Ask, apiBase, requestHeaders } from './api.ts';

/**
 * Sends requests with the session token that `tokenOf` returns. `ended` is called with a token that
 * the controller no longer accepts.
 */
export function createAsk(tokenOf: () => string, ended?: (token: string) => void): Ask {
  return async <Data>(path: string, { method = 'GET', body, signal }: ApiRequest = {}) => {
    const token = tokenOf();
    const response = await fetch(`${apiBase}${path}`, {
      method,
      headers: requestHeaders(token, body !== undefined),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      credentials: 'omit',
      cache: 'no-store',
    }).catch((error: unknown) => {
      if (signal?.aborted === true) throw error;
      throw new ApiProblem(0, 'UNREACHABLE', 'The controller does not answer.');
    });
    const answer = await envelopeOf(response);
    if (response.ok) {
      return { data: answer.data as Data, totalCount: answer.meta?.pagination?.totalCount ?? 0 };
    }
    if (response.status === 401 && token !== '') ended?.(token);
    throw problemOf(response.status, answer);
  };
}

interface Envelope {
  readonly data?: unknown;
  readonly meta?: { readonly pagination?: { readonly totalCount?: number } };
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly cause?: { readonly field?: string; readonly reason?: string };
  };
}

/** An answer that is not JSON came from a proxy in front of the controller. */
async function envelopeOf(response: Response): Promise<Envelope> {
  try {
    return (await response.json()) as Envelope;
  } catch {
    return {};
  }
}

function problemOf(status: number, { error }: Envelope): ApiProblem {
  const { code = '', message = `The controller answered ${status}.`, cause } = error ?? {};
  const why = cause?.reason === undefined ? '' : `: ${cause.field ?? ''} ${cause.reason}`;
  return new ApiProblem(status, code, `${message.replace(/\.$/, '')}${why}`);
}
