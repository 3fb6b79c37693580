// The controller's management API: addresses, requests, answers and refusals, without anything that
// depends on the browser.

/** On the host that served the page. */
export const apiBase = '/edge/management/v1';

/** Headers of a request; an empty token means that nobody is logged in. */
export function requestHeaders(token: string, hasBody: boolean): Record<string, string> {
  return {
    accept: 'application/json',
    ...(token === '' ? {} : { 'zt-session': token }),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  };
}

/** Path with query parameters; empty ones are left out. */
export function pathWith(path: string, query: Readonly<Record<string, string | number>>): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== '') text.set(name, String(value));
  }
  return text.size === 0 ? path : `${path}?${text}`;
}

/** Path of the instances of a kind, or of one of them. */
export function instancesPath(kind: string, id?: string): string {
  const path = `/inspect/machines/${encodeURIComponent(kind)}/instances`;
  return id === undefined ? path : `${path}/${encodeURIComponent(id)}`;
}

/** Options of a request besides its path. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** `data` of an answer, and how many there are in all where it is a list. */
export interface ApiAnswer<Data> {
  readonly data: Data;
  readonly totalCount: number;
}

/** A refusal by the controller, in its own words. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Sends a request; rejects with `ApiProblem`, or with the reason for which it was aborted. */
export type Ask = <Data>(path: string, request?: ApiRequest) => Promise<ApiAnswer<Data>>;
