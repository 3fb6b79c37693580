// The attack on the queue of password hashes: many connections that log in as a user who does not
// exist, and an administrator who has to get in beside them.

import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { adminPassword, type Serving } from '../process.ts';
import type { Flood, FloodFigures } from './password-flood.ts';

/** What one variant of the attack came to. */
export interface PasswordAttackFigures {
  /** Where the attackers call from, as seen from the administrator. */
  readonly from: 'another address' | 'the same address';
  readonly flood: FloodFigures;
  readonly honest: {
    readonly logins: number;
    /** Those that were answered with 200 within 2 s. */
    readonly succeeded: number;
    readonly slowestMs: number;
    /** Answers by status. */
    readonly statuses: Readonly<Record<number, number>>;
  };
}

/** All variants, and whether each honest login succeeded in time. */
export interface PasswordAttackResult {
  readonly variants: readonly PasswordAttackFigures[];
  readonly passed: boolean;
}

const honestLogins = 40;
const withinMs = 2000;
const connections = 300;
const honestAddress = '127.0.0.1';
const path = '/edge/client/v1/authenticate?method=password';

/**
 * Runs both variants against a controller whose administrator has the password of these tests and
 * whose hashes cost what they cost by default: cheap ones fill no queue.
 * @param seconds of each variant
 */
export async function attackPasswords(
  { url, ca }: Pick<Serving, 'url' | 'ca'>,
  seconds: number,
): Promise<PasswordAttackResult> {
  const variants: PasswordAttackFigures[] = [];
  for (const from of ['another address', 'the same address'] as const) {
    const address = from === 'the same address' ? honestAddress : '127.0.0.2';
    variants.push(await runVariant({ url, ca, address, connections }, from, seconds));
  }
  const passed = variants.every(({ honest }) => honest.succeeded === honestLogins);
  return { variants, passed };
}

async function runVariant(
  flood: Flood,
  from: PasswordAttackFigures['from'],
  seconds: number,
): Promise<PasswordAttackFigures> {
  const honest = new Pool(flood.url, {
    connections: 1,
    localAddress: honestAddress,
    connect: { ca: flood.ca },
  });
  // As before any attack: the administrator works with this controller.
  const before = await logIn(honest);
  if (before.status !== 200) throw new Error(`no login before the attack: ${before.status}`);
  const worker = new Worker(new URL('./password-flood.ts', import.meta.url), { workerData: flood });
  try {
    await messageOf(worker);
    const answers: Awaited<ReturnType<typeof logIn>>[] = [];
    for (let number = 0; number < honestLogins; number++) {
      const answer = await logIn(honest);
      answers.push(answer);
      await pause(Math.max(0, (seconds * 1000) / honestLogins - answer.ms));
    }
    worker.postMessage('stop');
    const figures = (await messageOf(worker)) as FloodFigures;
    return { from, flood: figures, honest: figuresOf(answers) };
  } finally {
    await worker.terminate();
    await honest.destroy();
  }
}

async function logIn(pool: Pool): Promise<{ readonly status: number; readonly ms: number }> {
  const began = performance.now();
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: adminPassword }),
  });
  await body.dump();
  return { status: statusCode, ms: performance.now() - began };
}

function figuresOf(answers: readonly { readonly status: number; readonly ms: number }[]) {
  const statuses: Record<number, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    logins: answers.length,
    succeeded: answers.filter(({ status, ms }) => status === 200 && ms <= withinMs).length,
    slowestMs: Math.round(Math.max(...answers.map(({ ms }) => ms))),
    statuses,
  };
}

function messageOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
