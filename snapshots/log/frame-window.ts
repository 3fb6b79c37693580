// Reads frames of a segment through a window of its file, so that a whole segment is never in
// memory.

import type { DiskFile } from '../../src/platform/ports.ts';
import { paddedToWords } from '../binary.ts';
import { type FrameHeader, frameHeaderBytes, readFrame } from './frame.ts';

/** A frame as a window shows it; the payload is valid until the window moves. */
export interface SeenFrame {
  readonly header: FrameHeader;
  readonly payload: Buffer;
  /** Bytes including header and padding. */
  readonly bytes: number;
}

/** A window of `windowBytes`, or of one frame where that is larger. */
export class FrameWindow {
  readonly #file: DiskFile;
  readonly #seed: number;
  readonly #windowBytes: number;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #reads = 0;

  constructor(file: DiskFile, seed: number, windowBytes: number) {
    this.#file = file;
    this.#seed = seed;
    this.#windowBytes = windowBytes;
  }

  /** How often it read its file. */
  get reads(): number {
    return this.#reads;
  }

  /** The frame at `offset`; undefined when there is none or its checksum does not match. */
  frameAt(offset: number): SeenFrame | undefined {
    const bytes = this.bytesAt(offset);
    if (bytes < frameHeaderBytes || !this.#cover(offset, bytes)) return undefined;
    const at = offset - this.#start;
    const header = readFrame(this.#bytes, at, this.#seed);
    if (header === undefined) return undefined;
    const payload = this.#bytes.subarray(at + frameHeaderBytes, at + header.length);
    return { header, payload, bytes };
  }

  /**
   * The bytes that the length field at `offset` gives, with padding, for stepping over frames
   * without reading them. 0 when no frame fits into the file.
   */
  bytesAt(offset: number): number {
    if (!this.#cover(offset, frameHeaderBytes)) return 0;
    const bytes = paddedToWords(this.#bytes.readUInt32LE(offset - this.#start));
    return offset + bytes > this.#file.size() ? 0 : bytes;
  }

  /** Whether the window has a byte other than zero from `offset` on, after it is read again. */
  holdsBytes(offset: number): boolean {
    this.forget();
    this.#cover(offset, 1);
    return this.#bytes.some((byte) => byte !== 0);
  }

  /** Forgets what was read, which may have been overwritten, so that it is read again. */
  forget(): void {
    this.#bytes = Buffer.alloc(0);
  }

  #cover(offset: number, bytes: number): boolean {
    const end = this.#start + this.#bytes.length;
    if (offset >= this.#start && offset + bytes <= end) return true;
    this.#bytes = this.#file.read(offset, Math.max(bytes, this.#windowBytes));
    this.#start = offset;
    this.#reads++;
    return this.#bytes.length >= bytes;
  }
}
