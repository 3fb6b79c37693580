// The part of HTTP/1.1 that a load generator needs: status and body of answers, by Content-Length
// or in chunks.

/** Takes one complete answer. `bytes` is valid only during the call. */
export type TakeAnswer = (status: number, bytes: Buffer, bodyOffset: number) => void;

/** Reads the answers of one connection, one after the other; at most one is pending. */
export class AnswerReader {
  readonly #take: TakeAnswer;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Bytes of the answer that is arriving; 0 until its head is complete. */
  #wanted = 0;

  constructor(take: TakeAnswer) {
    this.#take = take;
  }

  /**
   * Takes received bytes. The chunk may be overwritten afterwards. @throws Error if they are no
   * answer of this form.
   */
  push(chunk: Buffer): void {
    if (this.#pendingBytes === 0) {
      const bytes = wholeLength(chunk);
      // Nearly all answers arrive as one chunk.
      if (bytes === chunk.length) {
        this.#give(chunk);
        return;
      }
      this.#wanted = bytes;
    }
    this.#pending.push(Buffer.from(chunk));
    this.#pendingBytes += chunk.length;
    if (this.#wanted === 0) {
      this.#join();
      this.#wanted = wholeLength(this.#pending[0] ?? chunk);
    }
    if (this.#wanted === 0 || this.#pendingBytes < this.#wanted) return;
    this.#join();
    const whole = this.#pending[0] ?? chunk;
    const wanted = this.#wanted;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#wanted = 0;
    if (whole.length > wanted) throw new Error('more came than was asked for');
    this.#give(whole);
  }

  #join(): void {
    if (this.#pending.length > 1) this.#pending = [Buffer.concat(this.#pending)];
  }

  #give(bytes: Buffer): void {
    const status =
      ((bytes[9] ?? 0) - 48) * 100 + ((bytes[10] ?? 0) - 48) * 10 + ((bytes[11] ?? 0) - 48);
    const bodyOffset = bytes.indexOf(headEnd) + headEnd.length;
    if (isChunked(bytes.toString('latin1', 0, bodyOffset))) {
      const head = bytes.subarray(0, bodyOffset);
      this.#take(status, Buffer.concat([head, ...chunksOf(bytes, bodyOffset)]), bodyOffset);
    } else this.#take(status, bytes, bodyOffset);
  }
}

const headEnd = Buffer.from('\r\n\r\n');
const lengthPattern = /\r\ncontent-length: *(\d+)/i;

/** Bytes of the answer that starts here, head and body; 0 as long as that is unknown. */
function wholeLength(bytes: Buffer): number {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return 0;
  const head = bytes.toString('latin1', 0, end);
  if (!head.startsWith('HTTP/1.1 ')) throw new Error(`no HTTP answer: ${head.slice(0, 60)}`);
  if (/^HTTP\/1\.1 (1\d\d|204|304)/.test(head)) return end + headEnd.length;
  if (isChunked(head)) return chunkedEnd(bytes, end + headEnd.length);
  const length = lengthPattern.exec(head);
  if (length === null) throw new Error(`an answer of unknown length: ${head.slice(0, 60)}`);
  return end + headEnd.length + Number(length[1]);
}

function isChunked(head: string): boolean {
  return /\r\ntransfer-encoding: *chunked/i.test(head);
}

/** Where the chunks from `offset` on end; 0 until the last one has arrived. */
function chunkedEnd(bytes: Buffer, offset: number): number {
  for (let at = offset; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return 0;
    const size = chunkSize(bytes, at, line);
    // Trailers are never requested, so an empty line follows the last chunk.
    at = line + 2 + size + 2;
    if (at > bytes.length) return 0;
    if (size === 0) return at;
  }
}

function* chunksOf(bytes: Buffer, offset: number): Generator<Buffer> {
  for (let at = offset; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = chunkSize(bytes, at, line);
    if (size === 0) return;
    yield bytes.subarray(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}

function chunkSize(bytes: Buffer, from: number, to: number): number {
  const size = Number.parseInt(bytes.toString('latin1', from, to), 16);
  if (Number.isNaN(size)) throw new Error('a chunk without a length');
  return size;
}
