// What a migrated home must survive like any other: ends of all sorts, a backup, and a second node.

import type { Json } from '../client.ts';
import type { Endings } from '../endings.ts';

import { natsServerBinary } from '../nats/binary.ts';
import { until } from '../nats/server.ts';
import type { Steps } from '../overlay/steps.ts';
import { type Ended, runToEnd } from '../process.ts';
import type { Holder } from './holders/holder.ts';
import { isLetIn } from './holders/holder.ts';
import type { MigratedHome } from './migrated-home.ts';
import { type NetworkViews, readViews } from './network-views.ts';
import { peerAdministrator } from './peer-network.ts';
import { joinSecondNode } from './second-node.ts';
import type { SeedMigration } from './seed-migration.ts';
import { compareViews, type ViewDifference } from './view-differences.ts';

const environment = {
  EDGE_ADMIN_USER: peerAdministrator.username,
  EDGE_ADMIN_PASSWORD: peerAdministrator.password,
};

/** Takes a running controller on a migrated home through all of it. */
export async function makeRoundTrip(
  endings: Endings,
  steps: Steps,
  { home, holders }: SeedMigration,
): Promise<void> {
  console.log('the round trip of the last home:');
  await new RoundTrip(endings, steps, home, holders).run();
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
    await this.#migrated.end('SIGTERM');
    // A step would count it as a failure if there is none.
    natsServerBinary();
    await this.#steps.step('a second node joins, and takes over', async () => {
      return await joinSecondNode(this.#endings, restored, this.#migrated.ca);
    });
  }

  /** Starts a controller that shows what was there, and lets everybody in. */
  async #startsEqual(home: string): Promise<void> {
    await this.#migrated.start(home);
    const now = await readViews(await this.#migrated.logIn());
    const differences = compareViews(this.#views, now).filter(isChange);
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

/** Logins make sessions and use them, and show the token of the session that reads. */
function isChange({ collection, path }: ViewDifference): boolean {
  if (collection === 'api-sessions') return path !== '' && !/Activity|token/.test(path);
  if (collection.endsWith('authenticators')) return path !== 'updatedAt';
  return !path.endsWith('.timeoutAt');
}
