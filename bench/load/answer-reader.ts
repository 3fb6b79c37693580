// The least of HTTP/1.1 a load generator needs: status and body of answers with a Content-Length.

/** Takes one whole answer. `bytes` is valid only during the call. */
export type TakeAnswer = (status: number, bytes: Buffer, bodyOffset: number) => void;

/** Reads the answers of one connection, one behind the other; at most one is under way. */
export class AnswerReader {
  readonly #take: TakeAnswer;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Bytes of the answer under way; 0 while its head is not complete. */
  #wanted = 0;

  constructor(take: TakeAnswer) {
    this.#take = take;
  }

  /**
   * Takes what came in. The chunk may be overwritten afterwards. @throws Error when it is no such
   * answer.
   */
  push(chunk: Buffer): void {
    if (this.#pendingBytes === 0) {
      const bytes = answerBytes(chunk);
      // Nearly all answers arrive in one piece.
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
      this.#wanted = answerBytes(this.#pending[0] ?? chunk);
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
    this.#take(status, bytes, bytes.indexOf(headEnd) + headEnd.length);
  }
}

const headEnd = Buffer.from('\r\n\r\n');
const lengthPattern = /\r\ncontent-length: *(\d+)/i;

/** Bytes of the answer that starts here, head and body; 0 while the head is not complete. */
function answerBytes(bytes: Buffer): number {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return 0;
  const head = bytes.toString('latin1', 0, end);
  if (!head.startsWith('HTTP/1.1 ')) throw new Error(`no HTTP answer: ${head.slice(0, 60)}`);
  const length = lengthPattern.exec(head);
  if (length === null) throw new Error(`an answer without Content-Length: ${head.slice(0, 60)}`);
  return end + headEnd.length + Number(length[1]);
}
