// What `ziti fabric` must be able to do, step by step. Each step prints one line.

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeRouterCertificate } from '../openssl.ts';
import { dialWithin, goesOn } from '../overlay/dials.ts';
import { type MadeRouter, type MadeUser, until } from '../overlay/network.ts';
import type { Overlay } from '../overlay/overlay.ts';
import type { RunningProgram } from '../overlay/program.ts';
import { Steps } from '../overlay/steps.ts';
import { adminPassword } from '../process.ts';
import { secretsIn } from '../secrets.ts';
import { inspect } from './inspecting.ts';
import type { Row, ZitiCommand } from './ziti-command.ts';

/** Dials between two routers until a link is up. */
const dialMs = 30_000;
/** A router dials a link that was deleted again within seconds. */
const linkBackMs = 30_000;
/** Routers count as new for 10 s, and their circuits are looked at every 10 s. */
const circuitsEndMs = 40_000;
/** The common name of the certificate of a router that is created by it. */
const thirdId = 'third-router';

/** The flags of `ziti fabric stream events` that choose types. */
const eventFlags = [
  'alerts',
  'api-sessions',
  'circuits',
  'cluster',
  'connect',
  'entity-change',
  'entity-counts',
  'links',
  'metrics',
  'routers',
  'sdk',
  'services',
  'sessions',
  'terminators',
  'usage',
];

/** What the steps below bring about. */
const expectedEvents = ['apiSession', 'circuit', 'entityChange', 'entityCount', 'link', 'session'];

/** Lists, creates, updates and deletes each kind, and asks for what routers know. */
export class FabricScenario {
  readonly steps = new Steps();
  readonly #overlay: Overlay;
  readonly #ziti: ZitiCommand;
  #routers: readonly MadeRouter[] = [];

  constructor(overlay: Overlay, ziti: ZitiCommand) {
    this.#overlay = overlay;
    this.#ziti = ziti;
  }

  async run(): Promise<void> {
    const { steps } = this;
    const isReady = await steps.step('a circuit from one stock router to another', async () => {
      await this.#build();
    });
    if (!isReady) return;
    const isIn = await steps.step('ziti edge login', () => this.#ziti.logIn(this.#overlay.serving));
    if (!isIn) return;
    const events = this.#followEvents();
    await this.#list();
    await this.#services();
    await this.#routersAndTerminators();
    await inspect(steps, this.#ziti, this.#routers);
    await this.#database();
    await this.#links();
    await this.#circuits();
    await this.#validate();
    await this.#verifyTraffic();
    await this.#followed(events);
  }

  async #build(): Promise<void> {
    const overlay = this.#overlay;
    await overlay.open();
    await allowAll(overlay);
    const near = await overlay.router('near');
    const far = await overlay.router('far');
    this.#routers = [near, far];
    for (const { id } of this.#routers) await overlay.isOnline(id, 60_000);
    const host = await overlay.user('host', ['far']);
    await host.traffic.ask({ do: 'host', service: 'echo' });
    await overlay.terminators('echo');
    await this.#flow(await overlay.user('user', ['near']), 'flow');
  }

  async #flow(user: MadeUser, name: string): Promise<void> {
    await dialWithin(user, dialMs);
    await user.traffic.ask({ do: 'flow', service: 'echo', name });
    await goesOn(user, name);
  }

  async #list(): Promise<void> {
    const [near, far] = this.#routers;
    const ends = [near?.id, far?.id].sort();
    await this.#listed('routers', 'name="near"', 'near', (row) => [
      [row['connected'], true],
      [row['disabled'], false],
      [typeof at(row, 'versionInfo', 'version'), 'string'],
      [typeof at(row, 'versionInfo', 'os'), 'string'],
      [at(row, 'listenerAddresses', '0', 'protocol'), 'tls'],
    ]);
    await this.#listed('links', 'state="Connected"', 'near', (row) => [
      [[at(row, 'sourceRouter', 'id'), at(row, 'destRouter', 'id')].sort(), ends],
      [row['down'], false],
      [row['protocol'], 'tls'],
      [typeof row['sourceLatency'], 'number'],
      [Array.isArray(row['connections']), true],
    ]);
    await this.#listed('services', 'name="echo"', 'echo', (row) => [
      [row['terminatorStrategy'], 'smartrouting'],
      [row['maxIdleTimeMillis'], 0],
    ]);
    await this.#listed('terminators', 'service.name="echo"', 'echo', (row) => [
      [at(row, 'router', 'name'), 'far'],
      [at(row, 'service', 'name'), 'echo'],
      [row['binding'], 'edge'],
      [row['precedence'], 'default'],
      [typeof row['dynamicCost'], 'number'],
    ]);
    await this.#listed('circuits', 'true', 'echo', (row) => [
      [at(row, 'service', 'name'), 'echo'],
      [at(row, 'path', 'nodes', '0', 'name'), 'near'],
      [at(row, 'path', 'nodes', '1', 'name'), 'far'],
      [typeof at(row, 'path', 'links', '0', 'id'), 'string'],
      [row['clientId'], at(row, 'tags', 'clientId')],
    ]);
    await this.steps.step('list controllers', async () => {
      await this.#ziti.must('fabric', 'list', 'controllers');
    });
    await this.steps.step('a filter that cannot be read is refused', () =>
      this.#ziti.mustFail(/status 400/, 'fabric', 'list', 'links', 'nothing="x"'),
    );
  }

  /** Lists a kind as JSON, with one row of these values, and as a table with this text. */
  async #listed(
    kind: string,
    filter: string,
    text: string,
    expected: (row: Row) => readonly (readonly [unknown, unknown])[],
  ): Promise<void> {
    await this.steps.step(`list ${kind}`, async () => {
      const row = await this.#ziti.row(kind, filter);
      for (const [found, wanted] of expected(row)) {
        if (!isDeepStrictEqual(found, wanted)) {
          throw new Error(`${JSON.stringify(found)} in place of ${JSON.stringify(wanted)}`);
        }
      }
      const table = await this.#ziti.must('fabric', 'list', kind, filter);
      if (!table.stdout.includes(text)) throw new Error(table.text);
    });
  }

  async #services(): Promise<void> {
    const ziti = this.#ziti;
    await this.steps.step('create, update and delete a service', async () => {
      const strategy = ['--terminator-strategy', 'random', '--max-idle-time', '5m'];
      await ziti.must('fabric', 'create', 'service', 'made', ...strategy);
      await this.#has('services', 'name="made"', {
        terminatorStrategy: 'random',
        maxIdleTimeMillis: 300_000,
      });
      await ziti.must('fabric', 'update', 'service', 'made', '--name', 'renamed');
      await this.#has('services', 'name="renamed"', { terminatorStrategy: 'random' });
      const { id } = await ziti.row('services', 'name="renamed"');
      await ziti.must('fabric', 'delete', 'service', String(id));
      await this.#lacks('services', `id="${id}"`);
    });
    await this.steps.step('a name that is taken, a strategy that is none', async () => {
      await ziti.mustFail(/name/, 'fabric', 'create', 'service', 'echo');
      const strategy = ['--terminator-strategy', 'none'];
      await ziti.mustFail(/terminatorStrategy/, 'fabric', 'create', 'service', 'x', ...strategy);
    });
    await this.steps.step('delete services where', async () => {
      for (const name of ['gone1', 'gone2']) await ziti.must('fabric', 'create', 'service', name);
      await ziti.must('fabric', 'delete', 'service', 'where', 'name contains "gone"');
      await this.#lacks('services', 'name contains "gone"');
    });
  }

  async #routersAndTerminators(): Promise<void> {
    const ziti = this.#ziti;
    await this.steps.step('create and update a router', async () => {
      const certificate = makeRouterCertificate(this.#overlay.directory, thirdId);
      const flags = ['--name', 'third', '--cost', '7', '--no-traversal'];
      await ziti.must('fabric', 'create', 'router', certificate, ...flags);
      const shown = { connected: false, cost: 7, noTraversal: true };
      await this.#has('routers', 'name="third"', { id: thirdId, ...shown });
      await ziti.must('fabric', 'update', 'router', 'third', '--cost', '9', '--disabled');
      await this.#has('routers', 'name="third"', { cost: 9, disabled: true, noTraversal: true });
      await ziti.mustFail(/id|fingerprint/, 'fabric', 'create', 'router', certificate);
    });
    await this.steps.step('create, update and delete a terminator', async () => {
      await ziti.must('fabric', 'create', 'service', 'plain');
      const made = ['plain', 'far', 'tcp:127.0.0.1:1', '--cost', '3', '--binding', 'transport'];
      await ziti.must('fabric', 'create', 'terminator', ...made);
      const { id } = await ziti.row('terminators', 'service.name="plain"');
      await this.#has('terminators', `id="${id}"`, { binding: 'transport', cost: 3 });
      const changed = ['--cost', '4', '--precedence', 'required'];
      await ziti.must('fabric', 'update', 'terminator', String(id), ...changed);
      await this.#has('terminators', `id="${id}"`, { cost: 4, precedence: 'required' });
      await ziti.must('fabric', 'delete', 'terminator', String(id));
      await this.#lacks('terminators', `id="${id}"`);
      await ziti.mustFail(/./, 'fabric', 'create', 'terminator', 'nothing', 'far', 'tcp:x:1');
    });
    await this.steps.step('delete a router', async () => {
      await ziti.must('fabric', 'delete', 'router', thirdId);
      await this.#lacks('routers', 'name="third"');
      await ziti.must('fabric', 'delete', 'service', 'where', 'name="plain"');
    });
  }

  async #database(): Promise<void> {
    const ziti = this.#ziti;
    await this.steps.step('db snapshot', async () => {
      await ziti.must('fabric', 'db', 'snapshot');
      await ziti.mustFail(/RATE_LIMITED|429/, 'fabric', 'db', 'snapshot');
    });
    await this.steps.step('db check-integrity', async () => {
      await ziti.must('fabric', 'db', 'start-check-integrity');
      await until('the run has ended', 10_000, async () => {
        const { text } = await ziti.must('fabric', 'db', 'check-integrity-status');
        return /In Progress: +false/i.test(text) ? true : undefined;
      });
    });
  }

  async #links(): Promise<void> {
    const ziti = this.#ziti;
    const { id, iteration } = await ziti.row('links', 'state="Connected"');
    const link = String(id);
    const filter = `id="${link}"`;
    await this.steps.step('update a link', async () => {
      await ziti.must('fabric', 'update', 'link', link, '--static-cost', '77');
      await this.#has('links', filter, { staticCost: 77, down: false });
      await ziti.mustFail(/staticCost/, 'fabric', 'update', 'link', link, '--static-cost', '65536');
      await ziti.mustFail(
        /NOT_FOUND|404/,
        'fabric',
        'update',
        'link',
        'none',
        '--static-cost',
        '1',
      );
    });
    await this.steps.step('links that are down end their circuits', async () => {
      // Both routers may dial at once, and a second link may come while the first goes down.
      const links = new Set<string>();
      await until('all links are down', linkBackMs, async () => {
        const rows = await ziti.rows('links', 'state="Connected"');
        const up = rows.filter(({ down }) => down !== true).map((row) => String(row['id']));
        for (const one of up) {
          links.add(one);
          await ziti.must('fabric', 'update', 'link', one, '--down');
        }
        return up.length === 0 ? true : undefined;
      });
      await this.#has('links', filter, { staticCost: 77, down: true, state: 'Connected' });
      // On a fast machine the routers came so lately that circuits wait for links that they report
      // (behaviour/control-channel#circuits).
      await until('its circuits end', circuitsEndMs, async () => {
        return (await ziti.rows('circuits')).length === 0 ? true : undefined;
      });
      for (const one of links) await ziti.must('fabric', 'update', 'link', one, '--down=false');
      await this.#has('links', filter, { down: false });
    });
    await this.steps.step('a link that is deleted comes back', async () => {
      await ziti.must('fabric', 'delete', 'link', link);
      await until('the link is back', linkBackMs, async () => {
        const rows = await ziti.rows('links', 'state="Connected"');
        return rows.some((row) => row['id'] !== link || row['iteration'] !== iteration)
          ? true
          : undefined;
      });
    });
  }

  async #circuits(): Promise<void> {
    const ziti = this.#ziti;
    await this.steps.step('inspect a circuit', async () => {
      await this.#flow(await this.#overlay.user('another', ['near']), 'again');
      const [{ id } = {}] = await ziti.rows('circuits');
      const { stdout } = await ziti.must('fabric', 'inspect', 'circuit', String(id));
      for (const router of this.#routers) if (!stdout.includes(router.id)) throw new Error(stdout);
    });
    await this.steps.step('delete a circuit', async () => {
      // The SDK dials again where an answer was late, so there may be more than one.
      const [{ id } = {}] = await ziti.rows('circuits');
      await ziti.must('fabric', 'delete', 'circuit', String(id));
      await this.#lacks('circuits', `id="${id}"`);
      await ziti.mustFail(/NOT_FOUND|404/, 'fabric', 'delete', 'circuit', String(id));
    });
  }

  /** Every flag of `ziti fabric stream events`. */
  #followEvents(): RunningProgram {
    const types = [...eventFlags].map((name) => `--${name}`);
    const more = [
      '--entity-counts-interval',
      '10s',
      '--metrics-filter',
      '.*',
      '--usage-version',
      '2',
    ];
    return this.#ziti.start(['fabric', 'stream', 'events', ...types, ...more]);
  }

  async #followed({ stdout, log, child }: RunningProgram): Promise<void> {
    await this.steps.step('stream events', async () => {
      const all = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [line] : []));
      const seen = new Set(all.map((line) => String((JSON.parse(line) as Row)['namespace'])));
      const missing = expectedEvents.filter((name) => !seen.has(name));
      if (child.exitCode !== null || missing.length > 0) {
        throw new Error(`${missing} are missing, ${[...seen]} were seen\n${log}`);
      }
      if (secretsIn(stdout, [adminPassword]).length > 0) throw new Error('a secret is shown');
      return `${all.length} of ${[...seen].join(', ')}`;
    });
  }

  async #validate(): Promise<void> {
    const ziti = this.#ziti;
    await this.steps.step('validate router-links', async () => {
      const { text } = await ziti.must(
        'fabric',
        'validate',
        'router-links',
        '--include-valid-routers',
      );
      for (const { id } of this.#routers) if (!text.includes(id)) throw new Error(text);
    });
    await this.steps.step('validate terminators', async () => {
      const { text } = await ziti.must('fabric', 'validate', 'terminators', '--include-valid');
      if (!/state: Valid,.*echo/.test(text)) throw new Error(text);
    });
    await this.steps.step('validate router-data-model', async () => {
      const { text } = await ziti.must(
        'fabric',
        'validate',
        'router-data-model',
        '--include-successes',
      );
      for (const { id } of this.#routers) {
        if (!new RegExp(`${id}.*success: true`).test(text)) throw new Error(text);
      }
    });
    await this.steps.step('validate router-data-model fixes nothing', async () => {
      const { text } = await ziti.run('fabric', 'validate', 'router-data-model', '--fix');
      if (!text.includes('not replaced on request')) throw new Error(text);
    });
    await this.steps.step('validate circuits is refused in words', async () => {
      const { text } = await ziti.run('fabric', 'validate', 'circuits');
      if (!text.includes('does not validate')) throw new Error(text);
    });
  }

  /** It makes identities, a service and policies of its own, and needs a router for everybody. */
  async #verifyTraffic(): Promise<void> {
    const { admin, serving } = this.#overlay;
    await this.steps.step('ziti ops verify traffic', async () => {
      const everybody = { identityRoles: ['#all'], edgeRouterRoles: ['#all'] };
      await admin.create('edge-router-policies', { name: 'all', semantic: 'AnyOf', ...everybody });
      const login = ['--controller-url', serving.url, '-u', 'admin', '-p', adminPassword];
      const trust = ['--ca', join(serving.home, 'pki/ca.pem'), '-y'];
      await this.#ziti.must('ops', 'verify', 'traffic', ...login, ...trust, '--cleanup');
    });
  }

  /** @throws unless the one row that matches has these values */
  async #has(kind: string, filter: string, wanted: Row): Promise<void> {
    const row = await this.#ziti.row(kind, filter);
    for (const [name, value] of Object.entries(wanted)) {
      if (row[name] !== value) {
        throw new Error(`${name} of ${kind} ${filter} is ${JSON.stringify(row[name])}`);
      }
    }
  }

  async #lacks(kind: string, filter: string): Promise<void> {
    const rows = await this.#ziti.rows(kind, filter);
    if (rows.length > 0) throw new Error(`${kind} match ${filter}: ${JSON.stringify(rows)}`);
  }
}

/** A service that identities at `far` host and those at `near` dial, each by their own router. */
async function allowAll({ admin }: Overlay): Promise<void> {
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

/** What is at a path of names and places; undefined where it leads nowhere. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (found, name) =>
      typeof found === 'object' && found !== null ? (found as Row)[name] : undefined,
    value,
  );
}
