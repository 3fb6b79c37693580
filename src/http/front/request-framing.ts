// Follows the requests in the bytes of a client, and lets only unambiguous framing through
// (RFC 9112).

import { Buffer } from 'node:buffer';
import { requestIdHeader, requestNameBytes } from '../../platform/http-exchange.ts';
import {
  decimal,
  type FramingFault,
  hostValue,
  refusedBody,
  refusedHead,
} from './framing-faults.ts';

/**
 * The requests of one connection. The server behind the front reads heads and chunks leniently. If
 * two readers disagree about the end of a request, the rest of it is taken for another request. So
 * each head and each line of chunked framing is held back until it is complete, and passed on only
 * if it can be read in one way. Bodies pass at once.
 *
 * The verdict depends on the bytes alone, not on how they were split into segments: it is made line
 * by line. The first fault is replaced by bytes that make the server answer 400 in order, after the
 * answers to earlier requests (`framing-faults.ts`). Nothing is passed on after it. Valid bytes
 * pass unchanged, except the semicolon before a chunk extension, which becomes a space, and the
 * header that only nodes may send.
 */
export class RequestFraming {
  /** Requests that were received as a whole. */
  wholeRequests = 0;
  readonly #headBytesMax: number;
  readonly #mayChange: boolean;
  readonly #namesRequests: boolean;
  #phase: Phase = phases.head;
  /** The beginning of a head or of a line of chunked framing. */
  #held: Buffer = nothing;
  /** Bytes of `#held` in lines that were already checked. */
  #checked = 0;
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0;
  /** Whether the held line follows the data of a chunk. */
  #isBehindData = false;
  #hosts = 0;
  /** The value of Content-Length; -1 for none. */
  #length = -1;
  #isChunked = false;
  #asksUpgrade = false;
  #asksClose = false;

  /**
   * `headBytesMax` bounds request line and headers together. With `mayChange: false` the bytes that
   * are taken stay as they are, for somebody who only follows the requests. Unless a node
   * `namesRequests`, the header by which it does gets another name.
   */
  constructor(headBytesMax: number, { mayChange = true, namesRequests = false } = {}) {
    this.#headBytesMax = headBytesMax + (namesRequests ? requestNameBytes : 0);
    this.#mayChange = mayChange;
    this.#namesRequests = namesRequests;
  }

  /** Whether the next byte begins a request. */
  get isBetweenRequests(): boolean {
    return this.#phase === phases.head && this.#held.length === 0;
  }

  /** Whether the beginning of a head was received but not its end. */
  get isInHead(): boolean {
    return this.#phase <= phases.headers && this.#held.length > 0;
  }

  /** Whether a fault was found, behind which nothing is passed on. */
  get isRefused(): boolean {
    return this.#phase === phases.refused;
  }

  /** Whether the client wants its connection closed behind the answer to the last request. */
  get asksClose(): boolean {
    return this.#asksClose;
  }

  /** Whether the answer to the last request decides if the connection goes on with HTTP. */
  get awaitsUpgrade(): boolean {
    return this.#phase === phases.upgrading;
  }

  /** Whether the connection has become a WebSocket, which only authenticated callers get. */
  get isUpgraded(): boolean {
    return this.#phase === phases.foreign;
  }

  /** Takes the first bytes that the server answers to a request for a WebSocket. */
  answered(bytes: Buffer): void {
    const isUpgraded = bytes.toString('latin1', 0, switching.length) === switching;
    this.#phase = isUpgraded ? phases.foreign : phases.head;
  }

  /**
   * Takes bytes of the client. @returns the bytes to pass to the server now; often the same bytes
   */
  take(chunk: Buffer): Buffer {
    if (this.#phase === phases.foreign) return chunk;
    if (this.#phase === phases.refused) return nothing;
    const held = this.#held.length;
    if (held === 0) return this.#check(chunk, 0, true);
    const bytes = Buffer.concat([this.#held, chunk]);
    // An incomplete line is checked again only when its end has arrived.
    return this.#check(bytes, this.#checked, bytes.includes(lineFeed, held));
  }

  /**
   * Checks bytes that begin with a head, a line of framing, or the rest of a body.
   * @param from start of the first line that was not checked
   * @param mayBeWhole false if this line is known to be incomplete
   */
  #check(bytes: Buffer, from: number, mayBeWhole: boolean): Buffer {
    const { length } = bytes;
    let at = from;
    /** Start of the head or the framing line that is not complete yet. */
    let start = 0;
    while (mayBeWhole && at < length) {
      if (this.#phase === phases.counted || this.#phase === phases.chunkData) {
        at = this.#skipBody(at, length);
      } else {
        const next = this.#line(bytes, at, start);
        if (typeof next === 'string') return this.#refuse(bytes, start, next);
        if (next === at) break;
        at = next;
      }
      if (this.#isUnitOver) start = at;
    }
    if (start === length) {
      this.#held = nothing;
      return bytes;
    }
    const fault = this.#tooLong(length - start, length - at);
    if (fault !== undefined) return this.#refuse(bytes, start, fault);
    this.#checked = at - start;
    // A copy, because a view would keep the whole segment in memory.
    this.#held = Buffer.from(bytes.subarray(start));
    return bytes.subarray(0, start);
  }

  /** Whether everything checked so far may be passed on. */
  get #isUnitOver(): boolean {
    const phase = this.#phase;
    return phase !== phases.headers && phase !== phases.nextSize && phase !== phases.lastLine;
  }

  #refuse(bytes: Buffer, start: number, fault: FramingFault): Buffer {
    const isBody = this.#phase >= phases.firstSize && this.#phase <= phases.lastLine;
    this.#phase = phases.refused;
    this.#held = nothing;
    const end = isBody ? refusedBody(fault, this.#isBehindData) : refusedHead(fault);
    return Buffer.concat([bytes.subarray(0, start), end]);
  }

  /** The fault of a head or a framing line that is too long. */
  #tooLong(unitBytes: number, lineBytes: number): FramingFault | undefined {
    if (this.#phase <= phases.headers) {
      return unitBytes > this.#headBytesMax ? 'headBytes' : undefined;
    }
    if (lineBytes <= framingLineBytesMax) return undefined;
    if (this.#phase === phases.dataEnd) return 'chunkEnd';
    return this.#phase === phases.lastLine ? 'trailers' : 'chunkSize';
  }

  #skipBody(at: number, end: number): number {
    const skipped = Math.min(this.#left, end - at);
    this.#left -= skipped;
    if (this.#left === 0) {
      this.#isBehindData = this.#phase === phases.chunkData;
      if (this.#isBehindData) this.#phase = phases.dataEnd;
      else this.#requestOver(phases.head);
    }
    return at + skipped;
  }

  /**
   * Checks a line, or all the header lines that have arrived.
   * @returns start of the next line, `from` for an incomplete line, or the fault
   */
  #line(bytes: Buffer, from: number, start: number): number | FramingFault {
    switch (this.#phase) {
      case phases.head:
        return this.#requestLine(bytes, from);
      case phases.headers:
        return this.#headers(bytes, from, start);
      case phases.firstSize:
      case phases.nextSize:
        return this.#chunkSize(bytes, from);
      case phases.dataEnd:
        return this.#emptyLine(bytes, from, 'chunkEnd', phases.nextSize);
      case phases.lastLine:
        return this.#emptyLine(bytes, from, 'trailers', phases.head);
      default:
        return 'earlyBytes';
    }
  }

  /** `METHOD /path HTTP/1.1` (RFC 9112 §3). */
  #requestLine(bytes: Buffer, from: number): number | FramingFault {
    const { length } = bytes;
    let at = from;
    while (at < length && kinds[bytes[at] ?? 0] === kind.token) at++;
    const isMethod = at > from && bytes[at] === space && bytes[at + 1] === slash;
    if (isMethod) {
      at += 2;
      while (at < length && (bytes[at] ?? 0) > space && bytes[at] !== deleteByte) at++;
      if (startsWith(bytes, at, versionEnd)) {
        this.#phase = phases.headers;
        this.#hosts = 0;
        this.#length = -1;
        this.#isChunked = false;
        this.#asksUpgrade = false;
        this.#asksClose = false;
        return at + versionEnd.length;
      }
    }
    const end = bytes.indexOf(lineFeed, from);
    if (end < 0) return from;
    if (end - from >= this.#headBytesMax) return 'headBytes';
    return isMethod && otherVersion.test(bytes.toString('latin1', at, end + 1))
      ? 'version'
      : 'requestLine';
  }

  /** Header lines up to the empty one (RFC 9112 §5). */
  #headers(bytes: Buffer, from: number, start: number): number | FramingFault {
    const { length } = bytes;
    let line = from;
    for (;;) {
      let at = line;
      while (at < length && kinds[bytes[at] ?? 0] === kind.token) at++;
      const nameEnd = at;
      if (bytes[at] === colon) {
        do at++;
        while (at < length && kinds[bytes[at] ?? 0] !== kind.control);
      }
      if (bytes[at] !== carriageReturn || bytes[at + 1] !== lineFeed) {
        const end = bytes.indexOf(lineFeed, line);
        if (end < 0) return line;
        return end - start >= this.#headBytesMax ? 'headBytes' : 'header';
      }
      at += 2;
      if (at - start > this.#headBytesMax) return 'headBytes';
      if (at === line + 2) return this.#headOver(at);
      // The server would read no header after one with an empty name.
      if (nameEnd === line || bytes[nameEnd] !== colon) return 'header';
      const fault = this.#header(bytes, line, nameEnd, at - 2);
      if (fault !== undefined) return fault;
      line = at;
    }
  }

  /** Notes the framing information of a header. */
  #header(bytes: Buffer, from: number, nameEnd: number, end: number): FramingFault | undefined {
    switch (nameEnd - from) {
      case hostName.length:
        if (!isNamed(bytes, from, hostName)) return undefined;
        this.#hosts += 1;
        return hostValue.test(fieldValue(bytes, nameEnd, end)) ? undefined : 'host';
      case upgradeName.length:
        if (!isNamed(bytes, from, upgradeName)) return undefined;
        this.#asksUpgrade = fieldValue(bytes, nameEnd, end).toLowerCase() === 'websocket';
        return undefined;
      case connectionName.length:
        if (!isNamed(bytes, from, connectionName)) return undefined;
        this.#asksClose ||= closeOption.test(fieldValue(bytes, nameEnd, end));
        return undefined;
      case lengthName.length: {
        if (!isNamed(bytes, from, lengthName)) return undefined;
        const value = fieldValue(bytes, nameEnd, end);
        if (this.#length >= 0 || !decimal.test(value)) return 'contentLength';
        this.#length = Number(value);
        return undefined;
      }
      case requestIdHeader.length:
        if (!this.#namesRequests && this.#mayChange && isNamed(bytes, from, requestIdHeader)) {
          bytes[from] = otherName;
        }
        return undefined;
      case encodingName.length:
        if (!isNamed(bytes, from, encodingName)) return undefined;
        if (this.#isChunked || fieldValue(bytes, nameEnd, end) !== 'chunked') {
          return 'transferEncoding';
        }
        this.#isChunked = true;
        return undefined;
      default:
        return undefined;
    }
  }

  /** A head is complete and tells what follows it (RFC 9112 §6.3). */
  #headOver(end: number): number | FramingFault {
    if (this.#hosts !== 1) return 'host';
    if (this.#isChunked) {
      if (this.#length >= 0) return 'bothLengths';
      this.#isBehindData = false;
      this.#phase = phases.firstSize;
    } else if (this.#length > 0) {
      this.#left = this.#length;
      this.#phase = phases.counted;
    } else this.#requestOver(this.#asksUpgrade ? phases.upgrading : phases.head);
    return end;
  }

  #requestOver(next: Phase): void {
    this.wholeRequests += 1;
    this.#phase = next;
  }

  /** The size of a chunk, and extensions, which are ignored (RFC 9112 §7.1). */
  #chunkSize(bytes: Buffer, from: number): number | FramingFault {
    const end = bytes.indexOf(lineFeed, from);
    if (end < 0) return from;
    if (end - from >= framingLineBytesMax) return 'chunkSize';
    const digits = chunkLine.exec(bytes.toString('latin1', from, end + 1))?.[1];
    if (digits === undefined) return 'chunkSize';
    // The library takes a semicolon for a digit, and ignores everything after a space.
    const digitsEnd = from + digits.length;
    if (bytes[digitsEnd] === semicolon && this.#mayChange) bytes[digitsEnd] = space;
    this.#left = Number.parseInt(digits, 16);
    this.#phase = this.#left === 0 ? phases.lastLine : phases.chunkData;
    return end + 1;
  }

  #emptyLine(bytes: Buffer, from: number, fault: FramingFault, next: Phase): number | FramingFault {
    const end = bytes.indexOf(lineFeed, from);
    if (end < 0) return from;
    if (end !== from + 1 || bytes[from] !== carriageReturn) return fault;
    if (next === phases.head) this.#requestOver(next);
    else this.#phase = next;
    return end + 1;
  }
}

/** The part that the next byte belongs to. Values before `counted` are parts of a head. */
const phases = {
  head: 0,
  headers: 1,
  counted: 2,
  firstSize: 3,
  chunkData: 4,
  dataEnd: 5,
  nextSize: 6,
  lastLine: 7,
  /** A request for a WebSocket that was not answered yet. */
  upgrading: 8,
  /** The connection no longer speaks HTTP. */
  foreign: 9,
  refused: 10,
} as const;
type Phase = (typeof phases)[keyof typeof phases];

function startsWith(bytes: Buffer, at: number, expected: readonly number[]): boolean {
  if (at + expected.length > bytes.length) return false;
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

/** Whether the header at `from` has this name of lower-case letters and hyphens. */
function isNamed(bytes: Buffer, from: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    if (((bytes[from + i] ?? 0) | 0x20) !== name.charCodeAt(i)) return false;
  }
  return true;
}

/** The value between a colon and the end of the line, without the space around it. */
function fieldValue(bytes: Buffer, colonAt: number, end: number): string {
  let from = colonAt + 1;
  let to = end;
  while (from < to && isBlank(bytes[from])) from++;
  while (to > from && isBlank(bytes[to - 1])) to--;
  return bytes.toString('latin1', from, to);
}

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab;
}

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const slash = 0x2f;
const colon = 0x3a;
const semicolon = 0x3b;
const deleteByte = 0x7f;

const kind = { control: 0, value: 1, token: 2 } as const;
/**
 * Classes of bytes: characters of names (RFC 9110 §5.6.2), other characters of values (§5.5), and
 * control characters.
 */
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (/[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte))) return kind.token;
  return byte === tab || (byte >= space && byte !== deleteByte) ? kind.value : kind.control;
});

const hostName = 'host';
const upgradeName = 'upgrade';
const connectionName = 'connection';
const closeOption = /(^|,)[ \t]*close[ \t]*(,|$)/i;
const lengthName = 'content-length';
const encodingName = 'transfer-encoding';
/** `x`, for the first character of a name that means something else. */
const otherName = 0x78;

const versionEnd = [...Buffer.from(' HTTP/1.1\r\n')];
const otherVersion = /^ HTTP\/\d\.\d\r\n$/;
/** At most 48 bits of size; `;` may have blanks around it. */
const chunkLine = /^(0*[\dA-Fa-f]{1,12})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?\r\n$/;
/** A chunk's size with its extensions: ten times what clients send. @bound per request */
const framingLineBytesMax = 256;
const switching = 'HTTP/1.1 101 ';
const nothing: Buffer = Buffer.alloc(0);
