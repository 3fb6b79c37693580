// The parameters of a request to the provider, from its query and its form (RFC 6749 §3.1).

import { ApiError } from '../errors/errors.ts';
import type { Context } from './context.ts';

/** The content type of a form. */
export const formType = 'application/x-www-form-urlencoded';

/** Bytes of a form. Tokens have at most 8 KiB. @bound per request */
const formBytesMax = 64 * 1024;

/** Parameters of one request; the most that clients send are 16. @bound per request */
const parametersMax = 64;

/** The parameters of one request. */
export interface Parameters {
  /**
   * The value of a parameter that may be there once; empty if it is not.
   * @throws ApiError INVALID_REQUEST.
   */
  one(name: string, charactersMax?: number): string;
  /** All values of a parameter, in their order. */
  all(name: string): readonly string[];
}

/** Characters of a parameter that is no token. @bound per request */
const parameterCharactersMax = 2048;

/**
 * The parameters of query and form together.
 * @throws ApiError for a form that is too large, or holds too many of them.
 */
export function parametersOf(context: Pick<Context, 'query' | 'rawBody'>): Parameters {
  const form = formOf(context.rawBody);
  const { query } = context;
  const all = (name: string) => [...query.getAll(name), ...form.getAll(name)];
  if (query.size + form.size > parametersMax) {
    throw tooMany();
  }
  return {
    all,
    one(name, charactersMax = parameterCharactersMax) {
      const [value = '', ...others] = all(name);
      if (others.length > 0) throw invalidRequest(name, 'is there more than once');
      if (value.length > charactersMax) {
        throw invalidRequest(name, `has more than ${charactersMax} characters`);
      }
      return value;
    },
  };
}

/** The fields of a form. @throws ApiError for one that is too large. */
export function formOf(body: Buffer | undefined): URLSearchParams {
  if (body !== undefined && body.length > formBytesMax) {
    throw new ApiError('REQUEST_ENTITY_TOO_LARGE');
  }
  const form = new URLSearchParams(body?.toString('utf8'));
  if (form.size > parametersMax) throw tooMany();
  return form;
}

function tooMany(): ApiError {
  return new ApiError('INVALID_REQUEST', {
    message: `The request has more than ${parametersMax} parameters.`,
  });
}

/** 400 for one parameter. Its value is not repeated, as it may be a secret. */
export function invalidRequest(field: string, reason: string): ApiError {
  return new ApiError('INVALID_REQUEST', { cause: { field, reason, value: '' } });
}
