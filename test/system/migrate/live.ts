// Migrates a network with traffic: bytes flow while its controller is replaced, and nobody enrolls.

import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../client.ts';
import type { Endings } from '../endings.ts';
import { dialWithin, goesOn, passed } from '../overlay/dials.ts';
import { type MadeRouter, type MadeUser, until } from '../overlay/network.ts';
import type { Steps } from '../overlay/steps.ts';
import { LiveNetwork } from './live-network.ts';
import { describeShape, type PeerShape } from './peer-shape.ts';

/** In which routers are back (docs/migration.md). */
const routerBackMs = 30_000;
/** In which a host has a terminator again, as an SDK takes its time between attempts. */
const hostedMs = 60_000;
const dialMs = 10_000;

/** Flows of the scenario: one begins before the cut-over, the others after it. */
const flow = 'through the cut-over';

/** Carries traffic through the cut-over of a network of this shape. */
export async function migrateLive(
  endings: Endings,
  steps: Steps,
  shape: PeerShape,
  trafficProgram: string,
): Promise<void> {
  console.log(`traffic, ${describeShape(shape)}:`);
  const network = await LiveNetwork.make(endings, shape, trafficProgram);
  const scenario = new LiveScenario(network, steps, shape);
  const wasWhole = steps.isWhole;
  try {
    await scenario.run();
  } catch (thrown) {
    steps.fail('the scenario goes on', thrown);
  }
  if (wasWhole && !steps.isWhole) {
    console.log(`the logs of all processes are in ${network.keepLogs()}`);
  }
}

/** What has changed if anybody has enrolled. */
interface Credentials {
  readonly authenticators: readonly string[];
  readonly fingerprints: readonly string[];
}

class LiveScenario {
  readonly #network: LiveNetwork;
  readonly #steps: Steps;

  readonly #shape: PeerShape;

  constructor(network: LiveNetwork, steps: Steps, shape: PeerShape) {
    this.#network = network;
    this.#steps = steps;
    this.#shape = shape;
  }

  async run(): Promise<void> {
    const network = this.#network;
    await this.#allow();
    const routers = [await this.#router('near'), await this.#router('far')];
    const host = await network.user('host', ['far']);
    const user = await network.user('user', ['near']);
    const dialer = await network.user('dialer', ['near']);
    const isFlowing = await this.#steps.step('bytes flow over a link', async () => {
      for (const { id } of routers) await network.isOnline(id, 60_000);
      await host.traffic.ask({ do: 'host', service: 'echo' });
      await network.terminators('echo');
      await dialWithin(user, 30_000);
      await dialWithin(dialer, 30_000);
      await user.traffic.ask({ do: 'flow', service: 'echo', name: flow });
      await goesOn(user, flow);
    });
    if (!isFlowing) return;
    const before = { credentials: await this.#credentials(), hosted: await this.#terminators() };
    if (!(await this.#cutOver(user))) return;
    await this.#comeBack(routers, user);
    await this.#hostAndDial(host, dialer, before.hosted);
    await this.#goOn(user);
    await this.#steps.step('nobody has enrolled', async () => {
      const after = await this.#credentials();
      if (!isDeepStrictEqual(after, before.credentials)) throw new Error(JSON.stringify(after));
      return `${after.authenticators.length} authenticators, ${after.fingerprints.length} routers`;
    });
    await this.#admitOthers();
    await this.#steps.step('the controller stops', async () => {
      const { code } = await network.migrated.end('SIGTERM');
      if (code !== 0) throw new Error(`it ended with ${code}`);
    });
  }

  /** Identities at `far` host, and those at `near` dial, each by their own router. */
  async #allow(): Promise<void> {
    const { admin } = this.#network;
    const semantic = 'AnyOf';
    await admin.create('services', { name: 'echo', encryptionRequired: true });
    for (const name of ['near', 'far']) {
      const roles = { identityRoles: [`#${name}`], edgeRouterRoles: [`#${name}`] };
      await admin.create('edge-router-policies', { name, semantic, ...roles });
      const type = name === 'near' ? 'Dial' : 'Bind';
      const policy = { name, type, semantic, identityRoles: [`#${name}`], serviceRoles: ['#all'] };
      await admin.create('service-policies', policy);
    }
    const roles = { serviceRoles: ['#all'], edgeRouterRoles: ['#all'] };
    await admin.create('service-edge-router-policies', { name: 'all', semantic, ...roles });
  }

  async #router(name: string): Promise<MadeRouter> {
    return await this.#network.routerAt(name, this.#network.peer.control);
  }

  async #cutOver(user: MadeUser): Promise<boolean> {
    return await this.#steps.step('another controller takes over while bytes flow', async () => {
      const took = await this.#network.cutOver(async () => await goesOn(user, flow));
      await goesOn(user, flow);
      const { stopMs, migrateMs, startMs } = took;
      return `the end took ${stopMs} ms, migrate ${migrateMs} ms, the start ${startMs} ms`;
    });
  }

  /** The times are counted from the moment at which the controller was ready. */
  async #comeBack(routers: readonly MadeRouter[], user: MadeUser): Promise<void> {
    await this.#steps.step('the routers are back, and bytes still flow', async () => {
      const took = await Promise.all(
        routers.map(({ id }) => passed(() => this.#network.isOnline(id, routerBackMs))),
      );
      await goesOn(user, flow);
      return `after ${took.join(' and ')} ms`;
    });
  }

  async #hostAndDial(host: MadeUser, dialer: MadeUser, hosted: readonly string[]): Promise<void> {
    await this.#steps.step('a new dial reaches the host', async () => {
      const tookMs = await passed(() => dialWithin(dialer, hostedMs));
      return `after ${tookMs} ms`;
    });
    await this.#steps.step('the host keeps or renews its terminator', async () => {
      const now = await until('it is hosted', hostedMs, async () => {
        const ids = await this.#terminators();
        return ids.length > 0 ? ids : undefined;
      });
      if (host.traffic.program.hasEnded) throw new Error(host.traffic.program.log);
      return now.join() === hosted.join() ? 'kept' : `${hosted} became ${now}`;
    });
  }

  /** An SDK that logs in by OIDC logs in again, and closes its connections to routers then. */
  async #goOn(user: MadeUser): Promise<void> {
    const { ended } = user.traffic;
    if (this.#shape.hasOidc) {
      await this.#steps.step('the client of the flow dials again', async () => {
        const end = ended.get(flow);
        const tookMs = await passed(() => dialWithin(user, dialMs));
        const past = end === undefined ? 'goes on' : `ended after ${end.rounds} round trips`;
        return `after ${tookMs} ms; the flow ${past}`;
      });
      return;
    }
    await this.#steps.step('the flow goes on, and no byte of it is lost', async () => {
      const end = ended.get(flow);
      if (end !== undefined)
        throw new Error(`it ended after ${end.rounds} round trips: ${end.error}`);
      await goesOn(user, flow);
      const { digest, rounds } = await user.traffic.ask({ do: 'close', name: flow });
      return `${rounds} round trips, SHA-256 ${digest}`;
    });
  }

  /** A router and an identity that the former controller has never seen. */
  async #admitOthers(): Promise<void> {
    await this.#steps.step('a new router and a new identity are let in', async () => {
      const router = await this.#router('other');
      await this.#network.isOnline(router.id, 60_000);
      const other = await this.#network.user('other', ['near']);
      await dialWithin(other, dialMs);
    });
  }

  async #terminators(): Promise<readonly string[]> {
    return await this.#network.terminators('echo', 0);
  }

  async #credentials(): Promise<Credentials> {
    const { admin } = this.#network;
    const authenticators = await admin.all('authenticators');
    const routers = await admin.all('edge-routers');
    const text = (row: Json) => [row['id'], row['fingerprint'], row['certPem']].join(' ');
    return {
      authenticators: authenticators.map(text).sort(),
      fingerprints: routers.map(text).sort(),
    };
  }
}
