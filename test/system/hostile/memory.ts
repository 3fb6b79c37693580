// The attack on memory: one ordinary client logs in, asks for certificates and reports posture
// without end against a small heap, while others go on working; then the process is killed.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Openssl } from '../../simulated/openssl.ts';
import {
  type Answer,
  type Api,
  type Client,
  client,
  connect,
  logIn,
  management,
} from '../client.ts';
import { Endings, temporaryDirectory } from '../endings.ts';
import {
  cheapHashes,
  controllerEntry,
  type Program,
  type Serving,
  startProcess,
  whenReady,
} from '../process.ts';

/** What came of it. */
export interface MemoryOutcome {
  /** Whether all of it is as it must be. */
  readonly isHeld: boolean;
  readonly logins: number;
  readonly certificates: number;
  /** Requests of the attacker that were refused for memory. */
  readonly refused: number;
  /** Requests of the attacker that were refused for other bounds, by code. */
  readonly bounded: Readonly<Record<string, number>>;
  /** Answers that the honest clients had, and those that were not as they should be. */
  readonly honest: number;
  readonly failed: number;
  readonly honestP99Ms: number;
  /** Whether the health check said so while creations were refused. */
  readonly isShown: boolean;
  /** Whether a start with the same heap got through. */
  readonly isRestarted: boolean;
  /** Whether deletions made room for a creation again. */
  readonly isFreed: boolean;
}

/** The bounds per identity would keep one attacker from ever filling the heap, so they are off. */
const limits = {
  apiSessionsPerIdentityMax: 1_000_000,
  sessionCertificatesPerIdentityMax: 1_000_000,
  writesPerSecondMax: 0,
};

const mebibyte = 1024 * 1024;
const heapMebibytes = 80;
const root = join(import.meta.dirname, '../../..');
const program = smallHeap(heapMebibytes, 2);

/** The controller with a heap of this size, both in MiB. */
export function smallHeap(oldSpace: number, semiSpace: number): Program {
  return [
    join(root, 'node_modules/.bin/node'),
    `--max-old-space-size=${oldSpace}`,
    `--max-semi-space-size=${semiSpace}`,
    '--disable-warning=ExperimentalWarning',
    controllerEntry,
  ];
}

/** What is left to the attacker below the bound: the rest of the heap is filled before. */
const leftBytes = 2 * mebibyte;
const ballastCharacters = 256 * 1024;
const attackers = 8;
const freedWithinMs = 60_000;

/** How much longer the attack may go on until something was refused and shown. */
const patienceMs = 60_000;

/** Makes the attack for so long, and looks at what it leaves. */
export async function attackMemory(seconds: number): Promise<MemoryOutcome> {
  const endings = new Endings();
  try {
    return await attack(endings, seconds);
  } finally {
    await endings.run();
  }
}

async function attack(endings: Endings, seconds: number): Promise<MemoryOutcome> {
  const home = temporaryDirectory(endings, 'edge-control-memory-');
  const metrics = { listen: '127.0.0.1:0' };
  const text = JSON.stringify({ argon2: cheapHashes, tlsWorkers: 1, metrics, limits });
  writeFileSync(join(home, 'config.json'), text, { mode: 0o600 });
  const serving = await start(endings, home);
  const admin = await logIn(connect(endings, serving, 2));
  const attackerId = await createUser(admin, 'attacker');
  await createUser(admin, 'honest');
  const honest = await logInAs(connect(endings, serving, 1), 'honest');
  const ballast = await fill(serving, admin);
  const { pem: csr } = new Openssl(temporaryDirectory(endings, 'edge-control-csr-')).request({
    subject: '/CN=attacker',
  });

  const tally = { logins: 0, certificates: 0, refused: 0, bounded: {} as Record<string, number> };
  const endMs = Date.now() + seconds * 1000;
  const end: End = {
    isShown: false,
    get isReached() {
      const isFull = tally.refused > 0 && this.isShown;
      return Date.now() >= (isFull ? endMs : endMs + patienceMs);
    },
  };
  const attacking = Array.from({ length: attackers }, () =>
    pester(connect(endings, serving, 1), csr, tally, end),
  );
  const watching = work(honest, admin, end);
  await Promise.all(attacking);
  const { answers, failed, tookMs } = await watching;

  await admin.call('POST', `${management}/database/snapshot`);
  await serving.process.kill();
  const again = await start(endings, home).catch(() => undefined);
  const isRestarted = again !== undefined;
  const later = again && (await logIn(connect(endings, again, 1)));
  const isFreed = later !== undefined && (await frees(later, [attackerId, ...ballast]));
  const honestP99Ms = tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? 0;
  return {
    isHeld: failed === 0 && answers > 0 && isRestarted && isFreed,
    ...tally,
    honest: answers,
    failed,
    honestP99Ms: Math.round(honestP99Ms),
    isShown: end.isShown,
    isRestarted,
    isFreed,
  };
}

async function start(endings: Endings, home: string): Promise<Serving> {
  return await whenReady(startProcess(endings, home, [], program), home);
}

const password = 'some-password';

async function createUser(admin: Api, username: string): Promise<string> {
  const body = { name: username, type: 'Default', isAdmin: false };
  const identityId = await admin.create('identities', body);
  await admin.create('authenticators', { method: 'updb', identityId, username, password });
  return identityId;
}

function tryLogIn(http: Client, username: string): Promise<Answer> {
  const path = `${client}/authenticate?method=password`;
  return http.call('POST', path, { body: { username, password } });
}

async function logInAs(http: Client, username: string) {
  const { data, status } = await tryLogIn(http, username);
  if (status !== 200) throw new Error(`${username} cannot log in: ${status}`);
  return { http, token: String(data['token']) };
}

/** A metric of the controller, from its metrics listener. */
export async function metricOf({ process }: Serving, name: string): Promise<number> {
  const url = /"url":"(http:[^"]+)"/.exec(process.stderr)?.[1] ?? '';
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

/** Leaves the attacker little room, so that the test is short. @returns ids to delete */
async function fill(serving: Serving, admin: Api): Promise<string[]> {
  const limit = await metricOf(serving, 'edge_control_heap_limit_bytes');
  const live = await metricOf(serving, 'edge_control_heap_live_bytes');
  const pieces = Math.floor((limit * 0.85 - live - leftBytes) / ballastCharacters);
  const ids: string[] = [];
  for (let i = 0; i < pieces; i++) {
    const tags = { text: String(i).padEnd(ballastCharacters, 'ballast ') };
    const body = { name: `ballast ${i}`, type: 'Default', isAdmin: false, tags };
    const { status, data } = await admin.call('POST', `${management}/identities`, body);
    // The heap may be full a little earlier than was reckoned.
    if (status !== 201) break;
    ids.push(String(data['id']));
  }
  return ids;
}

interface Tally {
  logins: number;
  certificates: number;
  refused: number;
  bounded: Record<string, number>;
}

interface End {
  readonly isReached: boolean;
  /** Whether the health check has said that the heap is full. */
  isShown: boolean;
}

/** Logs in, and asks for what a session may have, until the time is over. */
async function pester(http: Client, csr: string, tally: Tally, end: End): Promise<void> {
  const note = ({ status, error }: Answer) => {
    if (status < 300) return true;
    const code = String(error['code']);
    if (code === 'MEMORY_LIMIT_REACHED') tally.refused++;
    else tally.bounded[code] = (tally.bounded[code] ?? 0) + 1;
    return false;
  };
  let token = '';
  for (let round = 0; !end.isReached; round++) {
    const login = await tryLogIn(http, 'attacker');
    if (note(login)) {
      token = String(login.data['token']);
      tally.logins++;
    }
    if (token === '' || round % 4 > 0) continue;
    const path = `${client}/current-api-session/certificates`;
    if (note(await http.call('POST', path, { token, body: { csr } }))) tally.certificates++;
    const process = { id: 'any', typeId: 'PROCESS', path: `/bin/${round}`, isRunning: true };
    note(await http.call('POST', `${client}/posture-response`, { token, body: process }));
  }
}

/** Two honest clients: one reads, the other changes an identity and asks for the health. */
async function work(
  { http, token }: { readonly http: Client; readonly token: string },
  admin: Api,
  end: End,
) {
  const { id } = await admin.ask('GET', `${management}/current-identity`);
  const tookMs: number[] = [];
  let failed = 0;
  const ask = async (asked: Promise<Answer>) => {
    const began = performance.now();
    const { status, data } = await asked;
    tookMs.push(performance.now() - began);
    if (status >= 300) failed++;
    return data;
  };
  while (!end.isReached) {
    await ask(http.call('GET', `${client}/current-api-session`, { token }));
    await ask(http.call('GET', `${client}/services`, { token }));
    await ask(
      admin.call('PATCH', `${management}/identities/${id}`, { tags: { at: `${Date.now()}` } }),
    );
    const { checks = [] } = (await ask(admin.call('GET', '/health-checks'))) as {
      checks?: readonly { readonly id: string; readonly healthy: boolean }[];
    };
    end.isShown ||= checks.some((check) => check.id === 'memory' && !check.healthy);
    await setTimeout(20);
  }
  return { answers: tookMs.length, failed, tookMs };
}

/** Whether a record can be created soon after these were deleted. */
async function frees(admin: Api, ids: readonly string[]): Promise<boolean> {
  for (const id of ids) await admin.ask('DELETE', `${management}/identities/${id}`);
  const endMs = Date.now() + freedWithinMs;
  for (let attempt = 0; Date.now() < endMs; attempt++) {
    const body = { name: `after ${attempt}`, type: 'Default', isAdmin: false };
    const { status } = await admin.call('POST', `${management}/identities`, body);
    if (status === 201) return true;
    await setTimeout(100);
  }
  return false;
}
