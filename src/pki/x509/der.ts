// Reads DER (X.690) strictly and in one pass: definite, shortest lengths, no trailing bytes. It is
// our own code, because the X.509 library also accepts BER, ignores trailing bytes and takes 150 ms
// to load.

/** Bytes that are not the expected DER; `message` is the reason, as the end of a sentence. */
export class DerProblem extends Error {
  override readonly name = 'DerProblem';
}

/** One element. Both buffers are views of the input. */
export interface DerElement {
  /** The identifier byte: class, constructed or not, number. */
  readonly tag: number;
  readonly content: Buffer;
  /** Tag and length included. */
  readonly whole: Buffer;
}

/** Identifier bytes of the universal types in certificates. */
export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  visibleString: 0x1a,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The identifier byte of a constructed, context-specific element. */
export function contextTag(number: number): number {
  return 0xa0 | number;
}

/** Reads consecutive elements. */
export class DerReader {
  readonly #bytes: Buffer;
  #next = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#next === this.#bytes.length;
  }

  /** The next element. @throws DerProblem when there is none, or it has another tag. */
  next(tag?: number): DerElement {
    const start = this.#next;
    const found = this.#byte();
    if ((found & 0x1f) === 0x1f) throw new DerProblem('it holds a tag that no certificate has');
    if (tag !== undefined && found !== tag)
      throw new DerProblem('it is not laid out as it must be');
    const length = this.#length();
    const from = this.#next;
    if (length > this.#bytes.length - from) throw new DerProblem('it is cut off');
    this.#next = from + length;
    return {
      tag: found,
      content: this.#bytes.subarray(from, this.#next),
      whole: this.#bytes.subarray(start, this.#next),
    };
  }

  /** The next element if it has this tag. @throws DerProblem when it is damaged. */
  optional(tag: number): DerElement | undefined {
    return this.#bytes[this.#next] === tag && !this.isAtEnd ? this.next(tag) : undefined;
  }

  /** Enters the next element. @throws DerProblem as `next`. */
  enter(tag: number): DerReader {
    return new DerReader(this.next(tag).content);
  }

  /** @throws DerProblem when anything is left. */
  finish(): void {
    if (!this.isAtEnd) throw new DerProblem('there are bytes behind its end');
  }

  #byte(): number {
    const byte = this.#bytes[this.#next];
    if (byte === undefined) throw new DerProblem('it is cut off');
    this.#next += 1;
    return byte;
  }

  #length(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    const bytes = first & 0x7f;
    if (bytes === 0 || bytes > 4) throw new DerProblem('it holds a length that is not DER');
    let length = 0;
    for (let count = 0; count < bytes; count += 1) length = length * 256 + this.#byte();
    const isShortest = length >= 0x80 && length >= 256 ** (bytes - 1);
    if (!isShortest) throw new DerProblem('it holds a length that is not DER');
    return length;
  }
}

/** All of `bytes` as one element. @throws DerProblem when it is another or something follows. */
export function wholeElement(bytes: Buffer, tag: number): DerElement {
  const reader = new DerReader(bytes);
  const element = reader.next(tag);
  reader.finish();
  return element;
}

/** The bytes of a BIT STRING of whole bytes. @throws DerProblem for any other. */
export function bitStringBytes({ content }: DerElement): Buffer {
  if (content[0] !== 0) throw new DerProblem('it holds a bit string of no whole bytes');
  return content.subarray(1);
}
