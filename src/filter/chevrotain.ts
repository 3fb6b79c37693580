// Loads chevrotain, at the first filter.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Chevrotain from 'chevrotain';

const require = createRequire(import.meta.url);

/**
 * The lexer and parser generator, from the bundle in its package. Loading that and building the
 * parser takes about 25 ms and 2 MB of heap, too much for a start that may never need a filter;
 * chevrotain's modules one by one, with all of lodash-es, take 90 ms and 10 MB.
 */
export function loadChevrotain(): typeof Chevrotain {
  const entry = require.resolve('chevrotain');
  return require(join(dirname(entry), '..', 'chevrotain.min.mjs')) as typeof Chevrotain;
}
