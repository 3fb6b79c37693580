// A thread that floods the OIDC provider: with authorization requests, or with forged tokens.

import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';
import { type ForgedKind, Forger, forgedKinds, type KnownToForger } from './forged-tokens.ts';
import { authorization, formType } from './oidc-session.ts';

/** Where a flood goes, from where, and what it sends. */
export interface OidcFlood {
  readonly url: string;
  readonly ca: string;
  /** Local addresses, `127.2.0.0` and those after it. */
  readonly addresses: number;
  readonly connectionsPerAddress: number;
  /** Tokens are forged with this, so many of them; without it, logins are begun. */
  readonly forging?: KnownToForger & { readonly tokens: number };
}

/** What came of it. */
export interface OidcFloodFigures {
  readonly attempts: number;
  /** Answers by what was sent and by status: `alg none 401`. */
  readonly answers: Readonly<Record<string, number>>;
}

/** One request of a flood. */
interface Attempt {
  readonly kind: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const long = 'x'.repeat(2048);

/** Begins logins: by query, by a form with as much in it as may be kept, and with nonsense. */
function beginning(number: number): Attempt {
  const sent = { ...authorization, state: `state-${number}` };
  const byQuery = { method: 'GET', headers: {}, body: null } as const;
  switch (number % 3) {
    case 0:
      return { kind: 'good', path: `/oidc/authorize?${new URLSearchParams(sent)}`, ...byQuery };
    case 1: {
      const names = Array.from({ length: 64 }, () => 'x'.repeat(63)).join(',');
      const form = { ...sent, state: long, nonce: long, configTypes: names };
      const headers = { 'content-type': formType };
      const body = new URLSearchParams(form).toString();
      return { kind: 'large', method: 'POST', path: '/oidc/authorize', headers, body };
    }
    default: {
      const query = new URLSearchParams({ ...sent, redirect_uri: 'https://evil.example/' });
      return { kind: 'bad', path: `/oidc/authorize?${query}`, ...byQuery };
    }
  }
}

const paths = [
  ...(['/edge/client/v1/current-identity', '/edge/management/v1/identities'] as const),
  ...(['/oidc/userinfo', '/fabric/v1/routers'] as const),
];

function forged(forger: Forger, number: number): Attempt {
  const kind: ForgedKind = forgedKinds[number % forgedKinds.length] ?? 'garbage';
  const path = paths[Math.floor(number / forgedKinds.length) % paths.length] ?? '';
  const headers = { authorization: `Bearer ${forger.next(kind)}` };
  return { kind, method: 'GET', path, headers, body: null };
}

const port = parentPort;
if (port !== null) {
  const { url, ca, addresses, connectionsPerAddress, forging } = workerData as OidcFlood;
  const forger = forging === undefined ? undefined : new Forger(forging);
  const attemptsMax = forging?.tokens ?? Number.POSITIVE_INFINITY;
  const pools = Array.from({ length: addresses }, (_, n) => {
    const localAddress = `127.2.${n >> 8}.${n & 255}`;
    return new Pool(url, { connections: connectionsPerAddress, localAddress, connect: { ca } });
  });
  const answers: Record<string, number> = {};
  let begun = 0;
  let attempts = 0;
  let isOver = false;

  /** One connection: the next attempt follows each answer at once. */
  const attack = async (pool: Pool): Promise<void> => {
    while (!isOver && begun < attemptsMax) {
      const number = begun++;
      const { kind, ...attempt } = forger ? forged(forger, number) : beginning(number);
      const { statusCode, body } = await pool.request(attempt);
      await body.dump();
      attempts += 1;
      const what = `${kind} ${statusCode}`;
      answers[what] = (answers[what] ?? 0) + 1;
    }
  };

  const attacking = pools.flatMap((pool) =>
    Array.from({ length: connectionsPerAddress }, () => attack(pool)),
  );
  port.once('message', () => {
    isOver = true;
  });
  await Promise.allSettled(attacking);
  port.postMessage({ attempts, answers } satisfies OidcFloodFigures);
  await Promise.all(pools.map((pool) => pool.destroy()));
}
