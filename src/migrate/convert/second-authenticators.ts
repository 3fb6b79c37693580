// Second authenticators of one method at one identity: a home keeps the one that was used or
// changed last.

import type { PeerNetwork } from '../peer/entity.ts';
import { SourceDamaged } from '../source-problem.ts';
import { LeftOut } from './left-out.ts';
import { passwordOf } from './passwords.ts';

/** An authenticator among those of one identity. */
interface Candidate {
  readonly id: string;
  readonly method: string;
  readonly updatedAt: number;
}

/** Finds them, identity by identity. */
export class SecondAuthenticators {
  readonly #network: PeerNetwork;
  /** The authenticators that are left out, each with the one that stays. */
  readonly #stays = new Map<string, string>();
  #usedAt: ReadonlyMap<string, number> | undefined;

  constructor(network: PeerNetwork) {
    this.#network = network;
  }

  /** The one that stays in place of an authenticator; undefined for one that stays itself. */
  insteadOf(id: string): string | undefined {
    return this.#stays.get(id);
  }

  /** Looks at the authenticators of an identity. */
  note(ids: readonly string[]): void {
    if (ids.length < 2) return;
    const candidates = ids.flatMap((id) => this.#candidate(id) ?? []);
    for (const method of new Set(candidates.map((candidate) => candidate.method))) {
      this.#choose(candidates.filter((candidate) => candidate.method === method));
    }
  }

  #choose(candidates: readonly Candidate[]): void {
    if (candidates.length < 2) return;
    const usedAt = (this.#usedAt ??= lastUses(this.#network));
    const timeOf = ({ id, updatedAt }: Candidate) => Math.max(updatedAt, usedAt.get(id) ?? 0);
    // Of equal times, the order of the file decides.
    const [stays, ...others] = candidates.toSorted((one, other) => timeOf(other) - timeOf(one));
    for (const { id } of others) this.#stays.set(id, stays?.id ?? '');
  }

  /** Undefined for one that cannot be read or is left out, which its conversion names. */
  #candidate(id: string): Candidate | undefined {
    try {
      const entity = this.#network.entity('authenticators', id);
      const method = entity?.text('method');
      if (entity === undefined || method === undefined) return undefined;
      if (method === 'updb' && passwordOf(entity) instanceof LeftOut) return undefined;
      return { id, method, updatedAt: entity.time('updatedAt') ?? 0 };
    } catch (error) {
      if (error instanceof SourceDamaged) return undefined;
      throw error;
    }
  }
}

/** When each authenticator was last used, as far as API sessions tell it. */
function lastUses(network: PeerNetwork): ReadonlyMap<string, number> {
  const usedAt = new Map<string, number>();
  for (const entity of network.entities('apiSessions')) {
    try {
      const id = entity.text('authenticator') ?? '';
      const at = Math.max(entity.time('createdAt') ?? 0, entity.time('lastActivityAt') ?? 0);
      usedAt.set(id, Math.max(usedAt.get(id) ?? 0, at));
    } catch (error) {
      if (!(error instanceof SourceDamaged)) throw error;
    }
  }
  return usedAt;
}
