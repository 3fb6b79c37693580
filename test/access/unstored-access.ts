// Access without a store: slots are looked up by id among the members that it was told of.

import { Access } from '../../src/access/access.ts';
import type { AccessChange } from '../../src/access/change.ts';
import type { MemberSpace } from '../../src/declare/kinds/access-vocabulary.ts';

/** Access that knows the ids of its members itself. */
export class UnstoredAccess extends Access {
  readonly #slots: Map<string, number>;

  constructor(memosMax: number) {
    const slots = new Map<string, number>();
    super({ memosMax, ids: (space) => (id) => slots.get(`${space}/${id}`) });
    this.#slots = slots;
  }

  override changeMember(
    space: MemberSpace,
    slot: number,
    id: string,
    before: readonly string[] | undefined,
    after: readonly string[] | undefined,
  ): AccessChange {
    if (after === undefined) this.#slots.delete(`${space}/${id}`);
    else this.#slots.set(`${space}/${id}`, slot);
    return super.changeMember(space, slot, id, before, after);
  }
}
