// What a network's file holds once it is read, and its faults.

import { danglingIn, type Fields } from './entry.ts';
import { type Section, type SectionName, sections } from './sections.ts';

/** The version of our form, as `version` in a file. */
export const fileVersion = 1;

/** An entity that a file names. */
export interface Entry {
  readonly section: Section;
  readonly name: string;
  /** The fields that the file names, and no others. */
  readonly fields: Fields;
  /** Its place: the name of the section, and its position in it. */
  readonly path: readonly [SectionName, number];
}

/** A fault of a file. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly reason: string;
  /** Shown shortened; undefined if there is none. */
  readonly value?: unknown;
  /** From 1 on; undefined if nothing of the file stands at the path. */
  readonly line?: number | undefined;
}

/** A file that was read. */
export interface NetworkFile {
  readonly entries: readonly Entry[];
  /** The sections that the file has, empty ones included. */
  readonly sections: ReadonlySet<SectionName>;
  /** The line of a path, or of the nearest place above it. */
  readonly lineOf: (path: readonly (string | number)[]) => number | undefined;
  readonly faults: readonly Fault[];
}

/** The references of all entries that nothing stands for. */
export function danglingFaults(
  { entries, lineOf }: NetworkFile,
  isKnown: (to: SectionName, name: string) => boolean,
): Fault[] {
  return entries.flatMap(({ section, fields, path }) =>
    danglingIn(section, fields, isKnown).map(({ path: within, to, value }) => {
      const whole = [...path, ...within];
      const reason = `names nothing in ${to} of the file or of the controller`;
      return { path: whole, reason, value, line: lineOf(whole) };
    }),
  );
}

/** A fault as a line: `services[3].configs[0] (line 12): reason: value`. */
export function faultText({ path, reason, value, line }: Fault): string {
  const place = path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`,
    '',
  );
  const at = line === undefined ? '' : `(line ${line})`;
  const where = [place, at].filter((word) => word !== '').join(' ');
  const shown = value === undefined ? '' : `: ${shortJson(value)}`;
  return `${where === '' ? '' : `${where}: `}${reason}${shown}`;
}

const shownCharacters = 100;

/** JSON in one line, cut where it is long. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

/** An entry of a file that a command makes. */
export type MadeEntry = Fields & { readonly name: string };

/** The content of such a file. */
export type MadeContent = Readonly<Partial<Record<SectionName, readonly MadeEntry[]>>>;

/** A file that a command makes: nobody has to check its entries but the controller. */
export function madeFile(content: MadeContent): NetworkFile {
  const given = Object.entries(content) as [SectionName, MadeContent[SectionName]][];
  const entries = given.flatMap(([section, list = []]) =>
    list.map(({ name, ...fields }, at) => ({
      section: sections[section],
      name,
      fields,
      path: [section, at] as const,
    })),
  );
  return {
    entries,
    sections: new Set(given.map(([section]) => section)),
    lineOf: () => undefined,
    faults: [],
  };
}
