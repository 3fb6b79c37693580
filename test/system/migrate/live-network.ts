// A network with routers and clients whose controller is the stock program first, and ours on the
// migrated home then.

import type { Api } from '../client.ts';
import type { Endings } from '../endings.ts';
import { Network } from '../overlay/network.ts';
import { stockRouters } from '../stock-router/stock-router.ts';
import { MigratedHome } from './migrated-home.ts';
import { PeerNetwork, stockProgram } from './peer-network.ts';
import type { PeerShape } from './peer-shape.ts';

/** How long each part of a cut-over took. */
export interface CutOver {
  readonly stopMs: number;
  readonly migrateMs: number;
  /** Until the controller was ready. */
  readonly startMs: number;
}

/** A network that is migrated; `make` makes one. */
export class LiveNetwork extends Network {
  readonly peer: PeerNetwork;
  readonly #endings: Endings;
  #admin: Api;
  #migrated: MigratedHome | undefined;

  private constructor(endings: Endings, peer: PeerNetwork, admin: Api, trafficProgram: string) {
    super(endings, stockRouters(stockProgram()), trafficProgram);
    this.#endings = endings;
    this.peer = peer;
    this.#admin = admin;
  }

  /** Starts a stock controller. */
  static async make(
    endings: Endings,
    shape: PeerShape,
    trafficProgram: string,
  ): Promise<LiveNetwork> {
    const peer = await PeerNetwork.make(endings, stockProgram(), shape);
    return new LiveNetwork(endings, peer, await peer.logIn(), trafficProgram);
  }

  get admin(): Api {
    return this.#admin;
  }

  /** The home of ours. */
  get migrated(): MigratedHome {
    if (this.#migrated === undefined) throw new Error('the network has not been migrated');
    return this.#migrated;
  }

  get controllerLogs(): readonly (readonly [name: string, log: string])[] {
    const ours = this.#migrated === undefined ? '' : this.#migrated.report + this.#migrated.log;
    return [
      ['peer', this.peer.log],
      ['migrated', ours],
    ];
  }

  /** Stops the stock controller, migrates its home, and starts ours at the same address. */
  async cutOver(meanwhile: () => Promise<void>): Promise<CutOver> {
    const stopped = await timed(async () => await this.peer.stop());
    await meanwhile();
    const migrated = await timed(async () => await MigratedHome.of(this.#endings, this.peer));
    this.#migrated = migrated.result;
    const started = await timed(async () => await migrated.result.start());
    this.#admin = await migrated.result.logIn();
    return { stopMs: stopped.tookMs, migrateMs: migrated.tookMs, startMs: started.tookMs };
  }
}

async function timed<Result>(
  body: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly tookMs: number }> {
  const began = performance.now();
  const result = await body();
  return { result, tookMs: Math.round(performance.now() - began) };
}
