// How many columns of a terminal a text takes, and texts of a given width.

import { createRequire } from 'node:module';

/** Loads `string-width` when a text needs it, as that takes as long as half of Node's own start. */
const require = createRequire(import.meta.url);

/** Matches a text whose characters take one column each. */
const plain = /^[ -~…]*$/;

/** Made when a text needs it, as its data take as long to load. */
let segmenter: Intl.Segmenter | undefined;

/** The columns of a text without control characters. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  const { default: stringWidth } = require('string-width') as typeof import('string-width');
  return stringWidth(text);
}

/** A text of at most `width` columns, shortened by `…`; never within a character. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (plain.test(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let kept = '';
  let room = width - 1;
  for (const { segment } of segmenter.segment(text)) {
    room -= widthOf(segment);
    if (room < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A text with spaces after it, up to `width` columns. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
