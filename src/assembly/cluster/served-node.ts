// A serving controller as a node of its cluster: how it follows, and how it stops leading.

import type { Life } from '../../actors/controller-life.ts';
import type { Member } from '../../cluster/membership.ts';
import type { LeaderAnswers } from '../../cluster/node/leader-answers.ts';
import { NodeEnded } from '../../cluster/node/node-ended.ts';
import type { ClusterFront } from '../../http/front/tls-messages.ts';
import type { Listeners } from '../../http/server/listeners.ts';
import type { Sources } from '../../monitoring/sources.ts';
import type { Core } from '../core.ts';
import type { OrderedNode } from '../owner-orders.ts';
import type { ControllerSystem } from '../process-context.ts';
import type { HomeNode } from './node.ts';
import { createClusterEvents } from './node-events.ts';

/** Time for connections to leave a node that is about to end, in ms. @bound */
const leavingMsMax = 5000;
/** How often it looks whether all have left, in ms. */
const leavingLookMs = 100;

/** The parts of its controller that a node uses. */
interface ServedNodeOptions {
  readonly own: HomeNode;
  readonly system: ControllerSystem;
  readonly life: () => Life | undefined;
  /** Ends the process, to be started again as a follower. */
  readonly end: (reason: NodeEnded) => void;
}

/** The node that this process is. The controller stops it. */
export class ServedNode {
  readonly #options: ServedNodeOptions;
  #isResigning = false;
  #listeners: Listeners | undefined;

  constructor(options: ServedNodeOptions) {
    this.#options = options;
  }

  /** Whether it gave up leading for good: then nothing more is ever confirmed. */
  get isHalted(): boolean {
    return this.#options.own.thread.state.role === 'halted';
  }

  /** The node as its owner orders it about. */
  get ordered(): OrderedNode {
    const { thread, formats } = this.#options.own;
    return {
      state: thread.state,
      stepDown: (answered) => this.#stepDown(answered),
      finalize: async () => await formats.finalize(),
    };
  }

  /** Shows the cluster as this node sees it among the figures. */
  watch(sources: Sources): void {
    const { watch } = this.#options.own;
    sources.cluster = watch;
    watch.stepsDown((answered) => void this.#stepDown(answered));
    watch.start();
  }

  /** Applies what the leader writes, until the node is told to lead. */
  async follow(core: Core, listen: (front: ClusterFront) => Promise<Listeners>): Promise<void> {
    const { own, system, life } = this.#options;
    const { clock, log, fatal } = system;
    const { following, journal } = core;
    if (following === undefined) return;
    own.formats.follow((versions) => core.env.store.writeVersions(versions));
    core.startFollowing();
    this.#listeners = await listen(await own.front.open(core.authority));
    const { cluster } = this.#listeners;
    own.front.follow(cluster);
    cluster.onLost(core.decideLost);
    own.questions.answerAs(this.#answersOf(core));
    const events = createClusterEvents({
      node: own.thread,
      following,
      clock,
      log,
      fatal,
      lead: () => {
        own.questions.lead(undefined);
        life()?.lead();
      },
      fail: (error) => life()?.fail(error),
      isLeaving: () => this.#isResigning && journal.durableLsn === journal.lastLsn,
      leaderChanged: (leader: Member | undefined) => {
        // Once it has taken over, this node is the leader for its front until the process ends.
        if (core.env.store.isAttached) return;
        own.front.lead(leader);
        own.questions.lead(leader?.id);
      },
    });
    const { lastLsn: lsn, lastCrc: crc } = core.report;
    own.thread.start({ lsn, crc }, events);
  }

  /**
   * Asks routers and clients to leave for other nodes, and gives clients time to do so. It serves
   * meanwhile (behaviour/cluster#controller).
   */
  async leave(): Promise<void> {
    const { own, life, system } = this.#options;
    const listeners = this.#listeners;
    if (listeners === undefined || this.isHalted || !own.watch.hasOthers) return;
    own.watch.leave();
    listeners.leave();
    const { clock } = system;
    let isTold = false;
    void own.thread.leave().then(() => {
      isTold = true;
    });
    const untilMs = clock.monotonic() + leavingMsMax;
    const serves = () => life()?.phase === 'serving' || life()?.phase === 'following';
    const isOver = () => isTold && listeners.frontCounters().connectionsOpen === 0;
    while (serves() && !this.isHalted && !isOver() && clock.monotonic() < untilMs) {
      await new Promise<void>((resolve) => void clock.after(leavingLookMs, resolve));
    }
  }

  /** Lets another node lead at once, as far as this one has led. */
  async resign(core: Core): Promise<void> {
    if (!core.env.store.isAttached) return;
    await core.rest();
    this.#isResigning = true;
    await this.#options.own.thread.resign();
  }

  /** This node's answers to the others once it serves as their leader. */
  #answersOf({ durable, journal, noteUses }: Core): LeaderAnswers {
    const leads = () => this.#options.life()?.phase === 'serving';
    return {
      written(then) {
        if (!leads()) {
          then(undefined);
          return;
        }
        // Another node may have applied what this one does not know to be confirmed yet. The
        // node that asks applies only what is confirmed, so it does the waiting.
        const lsn = journal.lastLsn;
        durable.when(
          0,
          () => then({ lsn, confirmedLsn: durable.lsn }),
          () => then(undefined),
        );
      },
      noteUses: (uses) => (leads() ? noteUses(uses) : undefined),
    };
  }

  /** Stops the thread of the node, and then its connections. */
  async stop(): Promise<void> {
    const { own } = this.#options;
    await own.thread.stop();
    await own.close();
  }

  /** Lets another node lead; the process ends then. */
  async #stepDown(answered: Promise<void>): Promise<void> {
    const life = this.#options.life();
    void answered.then(() => this.leave()).then(() => life?.stop('the node was told to step down'));
    const reason = new NodeEnded('This node has stepped down.');
    void life?.ended().then(() => this.#options.end(reason));
  }
}
