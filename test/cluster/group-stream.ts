// A stream of groups that need no decoding, for tests of what reads it.

import type { Group, Stream, StreamMessage } from '../../src/cluster/stream.ts';
import type { ConfirmedFrames } from '../snapshots/clustered-home.ts';

/** A stream of groups, as messages that need no decoding. */
export class GroupStream {
  readonly groups: Group[] = [];
  first = 1;

  add({ after, last, frames }: ConfirmedFrames): Group {
    const group: Group = {
      kind: 'frames',
      generation: 1,
      term: 1,
      nonce: '',
      after,
      last,
      frames: Buffer.from(frames),
    };
    this.groups.push(group);
    return group;
  }

  readonly decode = ({ sequence }: StreamMessage): Group => {
    const group = this.groups[sequence - 1];
    if (group === undefined) throw new Error('there is no such message');
    return group;
  };

  get stream(): Stream {
    const message = (sequence: number): StreamMessage => {
      return { sequence, serverTimeMs: 0, headers: new Map(), body: Buffer.alloc(0) };
    };
    return {
      generation: 1,
      read: async (sequence) =>
        sequence < this.first || sequence > this.groups.length ? undefined : message(sequence),
      state: async () => ({ first: this.first, last: this.groups.length, configuration: {} }),
      publish: async () => ({ outcome: 'refused' }),
      follow: () => ({ stop: () => undefined }),
      purge: async (sequence) => {
        this.first = sequence;
      },
    };
  }
}
