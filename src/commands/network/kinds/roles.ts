// Roles and role attributes as people type them: `staff`, `#staff`, `@clerk`, `all`.

import { CommandFailure } from '../command-failure.ts';

/** A change of a list, or a whole list. */
export type ListOrder =
  | { readonly is: 'whole'; readonly entries: readonly string[] }
  | {
      readonly is: 'change';
      readonly added: readonly string[];
      readonly removed: readonly string[];
    };

/**
 * Reads `a,b` as the whole list and `+a,-b` as a change of it.
 * @param flag as typed, for messages
 * @throws CommandFailure for a list that is both, and for empty entries
 */
export function listOrder(flag: string, text: string): ListOrder {
  if (text === '') return { is: 'whole', entries: [] };
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.some((entry) => /^[+-]?$/.test(entry))) {
    throw CommandFailure.wrong(`${flag} has an empty entry: ${JSON.stringify(text)}.`);
  }
  const changes = entries.filter((entry) => /^[+-]/.test(entry));
  if (changes.length === 0) return { is: 'whole', entries };
  if (changes.length < entries.length) {
    throw CommandFailure.wrong(
      `${flag} is ${JSON.stringify(text)}, but either each entry begins with + or -, or none does.`,
    );
  }
  const after = (sign: string) =>
    entries.filter((entry) => entry.startsWith(sign)).map((entry) => entry.slice(1));
  return { is: 'change', added: after('+'), removed: after('-') };
}

/** A list after a change, without duplicates. */
export function changed(before: readonly string[], order: ListOrder): string[] {
  if (order.is === 'whole') return [...new Set(order.entries)];
  const removed = new Set(order.removed);
  return [...new Set([...before, ...order.added])].filter((entry) => !removed.has(entry));
}

/**
 * A role attribute of an entity: `staff` and `#staff` are the same.
 * @throws CommandFailure for `@x`
 */
export function attributeOf(flag: string, entry: string): string {
  if (entry.startsWith('@')) {
    throw CommandFailure.wrong(`${flag} takes role attributes, and "${entry}" names an entity.`);
  }
  const attribute = entry.startsWith('#') ? entry.slice(1) : entry;
  if (attribute !== '') return attribute;
  throw CommandFailure.wrong(`${flag} has an empty role attribute.`);
}

/** A role of a policy. Entities are still named and not resolved: `@clerk`. */
export function roleOf(entry: string): string {
  if (entry === 'all') return '#all';
  return entry.startsWith('#') || entry.startsWith('@') ? entry : `#${entry}`;
}
