// Floods of authorization requests and of forged access tokens, with honest clients beside them
// that log in and call by OIDC.

import type { JsonWebKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { makeCertificate } from '../../simulated/certificates.ts';
import {
  type Answer,
  type Api,
  client,
  connect,
  createUser,
  type Json,
  logIn,
  management,
} from '../client.ts';
import type { Endings } from '../endings.ts';
import type { Serving } from '../process.ts';
import type { KnownToForger } from './forged-tokens.ts';
import type { OidcFlood, OidcFloodFigures } from './oidc-attackers.ts';
import { askByBearer, logInByOidc } from './oidc-session.ts';
import { type Outcome, quantile, unmet } from './outcome.ts';

/** With so many addresses, the bound over all of them can be met, and not only that of each. */
const floodingAddresses = 160;
/** `oidc.authRequestsMax`, as it is by default. */
const authRequestsMax = 10_000;
const forgedTokens = 100_000;
const password = 'oidc-flood-password';
/** Between two requests of an honest client. */
const honestPauseMs = 50;
const p99MsMax = 1000;

/** Begins logins for so long, as fast as the controller answers, from many addresses. */
export async function attackAuthorize(
  endings: Endings,
  target: Serving,
  seconds: number,
): Promise<Outcome> {
  const scene = await makeScene(endings, target);
  const flood = new Flood(endings, {
    url: target.url,
    ca: target.ca,
    addresses: floodingAddresses,
    connectionsPerAddress: 1,
  });
  const until = performance.now() + seconds * 1000;
  await scene.honest.run(() => performance.now() >= until);
  const inProgress = countOf(
    await scene.admin.call('GET', `${management}/inspect/machines/authRequest/instances?limit=1`),
  );
  const { attempts, answers } = await flood.stop();
  const begun = (answers['good 302'] ?? 0) + (answers['large 302'] ?? 0);
  const figures = { attempts, begun, inProgress, ...scene.figures() };
  const failures = [
    ...scene.honest.failures,
    ...wrongAnswers(answers, /^(good 302|large 302|bad 400|\w+ 429)$/),
    ...unmet({
      'No login began.': begun > 0,
      'More logins are in progress than may be.': inProgress <= authRequestsMax,
    }),
  ];
  return { attack: 'flood of logins by OIDC', figures, failures, slow: scene.slow() };
}

/** Sends 100,000 forged tokens, however long that takes. */
export async function attackByForgedTokens(endings: Endings, target: Serving): Promise<Outcome> {
  const scene = await makeScene(endings, target);
  const known = await knownToForger(scene);
  const flood = new Flood(endings, {
    url: target.url,
    ca: target.ca,
    addresses: 16,
    connectionsPerAddress: 2,
    forging: { ...known, tokens: forgedTokens },
  });
  const startedMs = performance.now();
  await scene.honest.run(() => flood.isOver);
  const { attempts, answers } = await flood.stop();
  const tookSeconds = (performance.now() - startedMs) / 1000;
  const stillGood = await askByBearer(scene.pool, 'GET', `${client}/services`, known.access).catch(
    () => undefined,
  );
  const figures = { attempts, tookSeconds, ...scene.figures() };
  const failures = [
    ...scene.honest.failures,
    ...wrongAnswers(answers, / (401|429)$/),
    ...unmet({
      'Not all tokens were sent.': attempts === forgedTokens,
      'The token that others were made from is no longer good.': stillGood !== undefined,
    }),
  ];
  return { attack: 'forged access tokens', figures, failures, slow: scene.slow() };
}

/** Sentences of answers that no such request should get. */
function wrongAnswers(answers: OidcFloodFigures['answers'], right: RegExp): string[] {
  const wrong = Object.entries(answers).filter(([what]) => !right.test(what));
  return wrong.map(([what, count]) => `${count} attacking requests were answered so: ${what}`);
}

function countOf({ meta }: Answer): number {
  return Number((meta['pagination'] as Json | undefined)?.['totalCount'] ?? Number.NaN);
}

/** A thread of attackers. */
class Flood {
  isOver = false;
  readonly #worker: Worker;
  readonly #figures: Promise<OidcFloodFigures>;

  constructor(endings: Endings, flood: OidcFlood) {
    this.#worker = new Worker(new URL('./oidc-attackers.ts', import.meta.url), {
      workerData: flood,
    });
    endings.teardown(() => this.#worker.terminate());
    this.#figures = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
    });
    const end = () => {
      this.isOver = true;
    };
    this.#figures.then(end, end);
  }

  /** Ends it, if it has not ended by itself. */
  async stop(): Promise<OidcFloodFigures> {
    this.#worker.postMessage('stop');
    return await this.#figures;
  }
}

/** Honest clients at a controller, and its memory before any attack. */
interface Scene {
  readonly admin: Api;
  readonly pool: Pool;
  readonly honest: Honest;
  figures(): Outcome['figures'];
  slow(): readonly string[];
}

async function makeScene(endings: Endings, target: Serving): Promise<Scene> {
  const admin = await logIn(connect(endings, target, 4));
  const pool = new Pool(target.url, { connections: 4, connect: { ca: target.ca } });
  endings.teardown(() => pool.destroy());
  await createUser(admin, 'honest', password);
  const before = residentMebibytesOf(target);
  const honest = new Honest(pool, admin);
  const { latenciesMs } = honest;
  const p99Ms = () => quantile(latenciesMs, 0.99);
  return {
    admin,
    pool,
    honest,
    figures: () => ({
      honest: latenciesMs.length,
      p50Ms: quantile(latenciesMs, 0.5),
      p99Ms: p99Ms(),
      maxMs: quantile(latenciesMs, 1),
      grownMiB: residentMebibytesOf(target) - before,
    }),
    slow: () => unmet({ 'The p99 of honest clients was not under 1 s.': p99Ms() < p99MsMax }),
  };
}

/** A session of the forger's own, the public key, and a signer whose keys need no fetch. */
async function knownToForger({ admin, pool }: Scene): Promise<KnownToForger> {
  await createUser(admin, 'forger', password);
  const access = await logInByOidc(pool, 'forger', password);
  const published = await pool.request({ method: 'GET', path: '/oidc/keys' });
  const { keys } = (await published.body.json()) as { readonly keys: readonly [JsonWebKey] };
  const issuer = 'https://signer.example';
  const nowMs = Date.now();
  const { pem } = await makeCertificate({ name: issuer, as: 'end', keyType: 'ec-p256', nowMs });
  const kid = 'key-of-the-signer';
  const signer = { name: issuer, issuer, audience: 'native', enabled: true, certPem: pem, kid };
  await admin.create('external-jwt-signers', signer);
  return { access, jwk: keys[0], signer: { issuer, kid } };
}

/** Clients that log in by OIDC, call with the token, and log out; and an administrator. */
class Honest {
  readonly latenciesMs: number[] = [];
  readonly failures: string[] = [];
  readonly #pool: Pool;
  readonly #admin: Api;

  constructor(pool: Pool, admin: Api) {
    this.#pool = pool;
    this.#admin = admin;
  }

  async run(isOver: () => boolean): Promise<void> {
    const access = await logInByOidc(this.#pool, 'honest', password);
    const own = `${client}/current-api-session`;
    let number = 0;
    await Promise.all([
      this.#repeat(isOver, () => askByBearer(this.#pool, 'GET', `${client}/services`, access)),
      this.#repeat(isOver, async () => {
        const token = await logInByOidc(this.#pool, 'honest', password);
        await askByBearer(this.#pool, 'GET', own, token);
        await askByBearer(this.#pool, 'DELETE', own, token);
      }),
      this.#repeat(isOver, async () => {
        const body = { name: `beside-${number++}`, type: 'Default', isAdmin: false };
        const id = await this.#admin.create('identities', body);
        await this.#admin.ask('DELETE', `${management}/identities/${id}`);
      }),
    ]);
  }

  /** Each counts as one: a whole login as well. */
  async #repeat(isOver: () => boolean, send: () => Promise<unknown>): Promise<void> {
    while (!isOver()) {
      const begunMs = performance.now();
      try {
        await send();
      } catch (error) {
        if (this.failures.length < 10) this.failures.push(`an honest client: ${String(error)}`);
      }
      this.latenciesMs.push(performance.now() - begunMs);
      await pause(honestPauseMs);
    }
  }
}

function residentMebibytesOf({ process: { child } }: Serving): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}
