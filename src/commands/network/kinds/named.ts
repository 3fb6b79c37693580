// Names in commands that a person copies into a shell.

import { shellWord } from '../../shell-word.ts';
import type { Entity } from './names.ts';

/** An entity that a command names. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** An entity as a word of a command, marked if its name could be taken for something else. */
export function nameWord({ name }: Pick<Named, 'name'>): string {
  return shellWord(isMarked(name) ? `name:${name}` : name);
}

/** An entity as a role; by its id where a list of roles cannot hold its name. */
export function roleWord({ name, id }: Named): string {
  return name.includes(',') || isMarked(name) || name.trim() !== name ? `@id:${id}` : `@${name}`;
}

/** The name and the id of an entity in an answer, where the name may be missing. */
export function namedOf(id: string, { name }: Partial<Entity>): Named {
  return { id, name: typeof name === 'string' ? name : id };
}

function isMarked(name: string): boolean {
  return /^(-|name:|id:)/.test(name);
}
