// Requests to the API, their answers and refusals, without anything that depends on the browser.

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

/** Asks; rejects with `ApiProblem`, or with what the signal was aborted for. */
export type Ask = <Data>(path: string, request?: ApiRequest) => Promise<ApiAnswer<Data>>;
