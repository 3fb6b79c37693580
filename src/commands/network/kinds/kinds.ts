// Finds the kind that a word of a command names.

import { nearestName } from '../../../platform/nearest-name.ts';
import { CommandFailure } from '../command-failure.ts';
import type { KindRow, KindVerb } from './kind.ts';
import { kindRows } from './kind-rows.ts';

const byWord: ReadonlyMap<string, KindRow> = new Map(
  kindRows.flatMap((kind) => wordsOf(kind).map((word) => [word, kind] as const)),
);

/** The words by which commands know a kind: singular, plural and short form. */
export function wordsOf({ name, plural, short }: KindRow): string[] {
  return [name, plural, ...(short === undefined ? [] : [short])];
}

/** The kind of a name in the table. @throws Error for one that is not in it */
export function kindNamed(name: string): KindRow {
  const kind = byWord.get(name);
  if (kind === undefined) throw new Error(`${name} is no kind`);
  return kind;
}

/**
 * The kind that a person typed.
 * @throws CommandFailure for a word that is none, and for a kind without the verb
 */
export function kindTyped(word: string, verb: KindVerb): KindRow {
  const kind = byWord.get(word.toLowerCase());
  if (kind === undefined) {
    const nearest = nearestName(word, [...byWord.keys()]);
    const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    const known = kindRows.map(({ name }) => name).join(', ');
    throw CommandFailure.wrong(`there is no kind "${word}".${meant} Kinds are: ${known}.`);
  }
  if (!kind.verbs.includes(verb)) {
    throw CommandFailure.wrong(
      `${verb} does not exist for ${kind.plural}: ${kind.verbs.join(', ')} do.`,
    );
  }
  return kind;
}
