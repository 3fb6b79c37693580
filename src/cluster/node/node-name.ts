// How a node is called where people read of it: by the name that its operator gave it, beside its
// id.

import type { Member } from '../membership.ts';

/** A node as sentences name it: `north (1a5b8a6896f5d321)`, or its id alone. */
export function shownNode({ id, name }: Pick<Member, 'id' | 'name'>): string {
  return name === undefined ? id : `${name} (${id})`;
}

/** The same for an id of which there may be an entry. */
export function shownNodeId(id: string, members: readonly Member[]): string {
  return shownNode(members.find((member) => member.id === id) ?? { id });
}
