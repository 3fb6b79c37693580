// Checks answers: the status of each, that its id is new, and the whole body of some.

import type { Expectation, JobResult } from './job.ts';

/** One answer of this many is parsed completely: enough to notice errors, and cheap. */
const parsedEach = 256;

/** The most wrong answers that are described in words. */
const samplesMax = 5;

/** The results of the checks. */
export type CheckResult = Pick<
  JobResult,
  'wrong' | 'wrongSamples' | 'distinctIds' | 'ids' | 'answerBytes'
>;

/** The checks of one job. */
export class AnswerCheck {
  readonly #expect: Expectation;
  readonly #includes: Buffer | undefined;
  readonly #idAfter: Buffer | undefined;
  readonly #seen = new Set<string>();
  readonly #ids: string[] | undefined;
  readonly #samples: string[] = [];
  #wrong = 0;
  #taken = 0;
  #answerBytes = 0;

  constructor(expect: Expectation, collectIds: boolean) {
    this.#expect = expect;
    this.#includes = expect.includes === undefined ? undefined : Buffer.from(expect.includes);
    this.#idAfter = expect.idAfter === undefined ? undefined : Buffer.from(expect.idAfter);
    this.#ids = collectIds ? [] : undefined;
  }

  /** Checks the answer to the n-th request of the job. */
  take(n: number, status: number, bytes: Buffer, bodyOffset: number): void {
    this.#answerBytes = bytes.length;
    const reason = this.#reason(n, status, bytes, bodyOffset);
    if (reason !== undefined) this.#blame(reason, bytes, bodyOffset);
    this.#taken += 1;
  }

  /** Counts a connection that ended unexpectedly. */
  broken(reason: string): void {
    this.#wrong += 1;
    if (this.#samples.length < samplesMax) this.#samples.push(`connection lost: ${reason}`);
  }

  result(): CheckResult {
    return {
      wrong: this.#wrong,
      wrongSamples: this.#samples,
      distinctIds: this.#seen.size,
      ids: this.#ids === undefined ? [] : Array.from(this.#ids, (id) => id ?? ''),
      answerBytes: this.#answerBytes,
    };
  }

  #reason(n: number, status: number, bytes: Buffer, bodyOffset: number): string | undefined {
    const { status: wanted, bodyBytesMin = 0 } = this.#expect;
    if (status !== wanted) return `status ${status}, not ${wanted}`;
    if (bytes.length - bodyOffset < bodyBytesMin) {
      return `a body of ${bytes.length - bodyOffset} bytes, not ${bodyBytesMin}`;
    }
    if (this.#includes !== undefined && bytes.indexOf(this.#includes, bodyOffset) < 0) {
      return `a body without ${this.#expect.includes}`;
    }
    return (
      this.#idReason(n, bytes, bodyOffset) ??
      (this.#taken % parsedEach === 0 ? this.#bodyReason(bytes, bodyOffset) : undefined)
    );
  }

  #idReason(n: number, bytes: Buffer, bodyOffset: number): string | undefined {
    if (this.#idAfter === undefined) return undefined;
    const mark = bytes.indexOf(this.#idAfter, bodyOffset);
    const start = mark + this.#idAfter.length;
    const id =
      mark >= 0
        ? bytes.toString('latin1', start, bytes.indexOf(0x22, start))
        : this.#idInData(bytes, bodyOffset);
    if (id === undefined) return `a body without ${this.#expect.idAfter}`;
    const before = this.#seen.size;
    this.#seen.add(id);
    if (this.#ids !== undefined) this.#ids[n] = id;
    return this.#seen.size === before ? `id ${id} came twice` : undefined;
  }

  #idInData(bytes: Buffer, bodyOffset: number): string | undefined {
    if (this.#expect.isIdInData !== true) return undefined;
    const data = jsonOf(bytes, bodyOffset)?.data;
    if (typeof data !== 'object' || data === null || !('id' in data)) return undefined;
    return typeof data.id === 'string' && data.id !== '' ? data.id : undefined;
  }

  #bodyReason(bytes: Buffer, bodyOffset: number): string | undefined {
    const body = jsonOf(bytes, bodyOffset);
    if (body === undefined) return 'a body that is no JSON';
    const { rows } = this.#expect;
    if (rows === undefined) return undefined;
    const { data } = body;
    const found = Array.isArray(data) ? data.length : undefined;
    return found === rows ? undefined : `${found} rows, not ${rows}`;
  }

  #blame(reason: string, bytes: Buffer, bodyOffset: number): void {
    this.#wrong += 1;
    if (this.#samples.length >= samplesMax) return;
    const body = bytes.toString('utf8', bodyOffset, bodyOffset + 300);
    this.#samples.push(`${reason}: ${body}`);
  }
}

interface Body {
  readonly data?: unknown;
}

function jsonOf(bytes: Buffer, bodyOffset: number): Body | undefined {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8', bodyOffset));
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return undefined;
  }
}
