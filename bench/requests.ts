// The requests of scenarios, and their expected answers.

import type { Expectation, RequestTemplate, Slot } from './load/job.ts';

/** Password of every caller and viewer. */
export const callerPassword = 'caller-password';

/** A GET with a token, or with several tokens in turn. */
export function get(path: string, tokens: string | readonly string[]): RequestTemplate {
  const base = { method: 'GET', path, body: '' };
  if (tokens === '') return { ...base, headers: {}, slots: {} };
  const values = typeof tokens === 'string' ? [tokens] : tokens;
  return {
    ...base,
    headers: { 'zt-session': '{{token}}' },
    slots: { token: { kind: 'list', values, every: 1, repeats: true } },
  };
}

/** A GET with access tokens of the OIDC provider in turn, each once or again and again. */
export function bearerGet(
  path: string,
  tokens: readonly string[],
  repeats: boolean,
): RequestTemplate {
  const headers = { authorization: 'Bearer {{token}}' };
  const slots = { token: { kind: 'list', values: tokens, every: 1, repeats } } as const;
  return { method: 'GET', path, body: '', headers, slots };
}

/** Lets the lists of a request start again at their end. */
export function repeated(request: RequestTemplate): RequestTemplate {
  const slots = Object.entries(request.slots).map(([name, slot]) => [
    name,
    slot.kind === 'list' ? { ...slot, repeats: true } : slot,
  ]);
  return { ...request, slots: Object.fromEntries(slots) };
}

/** A POST of JSON with `token`. */
export function post(
  path: string,
  token: string,
  body: string,
  slots: RequestTemplate['slots'],
): RequestTemplate {
  const session: Record<string, string> = token === '' ? {} : { 'zt-session': token };
  const headers = { ...session, 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body, slots };
}

/** `{{n}}`: the number of the request, eight digits. */
export const number = { n: { kind: 'number', digits: 8 } } as const;

/** The answer to a creation. The peer answers that of a session without a link to it. */
export function created(kind: string): Expectation {
  return { status: 201, idAfter: `"./${kind}/`, isIdInData: true };
}

/** The login of the n-th of `names`. */
export function loginRequest(names: readonly string[]): RequestTemplate {
  const body = JSON.stringify({ username: '{{name}}', password: callerPassword });
  const slots: Record<string, Slot> = { name: { kind: 'list', values: names, every: 1 } };
  return post('/edge/client/v1/authenticate?method=password', '', body, slots);
}

/** The answer to a login. */
export const loggedIn: Expectation = { status: 200, idAfter: '"token":"' };

/** A login with an empty object, as SDKs send it when they show a certificate. */
export const certificateLogin: { readonly request: RequestTemplate; readonly expect: Expectation } =
  { request: post('/edge/client/v1/authenticate?method=cert', '', '{}', {}), expect: loggedIn };

/** The answer to the creation of a session. */
export const sessionCreated: Expectation = created('sessions');

/** Each API session, then each service, then each type: no two requests are the same. */
export function sessionCreate(
  tokens: readonly string[],
  serviceIds: readonly string[],
): RequestTemplate {
  const body = JSON.stringify({ serviceId: '{{service}}', type: '{{type}}' });
  const template = post('/edge/client/v1/sessions', '{{token}}', body, {});
  return {
    ...template,
    slots: {
      token: { kind: 'list', values: tokens, every: 1 },
      service: { kind: 'list', values: serviceIds, every: tokens.length },
      type: { kind: 'list', values: ['Dial', 'Bind'], every: tokens.length * serviceIds.length },
    },
  };
}
