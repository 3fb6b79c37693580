// Reads the text of the peer's `ctrl.yaml` into plain values. The file may be anybody's, so its
// size, its depth and the number of its values are bounded.

import { LineCounter, parseDocument } from 'yaml';
import type { FileBounds } from '../../platform/text-file.ts';
import { SourceRefused } from '../source-problem.ts';

/** A value of the file. */
export type FileValue =
  | string
  | number
  | boolean
  | null
  | readonly FileValue[]
  | { readonly [name: string]: FileValue };

/** The members of the file, or of a section of it. */
export type FileMembers = Readonly<Record<string, FileValue>>;

/** A `ctrl.yaml` with all its comments has 15 KB; keys and CAs may stand in it. @bound */
const controllerFileBytesMax = 1024 * 1024;

/** The bounds within which such a file is read. */
export const controllerFileBounds: FileBounds = {
  bytesMax: controllerFileBytesMax,
  isRegular: true,
};

/** Values of the file, counted again at each alias that repeats them. @bound */
const fileValuesMax = 10_000;

/**
 * Characters that begin or separate values, those in comments included: a usual file has 200. The
 * parser compares each key of a map with each other one. @bound
 */
const fileMarksMax = 5_000;
const mark = /[[{,:]|^[ \t]*-[ \t\n]/gm;

/** Levels of the file; the deepest known section has eight. @bound */
const fileLevelsMax = 32;

/** Faults that are shown: a file of another language has one in each line. @bound */
const shownFaultsMax = 10;

/**
 * The members of the file. Anchors, aliases and merged keys are followed, as the peer does.
 * @param name what messages call the file
 * @throws SourceRefused for text that is not YAML, a key that stands twice, and a file beyond the
 *   bounds
 */
export function readControllerFile(text: string, name: string): FileMembers {
  if (Buffer.byteLength(text) > controllerFileBytesMax) {
    throw new SourceRefused(`${name} has more than ${controllerFileBytesMax} bytes.`);
  }
  if ((text.match(mark)?.length ?? 0) > fileMarksMax) {
    throw new SourceRefused(`${name} has more than ${fileMarksMax} values.`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  if (document.errors.length > 0) {
    const faults = document.errors.slice(0, shownFaultsMax).map(({ code, message, pos }) => {
      const reason = code === 'RESOURCE_EXHAUSTION' ? tooDeep : message;
      return `${name}, line ${lines.linePos(pos[0]).line}: ${reason}.`;
    });
    throw new SourceRefused(faults.join('\n'));
  }
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 1000 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SourceRefused(`${name} cannot be read: ${reason}.`);
  }
  const value = new Taking(name).take(content, 0);
  if (isMembers(value)) return value;
  throw new SourceRefused(`${name} must hold sections, such as identity and edge.`);
}

/** Whether a value is a section. */
export function isMembers(value: FileValue | undefined): value is FileMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const tooDeep = `it is nested deeper than ${fileLevelsMax} levels, or contains itself by an alias`;

/** Copies what the parser made, as far as the bounds permit. */
class Taking {
  readonly #name: string;
  #values = 0;

  constructor(name: string) {
    this.#name = name;
  }

  take(value: unknown, level: number): FileValue {
    if (level > fileLevelsMax) throw new SourceRefused(`${this.#name}: ${tooDeep}.`);
    this.#values += 1;
    if (this.#values > fileValuesMax) {
      throw new SourceRefused(
        `${this.#name} has more than ${fileValuesMax} values, with those that its aliases repeat.`,
      );
    }
    if (Array.isArray(value)) return value.map((entry) => this.take(entry, level + 1));
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value);
      return Object.fromEntries(entries.map(([key, held]) => [key, this.take(held, level + 1)]));
    }
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return value;
    }
    return value === null || value === undefined ? null : String(value);
  }
}
