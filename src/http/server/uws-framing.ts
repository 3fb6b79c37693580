// Checks the headers of a request as uWebSockets.js shows them, if no TLS worker did it before.

import type { HttpRequest as UwsRequest } from 'uWebSockets.js';
import { decimal, type FramingFault, hostValue } from '../front/framing-faults.ts';

/**
 * The fault in the headers that determine where a request ends (RFC 9112 §3.2 and §6.3). The
 * library reads the first line of each name, and an empty one as if it were not there.
 */
export function faultOfHeaders(request: UwsRequest): FramingFault | undefined {
  walk.fault = undefined;
  walk.hosts = 0;
  walk.lengths = 0;
  walk.encodings = 0;
  request.forEach(visit);
  if (walk.fault !== undefined) return walk.fault;
  if (walk.hosts !== 1) return 'host';
  if (walk.lengths > 1) return 'contentLength';
  if (walk.encodings > 1) return 'transferEncoding';
  return walk.lengths + walk.encodings > 1 ? 'bothLengths' : undefined;
}

/** One for all requests, because each walk ends before the next begins. */
const walk = {
  fault: undefined as FramingFault | undefined,
  hosts: 0,
  lengths: 0,
  encodings: 0,
};

function visit(name: string, value: string): void {
  switch (name) {
    case 'host':
      walk.hosts += 1;
      if (!hostValue.test(value)) walk.fault ??= 'host';
      return;
    case 'content-length':
      walk.lengths += 1;
      if (!decimal.test(value)) walk.fault ??= 'contentLength';
      return;
    case 'transfer-encoding':
      walk.encodings += 1;
      if (value !== 'chunked') walk.fault ??= 'transferEncoding';
  }
}
