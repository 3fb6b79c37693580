// What the node of this process tells its controller, and what becomes of it.

import type { ClusterNode, NodeEvents } from '../../cluster/cluster-node.ts';
import type { Member } from '../../cluster/membership.ts';
import { NodeEnded } from '../../cluster/node/node-ended.ts';
import type { Log } from '../../observe/logs.ts';
import type { Clock } from '../../platform/ports.ts';
import { FrameDoesNotFit } from '../../store/applied-frame.ts';
import type { Following } from '../../store/following.ts';

/** The parts of a controller that its node acts on. */
export interface ClusterEventsOptions {
  readonly node: ClusterNode;
  readonly following: Pick<Following, 'apply' | 'lastLsn'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Memory is not what the log says any more: ends the process at once. */
  readonly fatal: (error: unknown) => never;
  /** Lets the controller take over. */
  readonly lead: () => void;
  /** Tells the front who leads. */
  readonly leaderChanged: (member: Member | undefined) => void;
  /** Whether a clean stop has come to the node's resignation, with nothing unconfirmed. */
  readonly isLeaving: () => boolean;
  /** Ends the controller without a clean stop. */
  readonly fail: (error: NodeEnded) => void;
}

/** A node that does not let go of its connections so long, in ms, is left behind. @bound */
const stopMsMax = 1000;

/** The events of a node, until the controller is told to take over or to end. */
export function createClusterEvents(options: ClusterEventsOptions): NodeEvents {
  const { following, log, fatal, lead, leaderChanged } = options;
  return {
    apply(frames, last) {
      try {
        following.apply(frames, last.lsn);
      } catch (error) {
        fatal(error);
      }
    },
    lead(term, after) {
      const { lastLsn } = following;
      if (lastLsn !== after.lsn) {
        fatal(new FrameDoesNotFit(after.lsn, `it is the last, and ${lastLsn} was applied`));
      }
      log.info({ term, lsn: after.lsn }, 'this node leads from now on');
      lead();
    },
    leader: leaderChanged,
    fenced(reason) {
      // The clean stop goes on: it still writes the last snapshot.
      if (options.isLeaving()) return;
      end(options, new NodeEnded(`This node does not lead any more: ${reason}.`));
    },
    halted(reason) {
      log.error({ reason }, 'this node is halted and serves nothing: an operator has to look');
    },
    behind({ lsn }) {
      end(options, new NodeEnded(`This node has to load the snapshot of LSN ${lsn}.`));
    },
  };
}

/** Its connections are closed first, so that nothing of this process is sent later. */
function end({ node, clock, fail }: ClusterEventsOptions, reason: NodeEnded): void {
  const ended = () => {
    late.cancel();
    fail(reason);
  };
  const late = clock.after(stopMsMax, ended);
  node.stop().then(ended, ended);
}
