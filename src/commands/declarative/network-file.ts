// Reads a network's file, YAML or JSON, and finds everything that is wrong with it before a
// controller is asked.

import { getHeapStatistics } from 'node:v8';
import { type Document, isAlias, LineCounter, parseDocument } from 'yaml';
import { schemaProblem } from '../../declare/resources/validate.ts';
import { jsonDepthMax } from '../../http/application/json-body.ts';
import { isNestedDeeper } from '../../platform/nesting.ts';
import type { FileBounds } from '../../platform/text-file.ts';
import { isObject, withoutNulls } from './entry.ts';
import { type Entry, type Fault, fileVersion, type NetworkFile } from './file-entries.ts';
import { sectionSchemas } from './section-declarations.ts';
import { type Section, type SectionName, sectionNames, sections } from './sections.ts';
import { ownFormOf } from './ziti-format.ts';

/** The form of a file: ours, or that of `ziti ops export`. */
export type FileForm = 'own' | 'ziti';

/** The text of a file; 100,000 entities take some 40 MB. @bound */
const fileBytesMax = 256 * 1024 * 1024;

/** The bounds within which the text of such a file is read. */
export const networkFileBounds: FileBounds = { bytesMax: fileBytesMax, isRegular: true };

/**
 * Reads a file. Faults are returned and not thrown, so that all of them can be shown.
 * @param heapBytesMax the heap that this process may have
 */
export function readNetworkFile(
  text: string,
  form: FileForm,
  heapBytesMax = getHeapStatistics().heap_size_limit,
): NetworkFile {
  const needed = heapBytesFor(text);
  if (needed > heapBytesMax) return faulty({ path: [], reason: tooLarge(needed, heapBytesMax) });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  // The parser is a recursive one: it gives up where the stack ends, at each level once more.
  const exhausted = document.errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (exhausted !== undefined) {
    return faulty({ path: [], reason: tooDeep, line: lines.linePos(exhausted.pos[0]).line });
  }
  if (document.errors.length > 0) {
    return faulty(
      ...document.errors.map(({ message, pos }) => ({
        path: [],
        reason: message,
        line: lines.linePos(pos[0]).line,
      })),
    );
  }
  const lineOf = (path: readonly (string | number)[]) => lineIn(document, lines, path);
  const read = new Reading(form);
  try {
    read.take(document.toJS({ maxAliasCount: 1000 }));
  } catch (error) {
    return faulty({ path: [], reason: error instanceof Error ? error.message : String(error) });
  }
  const faults = read.faults.map((fault) => ({ ...fault, line: lineOf(fault.path) }));
  return { entries: read.entries, sections: read.sections, lineOf, faults };
}

/**
 * Bytes of the heap that reading a text takes, as measured with the parser: some hundred for each
 * value, key and line, and a few for each character.
 */
function heapBytesFor(text: string): number {
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) if (isMark[text.charCodeAt(at)] === 1) marks += 1;
  return marks * heapBytesPerMark + text.length * heapBytesPerCharacter;
}

const heapBytesPerMark = 700;
const heapBytesPerCharacter = 8;

/** Whether each of these character codes begins or separates values of YAML. */
const isMark = new Uint8Array(0x1_0000);
for (const mark of '[{,:\n') isMark[mark.charCodeAt(0)] = 1;

function tooLarge(needed: number, heapBytesMax: number): string {
  const [needs, has] = [needed, heapBytesMax].map((bytes) => Math.ceil(bytes / 1_000_000));
  return `is too large: reading it takes some ${needs} MB of memory, and this process may take ${has} (NODE_OPTIONS=--max-old-space-size sets that)`;
}

const tooDeep = `is nested deeper than ${jsonDepthMax} levels, or contains itself by an alias`;

function faulty(...faults: Fault[]): NetworkFile {
  return { entries: [], sections: new Set(), lineOf: () => undefined, faults };
}

function lineIn(
  document: Document,
  lines: LineCounter,
  path: readonly (string | number)[],
): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    const range = isObject(node) && !isAlias(node) ? node['range'] : undefined;
    if (Array.isArray(range)) return lines.linePos(Number(range[0])).line;
  }
  return undefined;
}

/** One reading: what was found so far. */
class Reading {
  readonly entries: Entry[] = [];
  readonly sections = new Set<SectionName>();
  readonly faults: Fault[] = [];
  readonly #form: FileForm;

  constructor(form: FileForm) {
    this.#form = form;
  }

  take(content: unknown): void {
    if (!isObject(content)) {
      const shown = isNestedDeeper(content, jsonDepthMax) ? undefined : content;
      this.#fault([], 'must be an object with sections', shown);
      return;
    }
    for (const [key, list] of Object.entries(content)) this.#takeMember(key, list);
    const names = new Map<SectionName, Set<string>>();
    for (const entry of this.entries) this.#checkName(entry, names);
    for (const entry of this.entries) this.#checkFields(entry);
  }

  #takeMember(key: string, list: unknown): void {
    if (!Array.isArray(list) && isNestedDeeper(list, jsonDepthMax)) {
      this.#fault([key], tooDeep);
      return;
    }
    if (key === 'version' && this.#form === 'own') {
      if (list !== fileVersion) this.#fault([key], `must be ${fileVersion}`, list);
      return;
    }
    const name = sectionNames.find((known) => known === key);
    if (name === undefined) {
      const known = sectionNames.join(', ');
      this.#fault([key], `is no section; sections are ${known}`);
      return;
    }
    this.sections.add(name);
    // What a list in YAML without entries is, and in the files of ziti.
    if (list === null) return;
    if (!Array.isArray(list)) {
      this.#fault([key], 'must be a list', list);
      return;
    }
    for (const [at, given] of list.entries()) this.#takeEntry(sections[name], at, given);
  }

  #takeEntry(section: Section, at: number, given: unknown): void {
    const path = [section.name, at] as const;
    if (isNestedDeeper(given, jsonDepthMax)) {
      this.#fault(path, tooDeep);
      return;
    }
    const value = this.#form === 'ziti' ? ownFormOf(section, given) : given;
    if (value === undefined) return;
    if (!isObject(value)) {
      this.#fault(path, 'must be an object', value);
      return;
    }
    const { name, ...named } = value;
    const fields = Object.fromEntries(
      Object.entries(named).map(([key, held]) => [
        key,
        section.partial.has(key) ? withoutNulls(held) : held,
      ]),
    );
    if (typeof name !== 'string' || name.trim() === '') {
      this.#fault([...path, 'name'], 'must be a text that is not blank', name);
      return;
    }
    for (const key of Object.keys(fields)) {
      if (section.fields.includes(key)) continue;
      const known = section.fields.join(', ');
      this.#fault([...path, key], `is no field of ${section.name}; fields are name, ${known}`);
    }
    this.entries.push({ section, name, fields, path });
  }

  #checkName({ section, name, path }: Entry, names: Map<SectionName, Set<string>>): void {
    const seen = names.get(section.name) ?? new Set<string>();
    names.set(section.name, seen);
    if (seen.has(name)) this.#fault([...path, 'name'], 'stands in this section twice', name);
    seen.add(name);
  }

  /** Field by field, because a schema stops at the first problem. */
  #checkFields({ section, fields, path }: Entry): void {
    for (const [name, value] of Object.entries(fields)) {
      if (!section.fields.includes(name) || value === null) continue;
      const schema = propertyOf(section, section.renamed[name]?.body ?? name);
      if (schema === undefined) continue;
      const problem = schemaProblem(schema, value);
      const steps = problem === undefined || problem.field === '' ? [] : stepsOf(problem.field);
      if (problem !== undefined) {
        this.#fault([...path, name, ...steps], problem.reason, problem.value);
      }
      for (const unknown of unknownIn(schema, value)) {
        this.#fault([...path, name, ...unknown], 'is no field here');
      }
    }
  }

  #fault(path: readonly (string | number)[], reason: string, value?: unknown): void {
    this.faults.push({ path, reason, value });
  }
}

interface ObjectSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly patternProperties?: unknown;
  readonly additionalProperties?: unknown;
  readonly items?: ObjectSchema;
  readonly anyOf?: readonly ObjectSchema[];
}

/** The schema of a field, of the body of a patch, or of a creation for a field that is fixed. */
function propertyOf(section: Section, field: string): ObjectSchema | undefined {
  const { create, patch } = sectionSchemas[section.name];
  for (const body of [patch, create] as ObjectSchema[]) {
    const shapes = body.anyOf ?? [body];
    // The type of a posture check is a constant of each shape: the controller checks it.
    if (shapes.length > 1 && field === 'typeId') return undefined;
    const found = shapes.find(({ properties }) => properties?.[field] !== undefined);
    if (found !== undefined) return found.properties?.[field];
  }
  return undefined;
}

function stepsOf(field: string): (string | number)[] {
  return field
    .replaceAll('[', '.')
    .replaceAll(']', '')
    .split('.')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** The members that a schema with declared members does not declare. */
function* unknownIn(schema: ObjectSchema, value: unknown): Generator<(string | number)[]> {
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const [at, item] of value.entries()) {
      for (const inner of unknownIn(schema.items, item)) yield [at, ...inner];
    }
  }
  const { properties, patternProperties, additionalProperties } = schema;
  const isOpen = patternProperties !== undefined || additionalProperties !== undefined;
  if (properties === undefined || isOpen || !isObject(value)) return;
  for (const [key, held] of Object.entries(value)) {
    const property = properties[key];
    if (property === undefined) yield [key];
    else for (const inner of unknownIn(property, held)) yield [key, ...inner];
  }
}
