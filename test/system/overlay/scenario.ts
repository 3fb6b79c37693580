// What traffic through routers must survive, step by step. Each step prints one line.

import { type Api, type Json, management } from '../client.ts';
import { runHere } from '../command-here.ts';
import type { Endings } from '../endings.ts';
import { adminPassword } from '../process.ts';
import { privateKeysIn, secretsIn } from '../secrets.ts';
import { dial, dialWithin, ends, goesOn, mustFail, passed } from './dials.ts';
import { changeNetwork, fullStatesIn } from './model-changes.ts';
import { type MadeRouter, type MadeUser, until } from './network.ts';
import { Overlay } from './overlay.ts';
import type { MakeRouter, ToldController } from './router.ts';
import { Steps } from './steps.ts';
import { countedOf, isCounted, isCountedOnce } from './usage.ts';

/** What differs between the routers that carry the traffic. */
export interface ScenarioOptions {
  readonly makeRouter: MakeRouter;
  readonly trafficProgram: string;
  /** Bytes that are sent and read back on one connection. */
  readonly bytes: number;
  /** Whether the routers link with each other. */
  readonly hasLinks: boolean;
  /** Whether they keep the model of the network. */
  readonly hasModel?: boolean;
  /** Whether the routers report usage. */
  readonly countsUsage?: boolean;
  /** Whether clients log in by OIDC, and what only these sessions have is tried, too. */
  readonly byOidc?: boolean;
  /** A new dial may take so long after the router is back from a restart of the controller. */
  readonly dialAfterRestartMs: number;
}

/** The SDK waits for longer from one attempt to host to the next. */
const hostedAgainMs = 120_000;

/** Carries traffic through routers. @returns whether all steps have succeeded */
export async function carryTraffic(endings: Endings, options: ScenarioOptions): Promise<boolean> {
  const { makeRouter, trafficProgram, byOidc } = options;
  const settings = byOidc ? { oidc: { announce: 'all' } } : {};
  const overlay = new Overlay(endings, makeRouter, trafficProgram, settings);
  const scenario = new Scenario(overlay, options);
  try {
    await scenario.run();
  } catch (thrown) {
    scenario.steps.fail('the scenario goes on', thrown);
  }
  if (!scenario.steps.isWhole)
    console.log(`the logs of all processes are in ${overlay.keepLogs()}`);
  return scenario.steps.isWhole;
}

class Scenario {
  readonly steps = new Steps();
  readonly #overlay: Overlay;
  readonly #options: ScenarioOptions;
  #policies = new Map<string, string>();
  readonly #services = new Map<string, string>();

  constructor(overlay: Overlay, options: ScenarioOptions) {
    this.#overlay = overlay;
    this.#options = options;
  }

  async run(): Promise<void> {
    const overlay = this.#overlay;
    await overlay.open();
    await this.#createRules(overlay.admin);
    const router = await overlay.router('near');
    await this.steps.step('a router enrolls', async () => {
      await until('it is verified', 60_000, async () =>
        (await overlay.routerView(router.id))['isVerified'] === true ? true : undefined,
      );
    });
    const isOnline = await this.steps.step(
      'it is online, and what its hello says is shown',
      async () => {
        const view = await overlay.isOnline(router.id);
        const { hostname, supportedProtocols, versionInfo } = view as Record<string, Json | string>;
        if (
          !hostname ||
          !(supportedProtocols as Json)['tls'] ||
          !(versionInfo as Json)['version']
        ) {
          throw new Error(JSON.stringify({ hostname, supportedProtocols, versionInfo }));
        }
      },
    );
    if (!isOnline) return;
    await this.#keepController(router);
    const host = await overlay.user('host', ['near']);
    const user = await overlay.user('user', ['near']);
    if (!(await this.#passBytes(host, user))) return;
    await this.#followModel(router);
    const fulls = fullStatesIn(router.process.log);
    await this.#restartController(router, user);
    await this.#keepModel(router, fulls);
    await this.#restartRouter(router, user);
    if (this.#options.hasLinks) await this.#crossLink(user);
    if (this.#options.countsUsage) await this.#countUsage();
    await this.#takeAway(user);
    if (this.#options.byOidc) await this.#endByOidc(user);
    await this.#disableAndDelete(router, user);
    if (this.#options.countsUsage) await this.#countedOnce();
    await this.#end();
  }

  /** The router keeps address and id of the controller for its next start. */
  async #keepController({ process }: MadeRouter): Promise<void> {
    if (process.hasKept === undefined) return;
    await this.steps.step('it has taken the address and the id of the controller', async () => {
      const { admin } = this.#overlay;
      const answer: unknown = await admin.ask('GET', `${management}/controllers`);
      const [controller] = answer as readonly ToldController[];
      if (controller === undefined) throw new Error('there is no controller');
      await until('its endpoints file names both', 10_000, async () =>
        process.hasKept?.(controller) === true ? true : undefined,
      );
    });
  }

  async #createRules(admin: Api): Promise<void> {
    const services = { echo: true, plain: false, guarded: true, across: true };
    for (const [name, encryptionRequired] of Object.entries(services)) {
      const body = { name, encryptionRequired, roleAttributes: [name] };
      this.#services.set(name, await admin.create('services', body));
    }
    for (const name of ['near', 'far']) {
      await admin.create('edge-router-policies', {
        name,
        semantic: 'AnyOf',
        identityRoles: [`#${name}`],
        edgeRouterRoles: [`#${name}`],
      });
    }
    await admin.create('service-edge-router-policies', {
      name: 'all',
      semantic: 'AnyOf',
      serviceRoles: ['#all'],
      edgeRouterRoles: ['#all'],
    });
    const check = { name: 'guard', roleAttributes: ['guard'], ...this.#guard.passes };
    this.#policies.set('posture', await admin.create('posture-checks', check));
    for (const service of Object.keys(services)) {
      const hosting = service === 'across' ? 'far' : 'near';
      await this.#allow(admin, 'Bind', service, hosting);
      await this.#allow(admin, 'Dial', service, 'near', service === 'guarded' ? ['#guard'] : []);
    }
  }

  async #allow(
    admin: Api,
    type: 'Bind' | 'Dial',
    service: string,
    attribute: string,
    postureCheckRoles: readonly string[] = [],
  ): Promise<void> {
    const name = `${type} ${service}`;
    const id = await admin.create('service-policies', {
      name,
      type,
      semantic: 'AnyOf',
      identityRoles: [`#${attribute}`],
      serviceRoles: [`#${service}`],
      postureCheckRoles,
    });
    this.#policies.set(name, id);
  }

  /** Stock routers do not understand the version that the SDK reports of some systems. */
  get #guard(): { readonly passes: Json; readonly fails: Json } {
    const { byOidc, trafficProgram: path } = this.#options;
    if (!byOidc) return { passes: systems('Linux'), fails: systems('Windows') };
    const process = (hashes: readonly string[]) => ({
      typeId: 'PROCESS',
      process: { osType: 'Linux', path, hashes },
    });
    return { passes: process([]), fails: process(['ab'.repeat(64)]) };
  }

  /** What takes sessions with JWTs away, and the key that signs these. */
  async #endByOidc(user: MadeUser): Promise<void> {
    const overlay = this.#overlay;
    const { admin } = overlay;
    await this.steps.step('its API sessions began with OIDC', async () => {
      const sessions = await admin.all('api-sessions', `identity="${user.id}"`);
      const sorts = sessions.map(({ id }) => String(id));
      if (sorts.length === 0 || !sorts.every((id) => uuid.test(id))) throw new Error(sorts.join());
    });
    await this.steps.step('the identity is revoked while bytes flow', async () => {
      await user.traffic.ask({ do: 'flow', service: 'echo', name: 'revoked' });
      await admin.ask('POST', `${management}/revocations`, { id: user.id, type: 'IDENTITY' });
      const tookMs = await ends(user, 'revoked');
      await dialWithin(user, 30_000);
      return `the flow ended after ${tookMs} ms, and a new log-in dials`;
    });
    await this.steps.step(
      'the token key is replaced while bytes flow and dials begin',
      async () => {
        await user.traffic.ask({ do: 'flow', service: 'echo', name: 'roll' });
        const { code, stderr } = await runHere(['keys', 'roll', '--home', overlay.home]);
        if (code !== 0) throw new Error(stderr);
        const end = performance.now() + 70_000;
        let dials = 0;
        for (; performance.now() < end; dials++) await dial(user);
        await goesOn(user, 'roll');
        await user.traffic.ask({ do: 'close', name: 'roll' });
        return `${dials} dials, and none failed`;
      },
    );
  }

  /** @returns whether there is anything to go on with */
  async #passBytes(host: MadeUser, user: MadeUser): Promise<boolean> {
    for (const service of ['echo', 'plain', 'guarded']) {
      const isHosted = await this.steps.step(`${service} is hosted`, async () => {
        await host.traffic.ask({ do: 'host', service });
        await this.#overlay.terminators(service);
      });
      if (!isHosted) return false;
      // The SDK reports posture in its own time.
      await this.steps.step(`${service} is dialed, bytes pass both ways`, () =>
        dialWithin(user, 30_000, service),
      );
    }
    await this.steps.step('a second dial', () => dial(user));
    await this.steps.step('50 dials at once', () =>
      user.traffic.ask({ do: 'dial', service: 'echo', times: 50 }),
    );
    const { bytes } = this.#options;
    await this.steps.step(`${bytes} bytes there and back`, async () => {
      const { digest } = await user.traffic.ask({ do: 'send', service: 'echo', bytes });
      return `SHA-256 ${digest}`;
    });
    return true;
  }

  /** The router says that it has the model, and that it is the controller's after many changes. */
  async #followModel(router: MadeRouter): Promise<void> {
    if (!this.#options.hasModel) return;
    await this.steps.step('it has the model of the network', async () => {
      await until('it has taken the full state', 30_000, async () =>
        fullStatesIn(router.process.log) > 0 ? true : undefined,
      );
    });
    await this.steps.step('1000 changes, and its model is that of the controller', async () => {
      await changeNetwork(this.#overlay.admin, 1000);
      try {
        return await this.#compareModel(router);
      } catch {
        // A busy router may not have applied the last changes yet. A lost change would still be
        // missing a minute later.
        await checkableAgain();
        return await this.#compareModel(router);
      }
    });
  }

  async #keepModel(router: MadeRouter, fulls: number): Promise<void> {
    if (!this.#options.hasModel) return;
    await this.steps.step('it has kept its model over both restarts', async () => {
      const now = fullStatesIn(router.process.log);
      if (now !== fulls) throw new Error(`it has taken the full state ${now} times, not ${fulls}`);
      await checkableAgain();
      return await this.#compareModel(router);
    });
  }

  async #compareModel({ id }: MadeRouter): Promise<string> {
    const { admin } = this.#overlay;
    const path = `${management}/edge-routers/${id}/model`;
    await until('it has all changes', 30_000, async () => {
      const { lag } = await admin.ask('GET', path);
      return lag === 0 ? true : undefined;
    });
    const { isSame, differences, routerCounts } = await admin.ask('POST', `${path}/check`, {});
    if (isSame !== true) throw new Error(JSON.stringify(differences).slice(0, 2000));
    return JSON.stringify(routerCounts);
  }

  async #restartController(router: MadeRouter, user: MadeUser): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await this.steps.step(`${signal} of the controller while bytes flow`, async () => {
        const before = await this.#overlay.terminators('echo');
        const name = `through ${signal}`;
        await user.traffic.ask({ do: 'flow', service: 'echo', name });
        await this.#overlay.restart(signal, () => goesOn(user, name));
        // The router waits for longer between its attempts the longer the controller is away.
        const backMs = await passed(() => this.#overlay.isOnline(router.id));
        const { dialAfterRestartMs } = this.#options;
        const dialedMs = await passed(() => dialWithin(user, dialAfterRestartMs));
        if (dialedMs > dialAfterRestartMs) throw new Error(`a new dial took ${dialedMs} ms`);
        await goesOn(user, name);
        await user.traffic.ask({ do: 'close', name });
        const after = await this.#overlay.terminators('echo');
        if (before.join() !== after.join()) throw new Error(`terminators ${before} are ${after}`);
        const times = `the router was back after ${backMs} ms, a new dial took ${dialedMs} ms`;
        return `traffic went on, terminators were kept, ${times}`;
      });
    }
  }

  async #restartRouter(router: MadeRouter, user: MadeUser): Promise<void> {
    await this.steps.step('SIGKILL of the router', async () => {
      const services = ['echo', 'plain', 'guarded'];
      const terminators = async (service: string) => await this.#overlay.terminators(service, 0);
      const before = new Set((await Promise.all(services.map(terminators))).flat());
      await router.process.kill();
      await this.#overlay.isOffline(router.id);
      router.process.start();
      await this.#overlay.isOnline(router.id);
      const isNew = (ids: readonly string[]) => ids.length > 0 && !ids.some((id) => before.has(id));
      // The SDK hosts each of them again in its own time.
      for (const service of services) {
        await until(`${service} is hosted again`, hostedAgainMs, async () =>
          isNew(await terminators(service)) ? true : undefined,
        );
      }
      await dialWithin(user, 30_000);
    });
  }

  async #crossLink(user: MadeUser): Promise<void> {
    const overlay = this.#overlay;
    await this.steps.step('two routers with a link', async () => {
      const far = await overlay.router('far');
      await overlay.isOnline(far.id, 60_000);
      const host = await overlay.user('far host', ['far']);
      await host.traffic.ask({ do: 'host', service: 'across' });
      await overlay.terminators('across');
      await dialWithin(user, 30_000, 'across');
      const { bytes } = this.#options;
      await user.traffic.ask({ do: 'send', service: 'across', bytes });
      return `${bytes} bytes crossed it there and back`;
    });
  }

  async #countUsage(): Promise<void> {
    await this.steps.step('the bytes that crossed the link are counted at both ends', async () => {
      const { admin } = this.#overlay;
      return await isCounted(admin, this.#services.get('across') ?? '', this.#options.bytes);
    });
  }

  /** Routers have reported further minutes since. */
  async #countedOnce(): Promise<void> {
    await this.steps.step('and not twice', async () => {
      const counted = await countedOf(this.#overlay.admin, this.#services.get('across') ?? '');
      isCountedOnce(counted, this.#options.bytes);
    });
  }

  async #takeAway(user: MadeUser): Promise<void> {
    const { admin } = this.#overlay;
    await this.steps.step('a policy is taken away while bytes flow', async () => {
      await user.traffic.ask({ do: 'flow', service: 'echo', name: 'policy' });
      const policy = `${management}/service-policies/${this.#policies.get('Dial echo')}`;
      await admin.ask('DELETE', policy);
      const tookMs = await ends(user, 'policy');
      await this.#allow(admin, 'Dial', 'echo', 'near');
      await dialWithin(user, 10_000);
      return `the flow ended after ${tookMs} ms`;
    });
    await this.steps.step('posture fails while bytes flow', async () => {
      await user.traffic.ask({ do: 'flow', service: 'guarded', name: 'posture' });
      const check = `${management}/posture-checks/${this.#policies.get('posture')}`;
      await admin.ask('PATCH', check, this.#guard.fails);
      const tookMs = await ends(user, 'posture');
      await mustFail(() => user.traffic.ask({ do: 'dial', service: 'guarded', times: 1 }));
      await admin.ask('PATCH', check, this.#guard.passes);
      return `the flow ended after ${tookMs} ms`;
    });
    await this.steps.step('the client is logged out while bytes flow', async () => {
      await user.traffic.ask({ do: 'flow', service: 'echo', name: 'log-out' });
      for (const { id } of await admin.all('api-sessions', `identity="${user.id}"`)) {
        await admin.ask('DELETE', `${management}/api-sessions/${id}`);
      }
      const tookMs = await ends(user, 'log-out');
      await dialWithin(user, 30_000);
      return `the flow ended after ${tookMs} ms, and a new log-in dials`;
    });
  }

  async #disableAndDelete(router: MadeRouter, user: MadeUser): Promise<void> {
    const { admin } = this.#overlay;
    const path = `${management}/edge-routers/${router.id}`;
    await this.steps.step('the router is disabled, and enabled', async () => {
      await admin.ask('PATCH', path, { disabled: true });
      await this.#overlay.isOffline(router.id);
      await mustFail(() => dial(user));
      await admin.ask('PATCH', path, { disabled: false });
      await this.#overlay.isOnline(router.id, 120_000);
      await dialWithin(user, 30_000);
    });
    await this.steps.step('the router is deleted', async () => {
      await admin.ask('DELETE', path);
      const { status } = await admin.call('GET', path);
      if (status !== 404) throw new Error(`it is answered ${status}`);
      await mustFail(() => dial(user));
    });
  }

  async #end(): Promise<void> {
    await this.steps.step(
      'the controller stops, and its log has no complaint and no secret',
      async () => {
        const code = await this.#overlay.close();
        const { log, directory } = this.#overlay;
        const complaints = log.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line));
        const shown = secretsIn(log, [adminPassword, ...privateKeysIn(`${directory}/controller`)]);
        if (code !== 0 || complaints.length + shown.length > 0) {
          throw new Error([`it ended with ${code}`, ...complaints, ...shown].join('\n'));
        }
      },
    );
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Any version, as the SDK does not find out that of each system. */
function systems(type: string): Json {
  return { typeId: 'OS', operatingSystems: [{ type, versions: [] }] };
}

/** A router is checked once per minute. */
async function checkableAgain(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 61_000));
}
