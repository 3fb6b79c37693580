// `edge-control __complete WORD…`: what the last of the words may become. Scripts of completion
// call it. Two underscores keep it apart from commands, as in other programs that have it.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import { commonFlags, type NetworkVerb, networkVerbs, verbRows } from '../verbs.ts';
import { flagRowsOf, settableFields } from './field-flags.ts';
import { KeptNames } from './kept-names.ts';
import type { FieldRow, KindRow } from './kind.ts';
import { kindRows } from './kind-rows.ts';
import { kindNamed, wordsOf } from './kinds.ts';

/**
 * Prints a candidate a line, those that are flags with a space and what they are for. It never
 * asks anybody, tells no error and does not log in: whatever fails offers nothing.
 * @param words those after the name of the program; the last one is not complete, or empty
 * @param waitMsMax how long the controller may take, in ms; people go on typing after 300
 * @returns the exit code, which is 0
 */
export async function printCompletions(
  words: readonly string[],
  context: ProcessContext,
  waitMsMax = 300,
): Promise<number> {
  const [verb, ...typed] = words;
  const known = networkVerbs.find((one) => one === verb);
  const start = typed.pop();
  if (known === undefined || start === undefined) return 0;
  const place = new Place(known, typed);
  try {
    const found = await candidates(place, start, new KeptNames(context, place.flags, waitMsMax));
    const offered = found.filter(([word]) => word.startsWith(start));
    context.out(offered.map((candidate) => `${candidate.join(' ')}\n`).join(''));
    await context.drained();
  } catch {
    // A line in the middle of what somebody types would help nobody.
  }
  return 0;
}

/** A word that may be typed, and what a flag is for. */
type Candidate = readonly [word: string, doc?: string];

type FlagRow = readonly [flag: string, doc: string];

/** Where in a command the word stands that is completed. */
class Place {
  readonly verb: NetworkVerb;
  readonly kind: KindRow | undefined;
  /** Words before it that are no flags. */
  readonly words: readonly string[];
  /** Values of flags before it, by their names: `context`. */
  readonly flags: Readonly<Record<string, string>>;
  /** The flag whose value it is. */
  readonly open: string | undefined;

  constructor(verb: NetworkVerb, typed: readonly string[]) {
    const words: string[] = [];
    const flags: Record<string, string> = {};
    let open: string | undefined;
    for (const word of typed) {
      if (open !== undefined) {
        flags[open.slice(2)] = word;
        open = undefined;
      } else if (word.startsWith('-') && word !== '-') {
        const [flag = '', value] = word.split('=', 2);
        if (value !== undefined) flags[flag.slice(2)] = value;
        else if (takesValue(this.#rows(verb, kindAt(verb, words)), flag)) open = longOf(flag);
      } else words.push(word);
    }
    this.verb = verb;
    this.words = words;
    this.flags = flags;
    this.open = open;
    this.kind = kindAt(verb, words);
  }

  /** Its flags in commander's notation, with what they are for. */
  get rows(): readonly FlagRow[] {
    return this.#rows(this.verb, this.kind);
  }

  /** The fields of the kind that its flags set. */
  get fields(): readonly FieldRow[] {
    return fieldsAt(this.verb, this.kind);
  }

  #rows(verb: NetworkVerb, kind: KindRow | undefined): readonly FlagRow[] {
    const more = verbRows[verb].takesFields === true ? bodyFlags : [];
    const fields = fieldsAt(verb, kind).flatMap(flagRowsOf);
    return [...verbRows[verb].flags, ...more, ...fields, ...commonFlags, helpFlag];
  }
}

const helpFlag = ['--help', 'Print the help.'] as const;
const bodyFlags = [
  ['--set <member=value>', 'A member of a field.'],
  ['--tag <key=value>', 'A tag; KEY- removes it.'],
] as const;

function fieldsAt(verb: NetworkVerb, kind: KindRow | undefined): readonly FieldRow[] {
  if (verbRows[verb].takesFields !== true || kind === undefined) return [];
  return settableFields(kind, verb === 'create');
}

function takesValue(rows: readonly FlagRow[], flag: string): boolean {
  const row = rows.find(([notation]) => notation.split(/[ ,]+/).includes(flag));
  return row?.[0].includes('<') === true;
}

/** The long form of a flag that may be short. */
function longOf(flag: string): string {
  return { '-o': '--output', '-f': '--file' }[flag] ?? flag;
}

function kindAt(verb: NetworkVerb, [word]: readonly string[]): KindRow | undefined {
  if (word === undefined || !verbRows[verb].words.some(([name]) => /kind/.test(name))) {
    return undefined;
  }
  return kindRows.find((one) => wordsOf(one).includes(word.toLowerCase()));
}

async function candidates(place: Place, start: string, kept: KeptNames): Promise<Candidate[]> {
  if (place.open !== undefined) return plain(await valuesOf(place, place.open, start, kept));
  if (start.startsWith('-')) {
    return place.rows.flatMap(([notation, doc]) => {
      const [flag] = /--[\w-]+/.exec(notation) ?? [];
      return flag === undefined ? [] : [[flag, doc] as const];
    });
  }
  const { words: rows } = verbRows[place.verb];
  const row = rows[Math.min(place.words.length, rows.length - 1)];
  const isFull = place.words.length >= rows.length && row?.[0].includes('...') !== true;
  if (row === undefined || isFull) return [];
  return plain(await wordsAt(place, row[0].replaceAll(/[^\w]/g, ''), start, kept));
}

const plain = (words: readonly string[]): Candidate[] => words.map((word) => [word]);

/** Candidates for one word of a verb. @param name `kind`, `name`, `identity`, … */
async function wordsAt(
  { verb, kind, words }: Place,
  name: string,
  start: string,
  kept: KeptNames,
): Promise<readonly string[]> {
  const named = async (of: string) => await entityNames(kindNamed(of), start, kept);
  switch (`${verb} ${name}`) {
    case 'contexts action':
      return ['delete'];
    case 'contexts name':
    case 'use context':
      return kept.contexts();
    case 'can action':
      return ['dial', 'bind'];
    case 'enroll name':
      return [...(await named('identity')), ...(await named('edge-router'))];
    case 're-enroll kind':
      return ['edge-router', 'identity', 'authenticator'];
    case 'log-level level':
      return ['debug', 'info', 'warn', 'error'];
    case 'unpublish name':
      return await named('service');
    case 'create name':
      return [];
    default:
  }
  switch (name) {
    case 'kind':
      return kindWords(verb);
    case 'identity':
    case 'service':
      return await named(name);
    case 'name':
      if (kind === undefined) return [];
      return (await entityNames(kind, start, kept)).filter((one) => !words.includes(one));
    default:
      return [];
  }
}

/** Kinds that have the verb: in the plural for lists, as people type them. */
function kindWords(verb: NetworkVerb): string[] {
  const isOfKinds = kindRows.some(({ verbs }) => verbs.some((one) => one === verb));
  return kindRows
    .filter(({ verbs }) => !isOfKinds || verbs.some((one) => one === verb))
    .map(({ name, plural }) => (verb === 'list' ? plural : name));
}

async function entityNames(
  kind: KindRow,
  start: string,
  kept: KeptNames,
): Promise<readonly string[]> {
  if (!kind.isNamed) return [];
  const found = await kept.names(kind, start);
  // Commander would take them for flags, and `names.ts` for one of its prefixes.
  return found.map((name) => (/^(-|name:|id:)/.test(name) ? `name:${name}` : name));
}

/** Values of a flag. */
async function valuesOf(
  { fields }: Place,
  flag: string,
  start: string,
  kept: KeptNames,
): Promise<readonly string[]> {
  if (flag === '--context') return kept.contexts();
  if (flag === '--output') return ['table', 'wide', 'json', 'yaml', 'name', 'id'];
  const field = fields.find((one) =>
    flagRowsOf(one).some(([notation]) => notation.split(' ')[0] === flag),
  );
  if (field?.choices !== undefined) return field.choices;
  const reference = field?.references?.find(({ path }) => path.length === 0);
  switch (reference?.form) {
    case 'one':
      return await entityNames(kindNamed(reference.to), start, kept);
    case 'many': {
      const before = start.slice(0, start.lastIndexOf(',') + 1);
      const found = await entityNames(kindNamed(reference.to), start.slice(before.length), kept);
      return found.map((name) => before + name);
    }
    default:
      return [];
  }
}
