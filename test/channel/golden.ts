// Reads the golden frames: lines of bytes in hexadecimal digits, each with its meaning behind `#`.

import { readFileSync } from 'node:fs';

/** The bytes of a golden frame. */
export function goldenFrame(name: 'heartbeat' | 'hello' | 'result'): Buffer {
  const text = readFileSync(new URL(`golden/${name}.hex`, import.meta.url), 'utf8');
  const lines = text.split('\n').map((line) => line.replace(/#.*/, ''));
  return Buffer.from(lines.join('').replaceAll(/\s/g, ''), 'hex');
}
