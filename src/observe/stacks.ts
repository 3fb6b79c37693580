// Stacks that name the sources: what runs is a bundle of them (`.ci/program.ts`).

import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';

/** Directory of the bundle, as stacks name it. */
const ownBundle = new URL('../../bundle/', import.meta.url).href;

/** Of files of the bundle that a stack named: no more than it has. */
const maps = new Map<string, SourceMap>();

/** A place: directory, file, line and column. */
const place = /(file:\/\/[^\s()]*\/)([\w.-]+\.js):(\d+):(\d+)/g;

/**
 * The stack of an error with places in sources instead of those in the bundle. The maps are read
 * when a stack first needs them, so a start reads none. Other files are left alone, because the
 * message of an error may name any.
 */
export function sourceStack(stack: string, bundle: string = ownBundle): string {
  if (!stack.includes(bundle)) return stack;
  return stack.replaceAll(
    place,
    (text, directory: string, file: string, line: string, column: string) => {
      const map = directory === bundle ? mapOf(bundle + file) : undefined;
      const origin = map?.findOrigin(Number(line), Number(column));
      if (origin === undefined || !('fileName' in origin)) return text;
      const { fileName, lineNumber, columnNumber } = origin;
      return `${fileName.replace(/^(\.\.\/)+/, '')}:${lineNumber}:${columnNumber}`;
    },
  );
}

function mapOf(file: string): SourceMap | undefined {
  const known = maps.get(file);
  if (known !== undefined) return known;
  try {
    const text = readFileSync(new URL(`${file}.map`), 'utf8');
    const map = new SourceMap(JSON.parse(text) as SourceMapPayload);
    maps.set(file, map);
    return map;
  } catch {
    // The stack stays as it is.
    return undefined;
  }
}
