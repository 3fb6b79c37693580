// The errors of the client: a request that the controller refused, and one that it did not answer.

/** The controller refused a request. Clients decide by `status` and `code`. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  /** HTTP status. */
  readonly status: number;
  /** A code of docs/generated/errors.md, such as `NOT_FOUND`; empty if the answer has none. */
  readonly code: string;
  /** The id under which the controller's log has more; empty if the answer has none. */
  readonly requestId: string;
  /** `cause` of the error body: the field that is wrong and why, or a nested error. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  /** Whether the session is missing or over (RFC 9110 §11.6.1), and not merely a right. */
  readonly needsLogin: boolean;

  /**
   * @param body the answer, parsed
   * @param headers those of the answer
   */
  constructor(what: string, status: number, body: unknown, headers?: Headers) {
    const { code, message, requestId, cause } = errorIn(body);
    super(`${what}: ${[status, code, textOf(message, cause)].filter((word) => word).join(' ')}`);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = cause;
    this.needsLogin = status === 401 && headers?.has('www-authenticate') === true;
  }
}

/** The controller could not be reached, or sent no whole answer. */
export class ControllerUnreachable extends Error {
  override readonly name = 'ControllerUnreachable';
}

/** An answer as openapi-fetch hands it out. */
interface Answer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The body of a successful answer: `await answered(client.management.GET('/services'))`.
 * @throws RequestRefused for any other answer
 */
export async function answered<A extends Answer>(
  call: Promise<A>,
): Promise<Exclude<A['data'], undefined>> {
  const { data, error, response } = await call;
  if (response.ok) return data as Exclude<A['data'], undefined>;
  const { pathname } = new URL(response.url);
  throw new RequestRefused(pathname, response.status, { error: inner(error) }, response.headers);
}

/** openapi-fetch hands out the body of a refusal as `error`; its member `error` is ours. */
function inner(error: unknown): unknown {
  return isObject(error) ? error['error'] : error;
}

interface ErrorFacts {
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly cause: Readonly<Record<string, unknown>> | undefined;
}

function errorIn(body: unknown): ErrorFacts {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const text = (key: string) => (typeof error[key] === 'string' ? error[key] : '');
  const cause = isObject(error['cause']) ? error['cause'] : undefined;
  return { code: text('code'), message: text('message'), requestId: text('requestId'), cause };
}

function textOf(message: string, cause: Readonly<Record<string, unknown>> | undefined): string {
  if (cause === undefined) return message;
  const { field, reason, message: nested } = cause;
  if (typeof field === 'string') return `${message} ${field} ${String(reason)}`;
  return typeof nested === 'string' ? `${message} ${nested}` : message;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
