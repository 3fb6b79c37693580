// Frames of the control channel: reading them from bytes as they arrive, and writing them
// (behaviour/control-channel#frames-and-channels).

import { type Frame, MalformedMessage } from './channel-api.ts';
import { decodeHeaders, headerKeys } from './headers.ts';

/**
 * Reads frames from bytes that arrive in chunks of any size. Headers and bodies of frames are views
 * of these bytes where a frame lies within one chunk.
 */
export class FrameReader {
  #bounds = firstFrame;
  /** What has arrived and is not read yet lies from `#start` to `#end`. */
  #bytes: Buffer = noBytes;
  #start = 0;
  #end = 0;
  /** Whether `#bytes` was allocated here, so that more may be written behind `#end`. */
  #isOwn = false;

  /** Bytes that have arrived and belong to no frame that was read. */
  get heldBytes(): number {
    return this.#end - this.#start;
  }

  /** Takes bytes that have arrived. */
  push(bytes: Buffer): void {
    if (this.#start < this.#end) {
      this.#append(bytes);
      return;
    }
    this.#hold(bytes, bytes.length, false);
  }

  /**
   * The next frame; undefined while it is not complete.
   * @throws MalformedMessage when the bytes are no frame, or one beyond the bounds; it is thrown as
   *   soon as the head of the frame has arrived. Nothing can be read afterwards.
   */
  next(): Frame | undefined {
    this.#check();
    const frameBytes = this.#frameBytes();
    if (this.heldBytes < frameBytes) {
      this.#keep();
      return undefined;
    }
    const end = this.#start + frameBytes;
    const frame = frameIn(this.#bytes.subarray(this.#start, end));
    this.#bounds = laterFrames;
    this.#start = end;
    if (end === this.#end) this.#hold(noBytes, 0, false);
    return frame;
  }

  /** How long the first frame is, as far as is known: at least its head. */
  #frameBytes(): number {
    if (this.heldBytes < headBytes) return headBytes;
    const at = this.#start + 12;
    return headBytes + this.#bytes.readUInt32LE(at) + this.#bytes.readUInt32LE(at + 4);
  }

  #check(): void {
    if (this.heldBytes < headBytes) return;
    const bytes = this.#bytes;
    const start = this.#start;
    if (bytes.readUInt32BE(start) !== marker) throw new MalformedMessage('no frame begins here');
    const headersBytes = bytes.readUInt32LE(start + 12);
    if (headersBytes > this.#bounds.headersBytesMax) {
      throw new MalformedMessage(`the headers of a frame have ${headersBytes} bytes`);
    }
    const bodyBytes = bytes.readUInt32LE(start + 16);
    if (bodyBytes > this.#bounds.bodyBytesMax) {
      throw new MalformedMessage(`the body of a frame has ${bodyBytes} bytes`);
    }
  }

  /** A few bytes of an unfinished frame should not keep a large chunk in memory. */
  #keep(): void {
    const length = this.heldBytes;
    if (this.#isOwn || length === 0 || 2 * length > this.#bytes.length) return;
    this.#move(length);
  }

  #append(bytes: Buffer): void {
    const length = this.heldBytes + bytes.length;
    if (!this.#isOwn || this.#end + bytes.length > this.#bytes.length) {
      // The room doubles, so that what arrives byte by byte is not copied for each byte. What is
      // only announced takes no room.
      const frameBytes = this.#frameBytes();
      this.#move(frameBytes > length ? Math.min(2 * length, frameBytes) : 2 * length);
    }
    bytes.copy(this.#bytes, this.#end);
    this.#end += bytes.length;
  }

  #move(roomBytes: number): void {
    const moved = Buffer.allocUnsafeSlow(roomBytes);
    const length = this.#bytes.copy(moved, 0, this.#start, this.#end);
    this.#hold(moved, length, true);
  }

  #hold(bytes: Buffer, length: number, isOwn: boolean): void {
    this.#bytes = bytes;
    this.#start = 0;
    this.#end = length;
    this.#isOwn = isOwn;
  }
}

/**
 * The frame that bytes hold, which end with it. Headers and body are views of the bytes.
 * @throws MalformedMessage when they are not exactly one frame
 */
export function decodeFrame(bytes: Buffer): Frame {
  const isWhole =
    bytes.length >= headBytes &&
    bytes.readUInt32BE(0) === marker &&
    bytes.length === headBytes + bytes.readUInt32LE(12) + bytes.readUInt32LE(16);
  if (!isWhole) throw new MalformedMessage('these bytes are not exactly one frame');
  return frameIn(bytes);
}

function frameIn(bytes: Buffer): Frame {
  const bodyStart = headBytes + bytes.readUInt32LE(12);
  return {
    contentType: bytes.readInt32LE(4),
    sequence: bytes.readInt32LE(8),
    headers: decodeHeaders(bytes.subarray(headBytes, bodyStart)),
    body: bytes.subarray(bodyStart),
  };
}

/** A frame to write. */
export interface FrameToWrite {
  readonly contentType: number;
  readonly sequence: number;
  /** The sequence of the request that this frame replies to; -1 for a hello. */
  readonly replyFor?: number | undefined;
  /** 8 bytes that the other side sends back. */
  readonly heartbeat?: Buffer | undefined;
  /** The 8 bytes that the other side has sent. */
  readonly heartbeatResponse?: Buffer | undefined;
  /** What the request had in its header of this name. */
  readonly reflected?: Buffer | undefined;
  /** Further headers, made by `encodeHeaders`. */
  readonly headers?: Buffer | undefined;
  readonly body?: Buffer | undefined;
  /** The bytes of the body that follow those in `body`. */
  readonly bodyRest?: Buffer | undefined;
}

/**
 * Adds the bytes of a frame to chunks and returns their number. Long headers and bodies are added
 * as they are, without a copy, so that many frames can share them.
 */
export function encodeFrame(frame: FrameToWrite, chunks: Buffer[]): number {
  const { replyFor, heartbeat, heartbeatResponse, reflected } = frame;
  const { headers = noBytes, body = noBytes, bodyRest = noBytes } = frame;
  const ownBytes =
    (replyFor === undefined ? 0 : 12) +
    (heartbeat === undefined ? 0 : 8 + heartbeat.length) +
    (heartbeatResponse === undefined ? 0 : 8 + heartbeatResponse.length) +
    (reflected === undefined ? 0 : 8 + reflected.length);
  const bodyBytes = body.length + bodyRest.length;
  const sharedBytes = headers.length + bodyBytes;
  const isShared = sharedBytes > copiedBytesMax;
  const bytes = Buffer.allocUnsafe(headBytes + ownBytes + (isShared ? 0 : sharedBytes));
  bytes.writeUInt32BE(marker, 0);
  bytes.writeInt32LE(frame.contentType, 4);
  bytes.writeInt32LE(frame.sequence, 8);
  bytes.writeUInt32LE(ownBytes + headers.length, 12);
  bytes.writeUInt32LE(bodyBytes, 16);
  let at = headBytes;
  if (replyFor !== undefined) {
    at = writeHeaderHead(bytes, at, headerKeys.replyFor, 4);
    at = bytes.writeInt32LE(replyFor, at);
  }
  if (heartbeat) at = writeHeader(bytes, at, headerKeys.heartbeat, heartbeat);
  if (heartbeatResponse) {
    at = writeHeader(bytes, at, headerKeys.heartbeatResponse, heartbeatResponse);
  }
  if (reflected) at = writeHeader(bytes, at, headerKeys.reflected, reflected);
  chunks.push(bytes);
  if (isShared) {
    if (headers.length > 0) chunks.push(headers);
    if (body.length > 0) chunks.push(body);
    if (bodyRest.length > 0) chunks.push(bodyRest);
  } else {
    at += headers.copy(bytes, at);
    at += body.copy(bytes, at);
    bodyRest.copy(bytes, at);
  }
  return headBytes + ownBytes + sharedBytes;
}

function writeHeader(bytes: Buffer, at: number, key: number, value: Buffer): number {
  const valueAt = writeHeaderHead(bytes, at, key, value.length);
  return valueAt + value.copy(bytes, valueAt);
}

function writeHeaderHead(bytes: Buffer, at: number, key: number, length: number): number {
  bytes.writeInt32LE(key, at);
  return bytes.writeUInt32LE(length, at + 4);
}

/** Marker, content type, sequence, length of the headers, length of the body. */
const headBytes = 20;
const marker = 0x0306090c;
const noBytes = Buffer.alloc(0);

/**
 * Headers and body up to this size together are copied, because a write of pieces costs more.
 * @bound
 */
const copiedBytesMax = 2048;

/** The lengths that a frame may have. */
interface FrameBounds {
  readonly headersBytesMax: number;
  readonly bodyBytesMax: number;
}

/** Bytes of the headers of a hello, as the peer has it. @bound per connection */
const helloHeadersBytesMax = 16_384;

/** Bytes of the body of a hello, which is an id, as the peer has it. @bound per connection */
const helloBodyBytesMax = 4192;

/**
 * Bytes of the headers of a frame. The largest is a route result with the peer data of a host.
 * @bound per entity
 */
const headersBytesMax = 64 * 1024;

/**
 * Bytes of the body of a frame. The full state of 10,000 links has 1.2 MB. @bound per entity
 */
const bodyBytesMax = 16 * 1024 * 1024;

const firstFrame: FrameBounds = {
  headersBytesMax: helloHeadersBytesMax,
  bodyBytesMax: helloBodyBytesMax,
};
const laterFrames: FrameBounds = { headersBytesMax, bodyBytesMax };
