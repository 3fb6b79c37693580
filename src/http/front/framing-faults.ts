// The faults in the framing of a request, and how a TLS worker reports them to the server.

import { Buffer } from 'node:buffer';

/** The answer to a client: the status, the part of the request and the rule that it breaks. */
export interface FramingRule {
  readonly status: 400 | 431 | 505;
  readonly field: string;
  readonly reason: string;
}

const rule = (field: string, reason: string, status: FramingRule['status'] = 400): FramingRule => ({
  status,
  field,
  reason,
});

/** All faults by name. The sections are those of RFC 9112, unless another is named. */
export const framingRules = {
  // §3 and §3.2.1: no absolute form, because clients send it only to proxies.
  requestLine: rule('request line', 'must be a method, a path and HTTP/1.1, ended by CR LF'),
  version: rule('request line', 'must name HTTP/1.1', 505),
  // §5.1 and §5.2.
  header: rule('headers', 'must be lines of a name, a colon and a value, ended by CR LF'),
  headBytes: rule('headers', 'must not be longer than the controller allows', 431),
  // §3.2.
  host: rule('host', 'must be there once, and name a host'),
  // §6.3, and RFC 9110 §8.6.
  contentLength: rule('content-length', 'must be there once, and be a decimal number'),
  transferEncoding: rule('transfer-encoding', 'must be there once, and be exactly chunked'),
  bothLengths: rule('transfer-encoding', 'must not be there together with content-length'),
  // §7.1.
  chunkSize: rule('body', 'must have chunks that begin with their size in hexadecimal digits'),
  chunkEnd: rule('body', 'must have CR LF behind the data of each chunk'),
  // §7.1.2 lets a server drop them; nothing here reads them.
  trailers: rule('body', 'must not have trailers'),
  // RFC 6455 §4.1: the client waits for the answer.
  earlyBytes: rule('upgrade', 'must be answered before anything else is sent'),
} as const satisfies Record<string, FramingRule>;

/** The name of one fault. */
export type FramingFault = keyof typeof framingRules;

/**
 * A request that stands for one with this fault in its head. A client that sends it gets the same
 * answer, so it needs no protection.
 */
export function refusedHead(fault: FramingFault): Buffer {
  return Buffer.from(`${refusedMethod} /${fault} HTTP/1.1\r\nHost: edge\r\n\r\n`);
}

/**
 * The end of a chunked body with this fault: a last chunk that occurs in no text, because 0xFF is
 * not a byte of UTF-8.
 * @param isBehindData whether the data of another chunk must end first
 */
export function refusedBody(fault: FramingFault, isBehindData: boolean): Buffer {
  const size = (fault.length + 1).toString(16);
  const text = `${isBehindData ? '\r\n' : ''}${size}\r\n\xff${fault}\r\n0\r\n\r\n`;
  return Buffer.from(text, 'latin1');
}

/** The fault that a request stands for, by `refusedHead`; undefined for any other request. */
export function faultOfHead(method: string, path: string): FramingFault | undefined {
  return method === refusedMethod ? faultNamed(path.slice(1), 'requestLine') : undefined;
}

/** The fault of a chunked body that ends by `refusedBody`; undefined for any other body. */
export function faultOfBody(body: Buffer): FramingFault | undefined {
  const tail = body.subarray(-(longestName + 1));
  const mark = tail.lastIndexOf(0xff);
  return mark < 0 ? undefined : faultNamed(tail.toString('latin1', mark + 1), undefined);
}

function faultNamed<F>(name: string, otherwise: F): FramingFault | F {
  return isFault(name) ? name : otherwise;
}

function isFault(name: string): name is FramingFault {
  return Object.hasOwn(framingRules, name);
}

/** The value of a Content-Length: more digits than the largest body has, and a safe integer. */
export const decimal: RegExp = /^\d{1,15}$/;
/** The value of a Host: a host and a port as RFC 3986 §3.2 writes them, or nothing. */
export const hostValue: RegExp = /^[\w\-.~%!$&'()*+;=:[\]]*$/;

const refusedMethod = 'MALFORMED';
const longestName = Math.max(...Object.keys(framingRules).map((name) => name.length));
