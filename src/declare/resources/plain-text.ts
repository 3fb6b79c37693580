// Text on one line without deceptive characters: for names and the like, which appear in terminals,
// logs and certificates.

/** The JSON schema format of such text; `schemaProblem` knows it. */
export const plainTextFormat = 'plain-text';

/** The reason why a text is not plain, as the end of a sentence. */
export const notPlainReason = 'must not hold control characters';

/**
 * Whether a text holds no control characters (C0, DEL, C1), no line or paragraph separators, no
 * characters that override or embed a direction of writing (UAX #9 §2.1, §2.2, §2.4), and no half
 * of a surrogate pair. Joiners and direction marks are fine: emoji and ordinary text in Arabic,
 * Hebrew or Hindi hold them.
 */
export function isPlainText(text: string): boolean {
  return !unwanted.test(text);
}

const unwanted = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;
