// Which release this is.

import { readFileSync } from 'node:fs';

/** The release as in package.json, without a leading `v`: `0.1.0`. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  }
).version;
