// Which release this is.

import { readFileSync, statSync } from 'node:fs';

const packageFile = new URL('../../package.json', import.meta.url);

/** The release as in package.json, without a leading `v`: `0.1.0`. */
export const version: string = (
  JSON.parse(readFileSync(packageFile, 'utf8')) as {
    readonly version: string;
  }
).version;

/** The time at which this release was installed (RFC 3339), because there is no build. */
export const buildDate: string = statSync(packageFile).mtime.toISOString();
