// Names of entities: one resolver for everything that a person types in place of an id.

import { nearestNames } from '../../../platform/nearest-name.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Asking } from '../connection/asking.ts';
import type { KindRow } from './kind.ts';
import { kindNamed } from './kinds.ts';

/** An entity as an answer of the API shows it. */
export type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

/** What was typed: a name or an id, or which of them it is. */
export interface Wanted {
  readonly by: 'name' | 'id' | 'either';
  readonly text: string;
}

/** `name:x` and `id:x` say which of the two `x` is. */
export function wanted(word: string): Wanted {
  for (const by of ['name', 'id'] as const) {
    if (word.startsWith(`${by}:`)) return { by, text: word.slice(by.length + 1) };
  }
  return { by: 'either', text: word };
}

/** Similar names of which a failure tells. */
const similarShown = 3;

/** Several matches are shown up to this many. */
const matchesShown = 5;

/**
 * The entity that a word names.
 * @throws CommandFailure with exit code 4 when nothing or more than one has this name
 */
export async function entityNamed(asking: Asking, kind: KindRow, word: string): Promise<Entity> {
  const { by, text } = wanted(word);
  if (text === '') throw CommandFailure.wrong(`a name of a ${kind.title} must not be empty.`);
  const found = await matches(asking, kind, { by, text });
  const [first, ...others] = found;
  if (first === undefined) throw await missing(asking, kind, text);
  if (others.length === 0) return first;
  const byId = found.find(({ id }) => id === text);
  const byName = found.find(({ name }) => name === text);
  if (byId !== undefined && byName !== undefined) {
    const other = nameOf(byId);
    throw CommandFailure.notFound(
      `"${text}" is the name of ${kind.title} ${byName.id} and the id of ${kind.title} ${other}. ` +
        `Write name:${text} or id:${text}.`,
      'AMBIGUOUS',
    );
  }
  const ids = found.slice(0, matchesShown).map(({ id }) => `id:${id}`);
  const more = found.length > matchesShown ? ', …' : '';
  throw CommandFailure.notFound(
    `several ${kind.plural} belong to "${text}": ${ids.join(', ')}${more}.`,
    'AMBIGUOUS',
  );
}

/** The name of an entity, or its id where it has none. */
export function nameOf({ name, id }: Entity): string {
  return typeof name === 'string' && name !== '' ? name : id;
}

async function matches(asking: Asking, kind: KindRow, { by, text }: Wanted): Promise<Entity[]> {
  const quoted = JSON.stringify(text);
  const conditions = [
    ...(by !== 'id' && kind.isNamed ? [`name = ${quoted}`] : []),
    ...(by !== 'name' || !kind.isNamed ? [`id = ${quoted}`] : []),
  ];
  const own = await asking.page(kind, { filter: conditions.join(' or '), limit: matchesShown + 1 });
  const owner = owners[kind.name];
  if (own.rows.length > 0 || kind.isNamed || by === 'id' || owner === undefined) {
    return [...own.rows];
  }
  // An enrollment, say, is named by the identity that it belongs to.
  const [identity] = await matches(asking, kindNamed('identity'), { by, text });
  if (identity === undefined) return [];
  const filter = `${owner} = ${JSON.stringify(identity.id)}`;
  return [...(await asking.page(kind, { filter, limit: matchesShown + 1 })).rows];
}

/** The symbol of the identity that an entity without a name belongs to, by kind. */
const owners: Readonly<Record<string, string>> = {
  'api-session': 'identity',
  authenticator: 'identity',
  enrollment: 'identity',
  session: 'apiSession.identity',
};

async function missing(asking: Asking, kind: KindRow, text: string): Promise<CommandFailure> {
  const similar = kind.isNamed ? await similarNames(asking, kind, text) : [];
  const hint = similar.length === 0 ? '' : ` Similar: ${similar.join(', ')}.`;
  return CommandFailure.notFound(`there is no ${kind.title} "${text}".${hint}`);
}

/** Names that differ in one or two characters have a third of the text in common. */
async function similarNames(asking: Asking, kind: KindRow, text: string): Promise<string[]> {
  const third = Math.max(1, Math.floor(text.length / 3));
  const parts = [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)];
  const filter = parts
    .filter((part) => part !== '')
    .map((part) => `name icontains ${JSON.stringify(part)}`)
    .join(' or ');
  const { rows } = await asking.page(kind, { filter, limit: 500 });
  return nearestNames(text, rows.map(nameOf), similarShown);
}
