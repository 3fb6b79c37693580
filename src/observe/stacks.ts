// Stacks that name the sources: what runs is a bundle of them (`.ci/program.ts`).

import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

/** Of each file of the bundle that a stack named; undefined for one without a map. */
const maps = new Map<string, SourceMap | undefined>();

/** A place in the bundle: its file, line and column. */
const place = /(file:\/\/[^\s()]+\/dist\/bundle\/[\w.-]+\.js):(\d+):(\d+)/g;

/**
 * The stack of an error with places in sources instead of those in the bundle. The maps are read
 * when a stack first needs them, so a start reads none.
 */
export function sourceStack(stack: string): string {
  return stack.replaceAll(place, (text, file: string, line: string, column: string) => {
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    if (origin === undefined || !('fileName' in origin)) return text;
    const { fileName, lineNumber, columnNumber } = origin;
    return `${fileName.replace(/^(\.\.\/)+/, '')}:${lineNumber}:${columnNumber}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

function readMap(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(url), 'utf8')) as SourceMapPayload);
  } catch {
    // The stack stays as it is.
    return undefined;
  }
}
