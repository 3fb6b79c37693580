// Masks secrets in texts that come from outside, such as the messages of routers.

import { secretMask } from './errors.ts';

/** A text in which JWTs and private keys are masked, in time in proportion to its length. */
export function withoutSecrets(text: string): string {
  if (!text.includes('eyJ') && !text.includes('PRIVATE KEY')) return text;
  return text.replace(runs, withoutJwts).replace(privateKey, secretMask);
}

/** Runs of characters that JWTs consist of. Each character of the text is looked at once. */
const runs = /[\w.-]+/g;
/** Where a JWT begins: `{"` in base64. */
const jwtBegin = /(?<![A-Za-z0-9])eyJ/;
const privateKey =
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]{0,16384}(-----END[A-Z ]{0,30}-----)?/g;

/**
 * An expression for a whole JWT would read on to the end of the run from each place where one may
 * begin.
 */
function withoutJwts(run: string): string {
  if (!run.includes('eyJ')) return run;
  const parts = run.split('.');
  const shown: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    // A payload and a signature follow.
    const isWhole = Boolean(parts[at + 1] && parts[at + 2]);
    const begin = isWhole ? part.search(jwtBegin) : -1;
    if (begin >= 0) at += 2;
    shown.push(begin >= 0 ? part.slice(0, begin) + secretMask : part);
  }
  return shown.join('.');
}
