// Migrates a random network of the stock program, and compares what both controllers show of it.

import { Api, client } from '../client.ts';
import type { Endings } from '../endings.ts';
import type { Steps } from '../overlay/steps.ts';
import { privateKeysIn, secretsIn } from '../secrets.ts';
import { type Holder, isLetIn } from './holders/holder.ts';
import { type Holders, isRefused } from './holders/holders.ts';
import { knownDifferences, reasonOf } from './known-differences.ts';
import { MigratedHome } from './migrated-home.ts';
import { type NetworkViews, readViews } from './network-views.ts';
import { PeerNetwork, peerAdministrator, stockProgram } from './peer-network.ts';
import { describeShape, type PeerShape } from './peer-shape.ts';
import { fill, type RandomNetwork } from './random-network.ts';
import { compareViews, type ViewDifference } from './view-differences.ts';

/** Differences that are printed. */
const shownMax = 40;

/** A network that was migrated, whose controller runs. */
export interface SeedMigration {
  readonly home: MigratedHome;
  /** The former controllers, which are stopped. */
  readonly network: PeerNetwork;
  /** How many they have. */
  readonly identities: number;
  /** Who logs in without a second factor. */
  readonly holders: readonly Holder[];
}

/** Migrates networks, and knows which differences came up in any of them. */
export class SeedMigrations {
  readonly #endings: Endings;
  readonly #steps: Steps;
  /** How often each reason held. */
  readonly #reasons = new Map<string, number>();

  constructor(endings: Endings, steps: Steps) {
    this.#endings = endings;
    this.#steps = steps;
  }

  /** Makes a network of a shape from a seed, migrates it, and uses it. */
  async run(seed: string, shape: PeerShape): Promise<SeedMigration | undefined> {
    console.log(`${describeShape(shape)}, seed ${seed}:`);
    let made: RandomNetwork | undefined;
    let before: NetworkViews = new Map();
    let migrated: MigratedHome | undefined;
    await this.#steps.step('the stock program makes a network', async () => {
      const network = await PeerNetwork.make(this.#endings, stockProgram(), shape);
      made = await fill(this.#endings, network, seed);
      before = await readViews(made.admin);
      await network.stop();
      return countsOf(before);
    });
    if (made === undefined) return undefined;
    const { network, holders, outstanding } = made;
    await this.#steps.step('it is migrated', async () => {
      migrated = await MigratedHome.of(this.#endings, network);
      isExplained(migrated, shape);
      await migrated.start();
      return lineOf(migrated.report, 'access');
    });
    if (migrated === undefined) return undefined;
    const home: MigratedHome = migrated;
    await this.#steps.step('every member of every view is as before', async () => {
      const admin = await home.logIn();
      // The session that read them before is one that goes on.
      const after = await readViews(admin, new Set([admin.sessionId]));
      return this.#compare(compareViews(before, after));
    });
    await this.#useHolders(home, holders);
    for (const [name, finish] of outstanding) {
      await this.#steps.step(name, async () => await finish(home));
    }
    await this.#steps.step('no secret is in the log, and no complaint', async () => isQuiet(home));
    const identities = before.get('identities')?.length ?? 0;
    return { home, network, identities, holders: holders.all };
  }

  /** Complains of reasons that no network had, which are stale. */
  async end(): Promise<void> {
    await this.#steps.step('each difference that is expected has come up', async () => {
      const stale = knownDifferences.filter(({ reason }) => !this.#reasons.has(reason));
      if (stale.length > 0) throw new Error(stale.map(({ reason }) => reason).join('\n'));
    });
    for (const [reason, times] of this.#reasons) console.log(`  ${times} times: ${reason}`);
  }

  #compare(differences: readonly ViewDifference[]): string {
    const unexpected: ViewDifference[] = [];
    for (const difference of differences) {
      const reason = reasonOf(difference);
      if (reason === undefined) unexpected.push(difference);
      else this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
    }
    if (unexpected.length === 0) return `${differences.length} differences, each with a reason`;
    const lines = unexpected.slice(0, shownMax).map(({ collection, path, id, before, after }) => {
      const [was, is] = [before, after].map((value) => JSON.stringify(value)?.slice(0, 200));
      return `${collection} ${id} ${path}: ${was} is ${is}`;
    });
    throw new Error([`${unexpected.length} differences`, ...lines].join('\n'));
  }

  async #useHolders(home: MigratedHome, { all, tokens, ...others }: Holders): Promise<void> {
    const { twoFactors, lockedOut, endedToken } = others;
    await this.#steps.step('API sessions go on with their tokens', async () => {
      for (const [at, { identityId }] of all.entries()) {
        await isLetIn(sessionOf(home, tokens[at]), identityId);
      }
      const { status } = await sessionOf(home, endedToken).call('GET', currentSession);
      if (status !== 401) throw new Error(`one that had ended is answered ${status}`);
      return `${tokens.length} of them`;
    });
    await this.#steps.step('everybody logs in', async () => {
      for (const holder of all) {
        await isLetIn(await holder.logIn(home), holder.identityId).catch((thrown: unknown) => {
          throw new Error(`${holder.name}: ${String(thrown)}`);
        });
      }
      await isRefused(lockedOut, home);
      return `${all.map(({ name }) => name).join(', ')}`;
    });
    await this.#steps.step('a code of the app is a second factor', async () => {
      await isLetIn(await twoFactors.logIn(home), twoFactors.identityId);
    });
    await this.#steps.step('each recovery code is one, once', async () => {
      return `${await twoFactors.spendRecoveryCodes(home)} of them`;
    });
  }
}

const currentSession = `${client}/current-api-session`;

function sessionOf(home: MigratedHome, token = ''): Api {
  return new Api(home.connect(), token, '');
}

function countsOf(views: NetworkViews): string {
  const main = [...views].filter(([name]) => !name.includes(' '));
  return main.map(([name, { length }]) => `${length} ${name}`).join(', ');
}

/** The parts of a report that are looked at. */
interface ShownReport {
  readonly unknownBuckets: readonly string[];
  readonly unknownFields: object;
  readonly remarks: readonly unknown[];
  readonly stops: readonly unknown[];
  readonly nodes: readonly unknown[];
}

/** @throws when the report of a migration names something that nobody has explained */
function isExplained({ reportJson }: MigratedHome, { nodes }: PeerShape): void {
  const report = JSON.parse(reportJson) as ShownReport;
  const { unknownBuckets, unknownFields, remarks, stops } = report;
  const open = [unknownBuckets, Object.keys(unknownFields), remarks, stops].flat();
  if (open.length > 0) throw new Error(JSON.stringify(open));
  if (report.nodes.length !== nodes) throw new Error(`it names ${report.nodes.length} nodes`);
}

/** A line of the report, without its spaces. */
function lineOf(report: string, word: string): string {
  const line = report.split('\n').find((one) => one.trimStart().startsWith(word));
  return (line ?? '').trim().replace(/ +/g, ' ');
}

/** @throws when something is in the log or in the report that must not be */
function isQuiet(home: MigratedHome): void {
  const said = home.log + home.report + home.reportJson;
  const secrets = [peerAdministrator.password, ...privateKeysIn(home.home)];
  const shown = secretsIn(said, secrets);
  const complaints = home.log.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line));
  if (shown.length + complaints.length > 0) throw new Error([...complaints, ...shown].join('\n'));
}
