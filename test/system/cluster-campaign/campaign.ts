// Rounds of work on a cluster to which something happens, with an audit after each.

import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { audit } from '../audit.ts';
import { Api, createNetwork, logIn } from '../client.ts';
import { Dice } from '../dice.ts';
import { type Endings, temporaryDirectory } from '../endings.ts';
import { Ledger } from '../ledger.ts';
import { LoadWorker } from '../load.ts';
import { adminPassword } from '../process.ts';
import { privateKeysIn, secretsIn } from '../secrets.ts';
import { carryOut, type FaultName, faultsInTurn } from './faults.ts';
import type { Fronts } from './front-client.ts';
import { History } from './history.ts';
import { compareHomes } from './homes.ts';
import type { Checker } from './linearizability/checker.ts';
import { CampaignNodes, indexes } from './nodes.ts';
import { type RetryCounts, RetryingClient, Stopped } from './retrying-client.ts';
import { RoundLoad } from './round-load.ts';

/** The parts of a campaign. */
export interface CampaignWanted {
  readonly rounds: number;
  readonly seed: string;
  /** Only this fault, in each round. */
  readonly fault?: FaultName;
  /** Without it, histories are recorded and not checked. */
  readonly checker?: Checker;
}

const workersCount = 6;
const servicesCount = 8;
/** At most, before each request of a worker. */
const paceMsMax = 200;
const ballastCharactersMax = 40_000;
/** Whatever takes as long will never end. All that is waited for in a round takes less. */
const roundMsMax = 30 * 60_000;
/** Homes are compared after so many rounds, and at the end. */
const roundsPerComparison = 10;
/** Room for the log, snapshots and members of a campaign, per server. */
const accountBytesMax = 64 * 1024 * 1024;

/** Idle API sessions outlive the campaign; snapshots come often. */
const configuration = {
  session: { timeoutMinutes: 100_000 },
  snapshot: { logBytes: 1024 * 1024 },
  limits: { segmentBytes: 8 * 1024 * 1024, snapshotIntervalMs: 0 },
};

/** The totals of all rounds. */
interface Totals extends RetryCounts {
  acknowledged: number;
  operations: number;
  open: number;
  comparisons: number;
  /** Of reads of single records, by nodes that followed at the end of their round. */
  readsOfFollowers: number;
  readsOfLeaders: number;
}

/** One cluster, through all rounds. */
export class ClusterCampaign {
  readonly #wanted: CampaignWanted;
  readonly #nodes: CampaignNodes;
  readonly #directory: string;
  readonly #dice: Dice;
  readonly #ledger = new Ledger();
  readonly #fronts: Fronts;
  readonly #totals: Totals;
  #ballast: readonly string[] = [];
  #services: readonly string[] = [];
  #admin = { token: '', sessionId: '' };

  private constructor(endings: Endings, wanted: CampaignWanted, nodes: CampaignNodes) {
    this.#wanted = wanted;
    this.#nodes = nodes;
    this.#directory = temporaryDirectory(endings, 'edge-campaign-');
    this.#dice = new Dice(wanted.seed);
    this.#fronts = (index) => nodes.serving(index);
    const retries = { unknown: 0, undone: 0, doneBefore: 0 };
    const reads = { readsOfFollowers: 0, readsOfLeaders: 0 };
    const nothing = { acknowledged: 0, operations: 0, open: 0, comparisons: 0 };
    this.#totals = { ...nothing, ...retries, ...reads };
  }

  /** Starts servers and nodes. */
  static async open(endings: Endings, wanted: CampaignWanted): Promise<ClusterCampaign> {
    const nodes = await CampaignNodes.open(endings, { configuration, accountBytesMax });
    return new ClusterCampaign(endings, wanted, nodes);
  }

  /** Goes through all rounds. @throws Error for the first promise that was broken */
  async run(): Promise<void> {
    const { rounds, fault } = this.#wanted;
    await this.#furnish();
    const inTurn = faultsInTurn(rounds, this.#dice);
    for (const [index, name] of inTurn.entries()) {
      this.#ledger.round = index + 1;
      await inTime(`round ${index + 1} (${fault ?? name})`, this.#round(fault ?? name));
      const isLast = index + 1 === rounds;
      if (isLast || (index + 1) % roundsPerComparison === 0) {
        await inTime('the comparison of all homes', this.#compare(isLast));
      }
    }
    this.#checkLogs();
  }

  /** The counts of all rounds. */
  get summary(): string {
    const { acknowledged, unknown, undone, doneBefore } = this.#totals;
    const { operations, open, comparisons } = this.#totals;
    const reads = this.#totals.readsOfFollowers + this.#totals.readsOfLeaders;
    const share = Math.round((100 * this.#totals.readsOfFollowers) / reads);
    const isChecked = this.#wanted.checker === undefined ? 'not checked' : 'all linearizable';
    return [
      `${this.#ledger.round} rounds`,
      `${acknowledged} changes acknowledged, 0 lost, 0 done twice`,
      `${unknown} attempts without an answer and ${undone} refused, after which ${doneBefore} requests were found to be done`,
      `${operations} operations on single records, ${open} open, ${isChecked}`,
      `${share} % of ${reads} reads of single records answered by nodes that followed`,
      `${this.#nodes.restarts} nodes ended by themselves and were started again`,
      `homes equal byte for byte ${comparisons} times`,
    ].join('; ');
  }

  /** Keeps the homes, and beside them what the processes said. @returns where */
  keep(): string {
    const copy = mkdtempSync(join(tmpdir(), 'edge-campaign-kept-'));
    cpSync(dirname(this.#nodes.cluster.home(0)), join(copy, 'homes'), { recursive: true });
    cpSync(this.#directory, join(copy, 'histories'), { recursive: true });
    const logs = [...this.#nodes.processes].map(({ stderr }) => stderr);
    writeFileSync(join(copy, 'log'), logs.join('--- next process\n'), { mode: 0o600 });
    return copy;
  }

  async #furnish(): Promise<void> {
    const http = this.#client(0, new Dice('furnish'));
    const admin = await logIn(http);
    this.#admin = admin;
    this.#services = await createNetwork(admin, servicesCount);
    const entries = ['b1', 'b2'].map((name) => this.#ledger.identity(name));
    for (const entry of entries) {
      const { name, value } = entry;
      const body = { name, type: 'Default', isAdmin: false, appData: { value } };
      entry.id = await admin.create('identities', body);
      this.#ledger.asked(entry, 'there');
    }
    this.#ballast = entries.map(({ id = '' }) => id);
    await http.close();
  }

  async #round(fault: FaultName): Promise<void> {
    const { round } = this.#ledger;
    const beganMs = performance.now();
    const before = { ...this.#totals };
    const auditor = this.#client(this.#dice.integer(0, 2), this.#diceOf('audit'), 4);
    const admin = new Api(auditor, this.#admin.token, this.#admin.sessionId);
    const history = await History.begin(this.#fronts, admin, `${round}`);
    const readBefore = await this.#reads();
    const load = this.#beginLoad(history);
    await setTimeout(this.#dice.integer(500, 3000));
    const done = await load.during(carryOut(fault, { nodes: this.#nodes, dice: this.#dice }));
    await load.during(this.#nodes.well());
    await load.stop();
    await history.readAll();
    await history.clear(admin);
    for (const [process, { count, leads }] of await this.#reads()) {
      const more = count - (readBefore.get(process)?.count ?? 0);
      if (leads) this.#totals.readsOfLeaders += more;
      else this.#totals.readsOfFollowers += more;
    }
    const counts = await audit(admin, this.#ledger, false);
    await auditor.close();
    this.#checkHistory(history);
    this.#nodes.checkEnds();
    const { acknowledged, unknown, undone, doneBefore, operations, open } = this.#totals;
    const found = JSON.stringify({
      acknowledged: acknowledged - before.acknowledged,
      unknown: unknown - before.unknown,
      undone: undone - before.undone,
      doneBefore: doneBefore - before.doneBefore,
      longestGapMs: load.longestGapMs,
      operations: operations - before.operations,
      open: open - before.open,
      audited: counts,
      seconds: Math.round((performance.now() - beganMs) / 1000),
    });
    console.log(`round ${round}: ${fault} (${done}): ${found}`);
  }

  /** How often each node has answered a read of single records, and whether it leads. */
  async #reads(): Promise<ReadonlyMap<unknown, { readonly count: number; leads: boolean }>> {
    const { cluster } = this.#nodes;
    const reads = await Promise.all(
      indexes.map(async (index) => {
        const count = (await cluster.answered(index)).get('detailConfig') ?? 0;
        const leads = (await cluster.health(index)).role === 'leading';
        return [cluster.process(index), { count, leads }] as const;
      }),
    );
    return new Map(reads);
  }

  #beginLoad(history: History): RoundLoad {
    const load = new RoundLoad();
    const workers = Array.from({ length: workersCount }, (_, index) => {
      const http = this.#client(index % 3, this.#diceOf(`retry-${index}`), 1, paceMsMax);
      const worker = new LoadWorker({
        admin: new Api(http, this.#admin.token, this.#admin.sessionId),
        name: `r${this.#ledger.round}-w${index}`,
        services: this.#services,
        ballast: this.#ballast,
        ballastCharactersMax,
        ledger: this.#ledger,
        dice: this.#diceOf(`work-${index}`),
        acknowledged: () => {
          load.note();
          this.#totals.acknowledged += 1;
        },
        isEnd: (thrown) => thrown instanceof Stopped,
      });
      return {
        run: () => worker.run().finally(() => http.close()),
        stop: () => {
          http.isStopped = true;
        },
      };
    });
    const readersAndWriters = {
      run: () => history.run((client) => this.#diceOf(`history-${client}`)),
      stop: () => history.stop(),
    };
    load.begin([...workers, readersAndWriters]);
    return load;
  }

  /** Choices of one client of this round: when it is answered changes nobody else's. */
  #diceOf(name: string): Dice {
    return new Dice(`${this.#wanted.seed}/${this.#ledger.round}/${name}`);
  }

  #client(front: number, dice: Dice, connections = 1, pace = 0): RetryingClient {
    return new RetryingClient({
      fronts: this.#fronts,
      front,
      dice,
      counts: this.#totals,
      paceMsMax: pace,
      connections,
      logInUnknown: (username) => {
        const identity = this.#ledger.identities.find(({ name }) => name === username);
        if (identity !== undefined) this.#ledger.apiSession(identity);
      },
    });
  }

  #checkHistory(history: History): void {
    const path = join(this.#directory, `round-${this.#ledger.round}.jsonl`);
    history.write(path);
    this.#totals.operations += history.operations.length;
    this.#totals.open += history.open;
    const verdict = this.#wanted.checker?.check(path);
    if (verdict?.isLinearizable === false) throw new Error(verdict.text);
  }

  /** At the end, everything that was ever promised is looked at once more. */
  async #compare(isLast: boolean): Promise<void> {
    const { lsn, records, digest } = await compareHomes(this.#nodes);
    this.#totals.comparisons += 1;
    console.log(`homes are equal: ${records} records at LSN ${lsn}, SHA-256 ${digest}`);
    if (!isLast) return;
    const http = this.#client(this.#dice.integer(0, 2), this.#diceOf('compare'), 4);
    await audit(new Api(http, this.#admin.token, this.#admin.sessionId), this.#ledger, true);
    await http.close();
  }

  #checkLogs(): void {
    const log = [...this.#nodes.processes].map(({ stderr, stdout }) => stderr + stdout).join('');
    const keys = indexes.flatMap((index) => privateKeysIn(this.#nodes.cluster.home(index)));
    const secrets = [adminPassword, this.#admin.token, ...this.#ledger.secrets, ...keys];
    const shown = secretsIn(log, secrets);
    if (shown.length > 0) throw new Error(`secrets stand in a log: ${shown.join('\n')}`);
  }
}

/** @throws Error with `what` if it does not end */
async function inTime(what: string, happening: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = setTimeout(roundMsMax, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what} was not over after ${roundMsMax} ms`);
  });
  await Promise.race([happening, late]).finally(() => over.abort());
}
