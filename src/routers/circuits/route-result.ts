// What a router answers when it was told of a circuit (1022).

import { type Frame, MalformedMessage } from '../../channel/channel-api.ts';
import type { DialFailureCause } from '../router-feature.ts';

/** The result of one router. */
export interface RouteResult {
  readonly circuitId: string;
  readonly attempt: number;
  readonly isSuccess: boolean;
  /** Empty after a success. */
  readonly error: string;
  /** 0 when the router says none. */
  readonly errorCode: number;
}

/** The error code of a router that does not know the terminator. */
export const terminatorIsInvalid = 1;
/** The error code of a router that does not know a link of the path. */
export const linkIsUnknown = 8;

/** What a router says with its error codes from 1 on (behaviour/fabric#failed-dials). */
const causes: readonly DialFailureCause[] = [
  'INVALID_TERMINATOR',
  'MISCONFIGURED_TERMINATOR',
  'DIAL_TIMED_OUT',
  'CONNECTION_REFUSED',
  'REJECTED_BY_APPLICATION',
  'DNS_FAILED',
  'PORT_NOT_ALLOWED',
  'UNKNOWN_LINK',
  'NO_RESOURCES',
];

/** The cause of a failed dial that the error code of a router names. */
export function causeOfResult({ errorCode }: Pick<RouteResult, 'errorCode'>): DialFailureCause {
  return causes[errorCode - 1] ?? 'ROUTER_REFUSED';
}

const keys = { attempt: 1101, success: 1102, error: 1103, errorCode: 1104 } as const;
/** Bytes of an id of a circuit in a message. @bound per request */
export const circuitIdBytesMax = 100;
/** Bytes of an error text that are passed on. @bound per request */
const errorBytesMax = 1000;

/** Reads the result; the body is the id of the circuit. @throws MalformedMessage */
export function readRouteResult({ headers, body }: Frame): RouteResult {
  if (body.length === 0 || body.length > circuitIdBytesMax) {
    throw new MalformedMessage('a route result without the id of a circuit');
  }
  const attempt = headers.get(keys.attempt);
  return {
    circuitId: body.toString('utf8'),
    attempt: attempt?.length === 4 ? attempt.readUInt32LE(0) : 0,
    isSuccess: headers.get(keys.success)?.[0] === 1,
    error: headers.get(keys.error)?.subarray(0, errorBytesMax).toString('utf8') ?? '',
    errorCode: headers.get(keys.errorCode)?.[0] ?? 0,
  };
}
