// All attacks at once on one controller, killed again and again: what was answered is kept, the
// home stays sound, and memory stays flat.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Api, Client, type Json, logIn, management } from '../client.ts';
import { Endings, temporaryDirectory } from '../endings.ts';
import {
  cheapHashes,
  controller,
  type Program,
  runToEnd,
  type Serving,
  startProcess,
  whenReady,
} from '../process.ts';
import { attackDescriptors } from './descriptors.ts';
import { flood } from './flood.ts';
import { attackFraming } from './framing.ts';
import { attackHandshakes } from './handshakes.ts';
import { type Outcome, quantile, unmet } from './outcome.ts';
import { attackPasswords } from './passwords.ts';

/** How long all attacks go on before the process is killed. */
const roundSeconds = 45;
/** Identities that are kept; older ones are deleted, so that the home stays as large as it is. */
const keptMax = 300;
const heapMebibytes = 256;
const openFiles = 2000;
/** What memory may differ by between two rounds that do the same. */
const growthMax = 1.25;

const [node, ...nodeWords] = controller;
const program: Program = [
  'bash',
  '-c',
  `ulimit -n ${openFiles} && exec "$@"`,
  'bash',
  node,
  `--max-old-space-size=${heapMebibytes}`,
  '--max-semi-space-size=8',
  ...nodeWords,
];

/** Makes the attacks for so long, round after round. */
export async function attackMixed(endings: Endings, seconds: number): Promise<Outcome> {
  const home = temporaryDirectory(endings, 'edge-control-mixed-');
  const config = { argon2: { ...cheapHashes, memoryKib: 4096 }, tlsWorkers: 1 };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const ledger = new Ledger();
  const residentMebibytes: number[] = [];
  const faults: string[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until || residentMebibytes.length < 3) {
    const started = startProcess(endings, home, [], program);
    const serving = await whenReady(started, home);
    faults.push(...(await round(serving, ledger, residentMebibytes)));
    const { stderr } = await started.kill();
    faults.push(...stderr.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line)));
    console.error(`round ${residentMebibytes.length}: ${ledger.acknowledged} acknowledged`);
  }
  const { code, stdout } = await runToEnd(endings, ['check', '--home', home]);
  const third = Math.floor(residentMebibytes.length / 3);
  const middle = quantile(residentMebibytes.slice(third, 2 * third), 0.5);
  const last = quantile(residentMebibytes.slice(-third), 0.5);
  const figures = {
    rounds: residentMebibytes.length,
    acknowledged: ledger.acknowledged,
    unanswered: ledger.unanswered,
    residentMiddleMiB: middle,
    residentLastMiB: last,
    findings: stdout.split('\n').length - 1,
  };
  const failures = [
    ...faults.slice(0, 20),
    ...unmet({
      'The home is not sound.': code === 0,
      'More than one request in a hundred of an administrator got no answer.':
        ledger.unanswered * 100 <= ledger.acknowledged,
      'Memory grew from round to round.': last <= middle * growthMax,
    }),
  ];
  return { attack: 'all attacks mixed', figures, failures };
}

/** One life of the process under attack. @returns what went wrong, in sentences */
async function round(
  serving: Serving,
  ledger: Ledger,
  residentMebibytes: number[],
): Promise<string[]> {
  const clients = new Endings();
  const http = new Client(serving.url, serving, 1);
  clients.teardown(() => http.close());
  try {
    const admin = await logIn(http);
    const faults = await ledger.missingFrom(admin);
    await removeFloods(admin);
    const { url, ca } = serving;
    const attacks = [
      attackHandshakes(serving, roundSeconds),
      flood({ url, ca, seconds: roundSeconds }),
      attackPasswords(serving, roundSeconds / 2),
      attackFraming({ tls: url, ca }),
      attackDescriptors(serving, admin, roundSeconds),
    ];
    // They are cut off by the kill, so that they fail is no news.
    const attacking = Promise.allSettled(attacks);
    faults.push(...(await ledger.write(admin, roundSeconds - 5)));
    residentMebibytes.push(residentOf(serving));
    // In the middle of everything.
    serving.process.signal('SIGKILL');
    await attacking;
    return faults;
  } finally {
    await clients.run();
  }
}

/** What an administrator was answered, and must find again. */
class Ledger {
  /** Names that were created and not deleted, the oldest first. */
  readonly #kept = new Map<string, string>();
  /** Names whose last change got no answer. */
  readonly #unknown = new Set<string>();
  #number = 0;
  acknowledged = 0;
  /** Requests whose connection was lost: where all cores are busy, a new one may take too long. */
  unanswered = 0;

  /** Writes for so long; answers what was refused in another way than by a full queue. */
  async write(admin: Api, seconds: number): Promise<string[]> {
    const until = performance.now() + seconds * 1000;
    const faults: string[] = [];
    while (performance.now() < until) {
      const name = `mixed-${this.#number++}`;
      this.#unknown.add(name);
      const body = { name, type: 'Default', isAdmin: false };
      const answer = await this.#ask(admin.call('POST', `${management}/identities`, body));
      if (answer?.status === 201) {
        this.#kept.set(name, String(answer.data['id']));
        this.acknowledged++;
      } else if (answer !== undefined && answer.status !== 429) {
        faults.push(`an administrator was answered ${answer.status}`);
      }
      if (answer !== undefined) this.#unknown.delete(name);
      await this.#deleteOldest(admin);
      await pause(100);
    }
    return faults;
  }

  async #deleteOldest(admin: Api): Promise<void> {
    const [oldest] = this.#kept;
    if (oldest === undefined || this.#kept.size <= keptMax) return;
    const [name, id] = oldest;
    this.#kept.delete(name);
    this.#unknown.add(name);
    const answer = await this.#ask(admin.call('DELETE', `${management}/identities/${id}`));
    if (answer === undefined) return;
    this.#unknown.delete(name);
    // Refused for a full queue: it is deleted later.
    if (answer.status !== 200) this.#kept.set(name, id);
  }

  async #ask(asked: Promise<Answer>): Promise<Answer | undefined> {
    return await asked.catch(() => {
      this.unanswered++;
      return undefined;
    });
  }

  /** A sentence per acknowledged change that is not there after a start. */
  async missingFrom(admin: Api): Promise<string[]> {
    const rows = await admin.all('identities', 'name contains "mixed-"');
    const found = new Set(rows.map(({ name }) => String(name)));
    const missing = [...this.#kept.keys()].filter((name) => !found.has(name));
    const extra = [...found].filter((name) => !this.#kept.has(name) && !this.#unknown.has(name));
    return [
      ...missing.map((name) => `the identity ${name} was acknowledged and is not there`),
      ...extra.map((name) => `the identity ${name} was deleted and is there`),
    ];
  }
}

/** What the flood of an earlier round has left, and the attack on descriptors. */
async function removeFloods(admin: Api): Promise<void> {
  const collections = [
    'identities',
    'services',
    'edge-routers',
    'edge-router-policies',
    'service-edge-router-policies',
    'service-policies',
  ];
  // In pages: a flood leaves more rows than one answer may hold.
  const query = `limit=500&filter=${encodeURIComponent(
    'name contains "flood-" or name contains "beside the attack"',
  )}`;
  for (const collection of collections) {
    const path = `${management}/${collection}`;
    let rows: readonly Json[];
    do {
      rows = (await admin.ask('GET', `${path}?${query}`)) as unknown as readonly Json[];
      for (const { id } of rows) await admin.ask('DELETE', `${path}/${id}`);
    } while (rows.length > 0);
  }
}

/** The process under the shell that set its limits: `exec` keeps the id. */
function residentOf({ process: { child } }: Serving): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
