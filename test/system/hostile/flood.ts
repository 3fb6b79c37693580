// An attack: one ordinary client sends logins, writes and filters as fast as it can, with honest
// clients beside it.

import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { makeRequest } from '../../simulated/certificates.ts';
import { type Api, Client, client, createUser, type Json, logIn, management } from '../client.ts';

/** A controller to attack. */
export interface FloodTarget {
  /** `https://127.0.0.1:1280` */
  readonly url: string;
  /** PEM of the CA of its certificate. */
  readonly ca: string;
  readonly seconds: number;
}

/** What came of it. */
export interface FloodOutcome {
  /** Answers to the flooding client by what it asked for. */
  readonly flood: Readonly<Record<FloodKind, FloodCounts>>;
  readonly honest: {
    readonly sent: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly maxMs: number;
  };
  /** One sentence per thing that went another way than it should; none where the attack failed. */
  readonly failures: readonly string[];
}

/** What the flooding client asks for. */
type FloodKind = 'logins' | 'sessions' | 'certificates' | 'postureResponses' | 'filters';

/** How it was answered. */
interface FloodCounts {
  accepted: number;
  /** 429 RATE_LIMITED with Retry-After. */
  refused: number;
  /** 429 of another kind: a queue was full. */
  crowded: number;
  wrong: number;
}

const password = 'flood-password';
const serviceCount = 100;

/** Connections that the flooding client keeps busy with requests of one kind. */
const floodConnections = 4;

/** How long a kind of request is sent beyond the end of the flood, if none was refused before. */
const patienceMs = 60_000;

/** Between two requests of an honest client. */
const honestPauseMs = 50;

/** Floods a controller whose administrator has the password of these tests. */
export async function flood({ url, ca, seconds }: FloodTarget): Promise<FloodOutcome> {
  const http = new Client(url, { ca }, 4);
  const attacker = new Pool(url, { connections: 5 * floodConnections, connect: { ca } });
  try {
    const admin = await logIn(http);
    const scene = await makeScene(admin);
    const flooding = new Flood(attacker, scene);
    const until = Date.now() + seconds * 1000;
    const honest = new Honest(http, admin, scene);
    await Promise.all([flooding.run(until), honest.run(until)]);
    const latencies = honest.latenciesMs.toSorted((a, b) => a - b);
    const figures = {
      sent: latencies.length,
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
      maxMs: latencies.at(-1) ?? 0,
    };
    const failures = [...flooding.failures, ...honest.failures];
    return { flood: flooding.counts, honest: figures, failures };
  } finally {
    await http.close();
    await attacker.destroy();
  }
}

const quantile = (sorted: readonly number[], part: number): number =>
  Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);

/** Who there is, and what they may dial. */
interface Scene {
  readonly services: readonly string[];
  readonly csr: string;
  readonly flooder: string;
  readonly honest: string;
}

async function makeScene(admin: Api): Promise<Scene> {
  const mark = `flood-${Date.now()}`;
  const roles = { semantic: 'AnyOf', identityRoles: ['#all'] };
  await admin.create('edge-routers', { name: mark });
  await admin.create('edge-router-policies', { ...roles, name: mark, edgeRouterRoles: ['#all'] });
  await admin.create('service-edge-router-policies', {
    name: mark,
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  await admin.create('service-policies', {
    ...roles,
    name: mark,
    type: 'Dial',
    serviceRoles: ['#all'],
  });
  const services: string[] = [];
  for (let n = 0; n < serviceCount; n++) {
    services.push(
      await admin.create('services', { name: `${mark}-${n}`, encryptionRequired: true }),
    );
  }
  for (const name of ['flooder', 'honest']) await createUser(admin, `${mark}-${name}`, password);
  const csr = await makeRequest('flooder');
  return { services, csr, flooder: `${mark}-flooder`, honest: `${mark}-honest` };
}

/** The client that attacks. */
class Flood {
  readonly counts: Record<FloodKind, FloodCounts> = {
    logins: none(),
    sessions: none(),
    certificates: none(),
    postureResponses: none(),
    filters: none(),
  };
  readonly #pool: Pool;
  readonly #scene: Scene;
  /** Of its latest login. */
  #token = '';
  #sent = 0;

  constructor(pool: Pool, scene: Scene) {
    this.#pool = pool;
    this.#scene = scene;
  }

  async run(until: number): Promise<void> {
    const loops: Promise<void>[] = [];
    await this.#logIn();
    const kinds = {
      logins: () => this.#logIn(),
      sessions: () => this.#dial(),
      certificates: () =>
        this.#post('certificates', '/current-api-session/certificates', { csr: this.#scene.csr }),
      postureResponses: () => this.#report(),
      filters: () => this.#filter(),
    };
    // On a busy machine it may take longer until a bucket is used up.
    const isOver = (kind: FloodKind) =>
      Date.now() >= until + (this.counts[kind].refused === 0 ? patienceMs : 0);
    for (const [kind, send] of Object.entries(kinds) as [FloodKind, () => Promise<unknown>][]) {
      for (let n = 0; n < floodConnections; n++) loops.push(repeated(send, () => isOver(kind)));
    }
    await Promise.all(loops);
  }

  get failures(): string[] {
    const failures: string[] = [];
    for (const [kind, { refused, wrong }] of Object.entries(this.counts)) {
      if (refused === 0) failures.push(`${kind} were never refused for their rate`);
      if (wrong > 0) failures.push(`${kind} were answered in another way ${wrong} times`);
    }
    return failures;
  }

  async #logIn(): Promise<void> {
    const body = { username: this.#scene.flooder, password };
    const data = await this.#post('logins', '/authenticate?method=password', body);
    if (typeof data['token'] === 'string') this.#token = data['token'];
  }

  async #dial(): Promise<void> {
    const { services } = this.#scene;
    await this.#post('sessions', '/sessions', {
      serviceId: services[this.#sent % services.length],
    });
  }

  async #report(): Promise<void> {
    const body = { typeId: 'DOMAIN', id: 'none', domain: `d${this.#sent}.example` };
    await this.#post('postureResponses', '/posture-response', body);
  }

  /** Each by a text of its own, asked of every service. */
  async #filter(): Promise<void> {
    const conditions = Array.from({ length: 200 }, (_, n) => `name != "${this.#sent}-${n}"`);
    const query = new URLSearchParams({ filter: conditions.join(' and ') });
    await this.#send('filters', 'GET', `/services?${query}`);
  }

  async #post(kind: FloodKind, path: string, body: object): Promise<Json> {
    return await this.#send(kind, 'POST', path, JSON.stringify(body));
  }

  async #send(kind: FloodKind, method: string, path: string, body?: string): Promise<Json> {
    this.#sent++;
    const answer = await this.#pool.request({
      method: method as 'GET',
      path: `${client}${path}`,
      body: body ?? null,
      headers: { 'zt-session': this.#token, 'content-type': 'application/json' },
    });
    const { data = {}, error } = (await answer.body.json()) as { data?: Json; error?: Json };
    const counts = this.counts[kind];
    const code = error?.['code'];
    const isTimed = Number(answer.headers['retry-after']) >= 1;
    if (answer.statusCode < 300) counts.accepted++;
    else if (code === 'RATE_LIMITED' && isTimed) counts.refused++;
    else if (answer.statusCode === 429) counts.crowded++;
    // An API session that was idle longest ends under a flood of logins: so does what it sends.
    else if (answer.statusCode !== 401) counts.wrong++;
    return data;
  }
}

const none = (): FloodCounts => ({ accepted: 0, refused: 0, crowded: 0, wrong: 0 });

async function repeated(send: () => Promise<unknown>, isOver: () => boolean): Promise<void> {
  while (!isOver()) await send();
}

/** An administrator and an ordinary client who do now and then what such do. */
class Honest {
  readonly latenciesMs: number[] = [];
  readonly failures: string[] = [];
  readonly #http: Client;
  readonly #admin: Api;
  readonly #scene: Scene;

  constructor(http: Client, admin: Api, scene: Scene) {
    this.#http = http;
    this.#admin = admin;
    this.#scene = scene;
  }

  async run(until: number): Promise<void> {
    const { honest, services } = this.#scene;
    const own = await logIn(this.#http, honest, password);
    let n = 0;
    const name = `${honest}-${Date.now()}`;
    const filter = new URLSearchParams({ filter: 'name contains "flood"' });
    await Promise.all([
      this.#repeat(until, () => own.ask('GET', `${client}/current-api-session`)),
      this.#repeat(until, () => own.ask('GET', `${client}/services?limit=10`)),
      this.#repeat(until, async () => {
        const body = { serviceId: services[n++ % services.length], type: 'Dial' };
        const { id } = await own.ask('POST', `${client}/sessions`, body);
        await own.ask('DELETE', `${client}/sessions/${id}`);
      }),
      this.#repeat(until, () => this.#admin.ask('GET', `${management}/services?${filter}`)),
      this.#repeat(until, async () => {
        const body = { name: `${name}-${n++}`, type: 'Default', isAdmin: false };
        const id = await this.#admin.create('identities', body);
        await this.#admin.ask('DELETE', `${management}/identities/${id}`);
      }),
    ]);
  }

  async #repeat(until: number, send: () => Promise<unknown>): Promise<void> {
    while (Date.now() < until) {
      const begunMs = performance.now();
      try {
        await send();
      } catch (error) {
        if (this.failures.length < 10) this.failures.push(`an honest client: ${String(error)}`);
      }
      this.latenciesMs.push(performance.now() - begunMs);
      await sleep(honestPauseMs);
    }
  }
}
