// What a migrated home must survive like any other: ends of all sorts, a backup, and a second node.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, connect, type Json, logIn } from '../client.ts';
import { type Endings, Lacking } from '../endings.ts';
import { freePorts } from '../free-ports.ts';

import { startServers, until } from '../nats/server.ts';
import type { Steps } from '../overlay/steps.ts';
import { type Ended, Process, runToEnd } from '../process.ts';
import type { Holder } from './holders/holder.ts';
import { isLetIn } from './holders/holder.ts';
import type { MigratedHome } from './migrated-home.ts';
import { type NetworkViews, readViews } from './network-views.ts';
import { peerAdministrator } from './peer-network.ts';
import { compareViews, type ViewDifference } from './view-differences.ts';

const environment = {
  EDGE_ADMIN_USER: peerAdministrator.username,
  EDGE_ADMIN_PASSWORD: peerAdministrator.password,
};

/** Takes a running controller on a migrated home through all of it. */
export async function makeRoundTrip(
  endings: Endings,
  steps: Steps,
  migrated: MigratedHome,
  holders: readonly Holder[],
): Promise<void> {
  console.log('the round trip of the last home:');
  await new RoundTrip(endings, steps, migrated, holders).run();
}

class RoundTrip {
  readonly #endings: Endings;
  readonly #steps: Steps;
  readonly #migrated: MigratedHome;
  readonly #holders: readonly Holder[];
  #views: NetworkViews = new Map();

  constructor(endings: Endings, steps: Steps, migrated: MigratedHome, holders: readonly Holder[]) {
    this.#endings = endings;
    this.#steps = steps;
    this.#migrated = migrated;
    this.#holders = holders;
  }

  async run(): Promise<void> {
    const { home } = this.#migrated;
    const backup = `${home}-backup`;
    const restored = `${home}-restored`;
    this.#views = await readViews(await this.#migrated.logIn());
    await this.#steps.step('SIGTERM and a start', async () => {
      const { code, stderr } = await this.#migrated.end('SIGTERM');
      if (code !== 0) throw new Error(stderr);
      await this.#checked(home);
      await this.#startsEqual(home);
    });
    await this.#steps.step('SIGKILL while entities are created, and a start', async () => {
      return await this.#kill();
    });
    await this.#steps.step('a backup of the running controller', async () => {
      const words = ['snapshot', '--home', home, '--output', backup];
      await this.#must(await runToEnd(this.#endings, words, environment));
      this.#views = await readViews(await this.#migrated.logIn());
    });
    await this.#steps.step('--new-keys is refused, as there are second factors', async () => {
      const words = ['restore', backup, '--home', `${home}-new-keys`, '--new-keys'];
      const { code, stderr } = await runToEnd(this.#endings, words);
      if (code !== 2 || !/second factors/.test(stderr)) throw new Error(`${code} ${stderr}`);
      return stderr.trim();
    });
    await this.#steps.step('the backup is restored, and serves', async () => {
      await this.#migrated.end('SIGTERM');
      await this.#must(await runToEnd(this.#endings, ['restore', backup, '--home', restored]));
      await this.#checked(restored);
      await this.#startsEqual(restored);
    });
    await this.#steps.step('a second node joins, and takes over', async () => {
      await this.#migrated.end('SIGTERM');
      return await joinSecondNode(this.#endings, restored, this.#migrated.ca);
    });
  }

  /** Starts a controller that shows what was there, and lets everybody in. */
  async #startsEqual(home: string): Promise<void> {
    await this.#migrated.start(home);
    const now = await readViews(await this.#migrated.logIn());
    const differences = compareViews(this.#views, now).filter(isNoTime);
    if (differences.length > 0) throw new Error(JSON.stringify(differences.slice(0, 10)));
    for (const holder of this.#holders) {
      await isLetIn(await holder.logIn(this.#migrated), holder.identityId);
    }
    this.#views = await readViews(await this.#migrated.logIn());
  }

  async #kill(): Promise<string> {
    const admin = await this.#migrated.logIn();
    const made: string[] = [];
    const creating = (async () => {
      for (let number = 0; ; number += 1) {
        const body: Json = { name: `made ${number}`, type: 'Default', isAdmin: false };
        made.push(await admin.create('identities', body));
      }
    })().catch(() => undefined);
    await until('some were created', () => made.length > 20);
    await this.#migrated.end('SIGKILL');
    await creating;
    await this.#checked(this.#migrated.home);
    await this.#migrated.start();
    const again = await this.#migrated.logIn();
    const ids = new Set((await again.all('identities')).map(({ id }) => id));
    const lost = made.filter((id) => !ids.has(id));
    if (lost.length > 0) throw new Error(`${lost.length} of ${made.length} are lost`);
    return `all ${made.length} that were acknowledged are there`;
  }

  async #checked(home: string): Promise<void> {
    await this.#must(await runToEnd(this.#endings, ['check', '--home', home]));
  }

  async #must({ code, stdout, stderr }: Ended): Promise<void> {
    if (code !== 0) throw new Error(`${code}: ${stdout}${stderr}`);
  }
}

/** Logins and the use of sessions change nothing but these, and make sessions. */
function isNoTime({ collection, path }: ViewDifference): boolean {
  if (collection === 'api-sessions') return path !== '' && !/Activity/.test(path);
  return !(collection.endsWith('authenticators') && path === 'updatedAt');
}

/** Makes a cluster of a home, with a second node that leads once the first one is stopped. */
async function joinSecondNode(endings: Endings, home: string, ca: string): Promise<string> {
  const servers = await startServers(endings, { count: 1 });
  const second = `${home}-second`;
  const [firstPort, secondPort, firstInternal, secondInternal] = await freePorts(4);
  const access = servers.access('node');
  const credentials = (user: 'init' | 'node') => {
    const given = servers.access(user).credentials;
    if (given?.kind !== 'password') throw new Lacking('the servers take no passwords');
    const file = `${home}-${user}`;
    writeFileSync(file, `${given.user}:${given.password}\n`, { mode: 0o600 });
    return ['--cluster-credentials', file];
  };
  const flags = (internal: number | undefined) => [
    '--cluster-servers',
    access.servers.join(','),
    '--cluster-replicas',
    '1',
    '--cluster-listen',
    `127.0.0.1:${internal}`,
  ];
  const must = async (words: readonly string[]) => {
    const { code, stdout, stderr } = await runToEnd(endings, words);
    if (code !== 0) throw new Error(`${words[1]}: ${code} ${stdout}${stderr}`);
  };
  const start = async (at: string, port: number | undefined, internal: number | undefined) => {
    const address = ['--listen', `127.0.0.1:${port}`, '--advertise', `localhost:${port}`];
    const control = ['--ctrl-listen', 'none', '--ctrl-advertise', `localhost:${port}`];
    const words = ['run', '--home', at, ...address, ...control, ...flags(internal)];
    const node = new Process(endings, [...words, ...credentials('node')], {});
    await node.says('stdout', 'ready ');
    return node;
  };
  const countAt = async (port: number | undefined) => {
    const http = connect(endings, { url: `https://localhost:${port}`, ca });
    let admin: Api | undefined;
    const { username, password } = peerAdministrator;
    await until('a node answers', async () => {
      admin = await logIn(http, username, password);
      return true;
    });
    return (await admin?.all('identities'))?.length;
  };
  await must(['cluster', 'init', '--home', home, ...flags(firstInternal), ...credentials('init')]);
  const first = await start(home, firstPort, firstInternal);
  mkdirSync(second, { mode: 0o700 });
  cpSync(join(home, 'config.json'), join(second, 'config.json'));
  const pki = ['--pki', join(home, 'pki')];
  const joining = [...pki, ...flags(secondInternal), ...credentials('node')];
  await must(['cluster', 'join', '--home', second, ...joining]);
  await start(second, secondPort, secondInternal);
  const before = await countAt(firstPort);
  const through = await countAt(secondPort);
  await first.stop();
  const after = await countAt(secondPort);
  if (before !== after || before !== through) throw new Error(`${before}, ${through}, ${after}`);
  return `${after} identities at both, and at the second one alone`;
}
