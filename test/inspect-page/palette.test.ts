// The colours of meanings: readable as text, and told apart by everybody, in light and dark.

import { readFileSync } from 'node:fs';
import t from 'tap';
import { contrast, distance, seenBy, visions } from '../browser/colours.ts';

const source = readFileSync(
  new URL('../../src/inspect/page/styles/tokens.css', import.meta.url),
  'utf8',
);
const meanings = ['good', 'waiting', 'bad', 'over'];
const grounds = ['ground', 'surface', 'sunken'];

/** WCAG 2.2, 1.4.3: text of ordinary size. */
const contrastMin = 4.5;
/** Some ten times the least difference in CIE L*a*b* that a careful eye sees. */
const distanceMin = 20;

for (const [theme, position] of [
  ['light', 1],
  ['dark', 2],
] as const) {
  const colour = (name: string) => {
    const found = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(source);
    return found?.[position] ?? '';
  };

  t.test(`${theme}: text is readable on every ground`, async (t) => {
    for (const text of [...meanings, 'ink', 'soft', 'accent']) {
      for (const ground of grounds) {
        const ratio = contrast(colour(text), colour(ground));
        t.ok(ratio >= contrastMin, `${text} on ${ground}: ${ratio.toFixed(2)}`);
      }
    }
  });

  for (const vision of visions) {
    t.test(`${theme}: meanings are told apart, vision: ${vision}`, async (t) => {
      for (const [n, one] of meanings.entries()) {
        for (const other of meanings.slice(n + 1)) {
          const seen = [one, other].map((name) => seenBy(vision, colour(name)));
          const far = distance(seen[0] ?? '', seen[1] ?? '');
          t.ok(far >= distanceMin, `${one} and ${other}: ${far.toFixed(0)}`);
        }
      }
    });
  }
}
