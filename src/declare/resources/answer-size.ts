// Bounds the size of one answer: it is refused before the memory for it is allocated.

import { ApiError } from '../../errors/errors.ts';
import type { Chunk } from '../operations/operation.ts';

/** Counts the chunks of an answer while it is built. */
export class AnswerSize {
  #left: number;

  constructor({ answerBytesMax }: { readonly answerBytesMax: number }) {
    this.#left = answerBytesMax;
  }

  /**
   * Adds a chunk; text counts by its characters, which nearly always are bytes.
   * @throws ApiError ANSWER_TOO_LARGE for the first chunk that does not fit.
   */
  add(chunk: Chunk): void {
    this.#left -= chunk.length;
    if (this.#left < 0) throw new ApiError('ANSWER_TOO_LARGE', { cause });
  }
}

const cause = {
  field: 'limit',
  reason: 'must be smaller: the rows of this page make too large an answer',
  value: '',
} as const;
