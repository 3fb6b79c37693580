// What one answer has room for: it is refused before the memory for it is spent.

import { ApiError } from '../errors.ts';
import type { Piece } from './operation.ts';

/** Counts the pieces of an answer as they are put together. */
export class AnswerRoom {
  #left: number;

  constructor({ answerBytesMax }: { readonly answerBytesMax: number }) {
    this.#left = answerBytesMax;
  }

  /**
   * Takes a piece; one of text counts by its characters, which nearly always are bytes.
   * @throws ApiError ANSWER_TOO_LARGE for the piece that has no room.
   */
  take(piece: Piece): void {
    this.#left -= piece.length;
    if (this.#left < 0) throw new ApiError('ANSWER_TOO_LARGE', { cause });
  }
}

const cause = {
  field: 'limit',
  reason: 'must be smaller: the rows of this page make too large an answer',
  value: '',
} as const;
