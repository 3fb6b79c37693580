// How one side of a policy matches one member, entry by entry: explanations are made of this.

import { roleAll } from '../declare/kinds/access-vocabulary.ts';
import type { MemberTable } from './members.ts';
import type { Selection } from './selection.ts';

/** Entries of a role list; only the first are named. */
export interface Entries {
  /** How many there are. */
  readonly total: number;
  /** The first of them. */
  readonly shown: string[];
}

/** How a role list matches a member. A member may lack attributes and be selected by its id. */
export interface SideMatch {
  readonly isMatching: boolean;
  /** How many entries the list has. */
  readonly entries: number;
  /** The entries that select it, in the order of the list. */
  readonly matchedBy: Entries;
  /** If it isn't selected: the `#attribute` entries that it has all the same. */
  readonly has: Entries;
  /** If it isn't selected: the `#attribute` entries that it lacks. */
  readonly lacks: Entries;
  /** The `@id` entries whose member does not exist. */
  readonly gone: Entries;
}

/** Reads one side; names at most `most` entries of each sort. The cost grows with the list. */
export function readSide(
  table: MemberTable,
  selection: Selection,
  slot: number,
  most: number,
): SideMatch {
  const matchedBy = new Gathered(most);
  const has = new Gathered(most);
  const lacks = new Gathered(most);
  const gone = new Gathered(most);
  const members = table.classAt(slot);
  const own = new Set(members?.attributes);
  const byAttributes = members !== undefined && selectsAttributes(selection, own);
  const named = selection.mentions.find(
    (mention) => members !== undefined && mention.slot === slot,
  );
  const isMatching =
    byAttributes || named !== undefined || (selection.all && members !== undefined);
  if (selection.all && isMatching) matchedBy.add('', roleAll);
  for (const attribute of selection.attributes) {
    if (own.has(attribute)) {
      if (byAttributes) matchedBy.add('#', attribute.name);
      else if (!isMatching) has.add('#', attribute.name);
    } else if (!isMatching) lacks.add('#', attribute.name);
  }
  if (named !== undefined) matchedBy.add('@', named.id);
  for (const mention of selection.mentions) if (mention.slot < 0) gone.add('@', mention.id);
  const entries = selection.all ? 1 : selection.attributes.length + selection.mentions.length;
  return { isMatching, entries, matchedBy, has, lacks, gone };
}

/** Like `selectsClass`, at the cost of the list alone: both may have thousands of attributes. */
function selectsAttributes(
  selection: Selection,
  own: ReadonlySet<Selection['attributes'][number]>,
): boolean {
  const { attributes, allOf } = selection;
  if (attributes.length === 0) return false;
  const isOwn = (attribute: Selection['attributes'][number]) => own.has(attribute);
  return allOf ? attributes.every(isOwn) : attributes.some(isOwn);
}

class Gathered implements Entries {
  total = 0;
  readonly shown: string[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(prefix: string, name: string): void {
    this.total += 1;
    if (this.shown.length < this.#most) this.shown.push(`${prefix}${name}`);
  }
}
