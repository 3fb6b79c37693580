// The directory of the nodes of a cluster, in memory.

import type { Formats, HighWaterMark, Member, Members } from '../../src/cluster/membership.ts';
import { StreamUnreachable } from '../../src/cluster/stream.ts';

/** What all nodes share. */
export class SimulatedMembers {
  readonly members = new Map<string, Member>();
  readonly marks = new Map<string, HighWaterMark>();
  readonly removed = new Set<string>();
  haltReason: string | undefined;
  formats: Formats | undefined;
  /** It answers nobody. */
  isAway = false;

  /** As one node sees it. */
  view(): MembersView {
    return new MembersView(this);
  }
}

/** The contact of one node. */
export class MembersView implements Members {
  /** Nothing is answered. */
  isCut = false;
  readonly #shared: SimulatedMembers;

  constructor(shared: SimulatedMembers) {
    this.#shared = shared;
  }

  put(member: Member): Promise<void> {
    return this.#answer((shared) => void shared.members.set(member.id, member));
  }

  list(): Promise<readonly Member[]> {
    return this.#answer((shared) => [...shared.members.values()]);
  }

  raiseMark(mark: HighWaterMark): Promise<void> {
    return this.#answer((shared) => {
      const known = shared.marks.get(mark.id);
      if (known === undefined || mark.lsn >= known.lsn) shared.marks.set(mark.id, mark);
    });
  }

  marks(): Promise<readonly HighWaterMark[]> {
    return this.#answer((shared) => [...shared.marks.values()]);
  }

  halt(): Promise<string | undefined> {
    return this.#answer((shared) => shared.haltReason);
  }

  writeHalt(reason: string): Promise<void> {
    return this.#answer((shared) => {
      shared.haltReason ??= reason;
    });
  }

  formats(): Promise<Formats | undefined> {
    return this.#answer((shared) => shared.formats);
  }

  beginFormats(formats: Formats): Promise<Formats> {
    return this.#answer((shared) => (shared.formats ??= formats));
  }

  finalizeFormats(formats: Formats): Promise<void> {
    return this.#answer((shared) => {
      shared.formats = formats;
    });
  }

  remove(id: string): Promise<void> {
    return this.#answer((shared) => {
      shared.removed.add(id);
      shared.members.delete(id);
      shared.marks.delete(id);
    });
  }

  removed(): Promise<readonly string[]> {
    return this.#answer((shared) => [...shared.removed]);
  }

  async #answer<T>(answer: (shared: SimulatedMembers) => T): Promise<T> {
    if (this.isCut || this.#shared.isAway) {
      throw new StreamUnreachable('the directory does not answer');
    }
    return answer(this.#shared);
  }
}
