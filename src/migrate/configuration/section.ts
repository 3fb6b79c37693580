// A section of the peer's configuration, read key by key. It notes which keys were read, so that
// those without a place can be listed.

import { isSecretName } from '../../errors/errors.ts';
import { printable } from '../../platform/printable.ts';
import { type FileMembers, type FileValue, isMembers } from './controller-file.ts';
import type { Findings } from './findings.ts';
import { maskedValue } from './masked-value.ts';

/** A key of the file that has no place in a home. */
export interface UnreadKey {
  /** Such as `web[0].options.idleTimeout`. */
  readonly path: string;
  /** Its value as text, shortened and without secrets. */
  readonly value: string;
}

/** What the sections of one file share. */
export interface SectionContext {
  /** Values for `${NAME}`. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly findings: Findings;
}

/** Characters of a key that are shown in a path. @bound */
const shownKeyCharactersMax = 64;

/** A section: the whole file, or a map in it. */
export class Section {
  /** Empty for the whole file. */
  readonly path: string;
  readonly #members: FileMembers;
  readonly #context: SectionContext;
  readonly #read = new Set<string>();
  readonly #below = new Map<string, readonly Section[]>();

  constructor(members: FileMembers, path: string, context: SectionContext) {
    this.#members = members;
    this.path = path;
    this.#context = context;
  }

  /** The path of a key of this section. */
  pathOf(name: string): string {
    const shown = printable(name.slice(0, shownKeyCharactersMax));
    return this.path === '' ? shown : `${this.path}.${shown}`;
  }

  /** Whether the section has the key with a value other than null. */
  has(name: string): boolean {
    return Object.hasOwn(this.#members, name) && this.#members[name] !== null;
  }

  /** Notes keys as read: they are known, and need no place. */
  pass(...names: readonly string[]): void {
    for (const name of names) this.#read.add(name);
  }

  /** A text, with its variables replaced; undefined if it is absent, null or empty. */
  text(name: string): string | undefined {
    this.#read.add(name);
    return this.peekText(name);
  }

  /** The same, for a key that has no place although its value is looked at. */
  peekText(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'object') return this.#replaced(this.pathOf(name), String(value));
    this.#context.findings.refuse(`${this.pathOf(name)} must be a text.`);
    return undefined;
  }

  /** A list of texts; empty if it is absent. */
  texts(name: string): string[] {
    this.#read.add(name);
    const value = this.#value(name) ?? [];
    const path = this.pathOf(name);
    if (!Array.isArray(value)) {
      this.#context.findings.refuse(`${path} must be a list.`);
      return [];
    }
    return value.flatMap((entry: FileValue, at) => {
      if (entry !== null && typeof entry !== 'object') {
        return this.#replaced(`${path}[${at}]`, String(entry)) ?? [];
      }
      this.#context.findings.refuse(`${path}[${at}] must be a text.`);
      return [];
    });
  }

  /** The section under a key; undefined if it is absent or null. */
  section(name: string): Section | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    return this.#sectionsAt(name, [[this.pathOf(name), value]])[0];
  }

  /** The sections of a list; empty if it is absent or null. */
  sections(name: string): readonly Section[] {
    const value = this.#value(name) ?? [];
    const path = this.pathOf(name);
    if (Array.isArray(value)) {
      const entries = value.map((entry: FileValue, at) => [`${path}[${at}]`, entry] as const);
      return this.#sectionsAt(name, entries);
    }
    this.#context.findings.refuse(`${path} must be a list.`);
    return [];
  }

  /** The keys that nobody has read, with those of all sections below, in the order of the file. */
  unread(): UnreadKey[] {
    return Object.entries(this.#members).flatMap(([name, value]) => {
      if (this.#read.has(name)) return [];
      const below = this.#below.get(name);
      if (below !== undefined) return below.flatMap((section) => section.unread());
      return leavesOf(this.pathOf(name), name, value);
    });
  }

  #value(name: string): FileValue | undefined {
    if (!Object.hasOwn(this.#members, name)) return undefined;
    const value = this.#members[name];
    return value === null || value === '' ? undefined : value;
  }

  #sectionsAt(name: string, entries: readonly (readonly [string, FileValue])[]) {
    const known = this.#below.get(name);
    if (known !== undefined) return known;
    const sections = entries.flatMap(([path, value]) => {
      if (isMembers(value)) return new Section(value, path, this.#context);
      this.#context.findings.refuse(`${path} must be a section with keys.`);
      return [];
    });
    this.#below.set(name, sections);
    return sections;
  }

  #replaced(path: string, text: string): string | undefined {
    let isWhole = true;
    const replaced = text.replace(/\$\{([^{}]*)\}/g, (_whole, name: string) => {
      const value = Object.hasOwn(this.#context.variables, name)
        ? this.#context.variables[name]
        : undefined;
      if (value !== undefined) return value;
      isWhole = false;
      this.#context.findings.refuse(
        `${path} names the variable ${printable(name.slice(0, shownKeyCharactersMax))}, which is not set: set it in the environment or by --set-variable NAME=VALUE.`,
      );
      return '';
    });
    return isWhole && replaced !== '' ? replaced : undefined;
  }
}

/** Nothing is lost with an empty list or section, and with null. */
function leavesOf(path: string, name: string, value: FileValue): UnreadKey[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [{ path, value: maskedValue(name, value) }];
  if (Array.isArray(value)) {
    return value.flatMap((entry: FileValue, at) => leavesOf(`${path}[${at}]`, name, entry));
  }
  return Object.entries(value).flatMap(([key, held]) => {
    const shown = printable(key.slice(0, shownKeyCharactersMax));
    // All below a secret is secret.
    return leavesOf(`${path}.${shown}`, isSecretName(name) ? name : key, held);
  });
}
