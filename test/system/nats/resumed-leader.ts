// Checks of a leader that was stopped while another node led, and goes on with requests waiting in
// its sockets: whole controllers, over one real server.

import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { isNightly } from '../../campaigns.ts';
import { Openssl } from '../../simulated/openssl.ts';
import { Api, connect } from '../client.ts';
import { Endings, temporaryDirectory } from '../endings.ts';
import type { Serving } from '../process.ts';
import { Raw } from '../raw-connection.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';
import {
  answerIn,
  changeState,
  firstRequest,
  lostName,
  lostWrite,
  type OldState,
  prepareOldState,
  type RawAnswer,
  relayedName,
  relayedWrite,
  requestsAfter,
  requestsBefore,
  upgradeRequest,
  type WaitingRequest,
} from './waiting-requests.ts';

/** How often the leader is stopped: `TRIES` says, else what this run is for. */
const triesMax = Number(process.env['TRIES'] ?? (isNightly ? 100 : 1));

/** How long the leader is stopped. Its lease lasts for two seconds. */
const stoppedMs = 8000;

/** What holds of requests that a stopped leader finds when it goes on. */
export const resumedLeaderChecks: readonly Check[] = [
  {
    name: 'resumed leader: no request that waited in its sockets is answered from an old state',
    body: async (world) => {
      const cluster = await Cluster.open(world);
      await cluster.begin();
      for (const index of [1, 2]) await cluster.join(index);
      const { token, sessionId } = await cluster.admin(0);
      const openssl = new Openssl(temporaryDirectory(world.endings, 'edge-resumed-'));
      const { pem: csr } = openssl.request({ subject: '/CN=waiting' });
      const told = new Map<string, number>();
      let leader = 0;
      for (let number = 1; number <= triesMax; number += 1) {
        const own = new Endings();
        try {
          const start = { cluster, leader, token, sessionId, csr, prefix: `try-${number}` };
          const attempt = new Attempt(own, start);
          leader = await attempt.run();
          for (const [outcome, count] of attempt.outcomes) {
            told.set(outcome, (told.get(outcome) ?? 0) + count);
          }
        } finally {
          await own.run();
        }
      }
      const counts = [...told].map(([outcome, count]) => `${count} ${outcome}`).sort();
      console.log(`${triesMax} tries: ${counts.join(', ')}`);
    },
  },
];

/** What an attempt begins with. */
interface Start {
  readonly cluster: Cluster;
  readonly leader: number;
  /** An administrator's API session. */
  readonly token: string;
  readonly sessionId: string;
  readonly csr: string;
  /** Of the names of its records. */
  readonly prefix: string;
}

/** A connection with one request that waits for its answer. */
interface Waiting {
  readonly request: WaitingRequest;
  readonly raw: Raw;
  /** By which way it goes to the leader. */
  readonly way: string;
  /** Characters that it had received before. */
  readonly from: number;
}

/** One stop of the leader, and what comes of it. */
class Attempt {
  readonly #endings: Endings;
  readonly #start: Start;
  readonly #waiting: Waiting[] = [];
  /** Those that a node has sent to the leader, and sends to the next one. */
  readonly #relayed: Waiting[] = [];
  #lostWrites = 0;
  /** What became of requests, with how often. */
  readonly outcomes = new Map<string, number>();

  constructor(endings: Endings, start: Start) {
    this.#endings = endings;
    this.#start = start;
  }

  /** @returns the node that leads afterwards */
  async run(): Promise<number> {
    const { cluster, leader, csr, prefix } = this.#start;
    const old = this.#node(leader);
    const others = [0, 1, 2].filter((index) => index !== leader);
    const state = await prepareOldState(this.#admin(leader), old, prefix);
    const early = requestsBefore(state, csr);
    await this.#isOld(old, early);
    // Each connection has a way to the leader by an earlier request.
    const ways = await Promise.all(
      [leader, ...others].map(async (index) => {
        const way = index === leader ? 'its own front' : 'a tunnel';
        const connections = early.map(() => this.#opened(this.#node(index)));
        return { way, index, connections: await Promise.all(connections) };
      }),
    );
    const spare = await Promise.all(early.map(() => this.#opened(old)));
    const inspector = await this.#inspector(old, state);
    old.process.signal('SIGSTOP');
    const stoppedAt = performance.now();
    for (const { way, index, connections } of ways) {
      if (index === leader) this.#writeAll(way, connections, state, early);
      else this.#writeRelayed(connections, state, early);
    }
    this.#writeAll('a new connection', this.#fresh(old, early.length + 1), state, early);

    const next = await cluster.awaitLead(others);
    const made = await changeState(state, this.#admin(next), this.#node(next));
    const late = [...requestsAfter(state, made), ...early];
    this.#writeAll('its own front, after the change', spare, state, late);
    this.#writeAll('a new connection, after the change', this.#fresh(old, 16), state, late);
    await this.#isNew(this.#node(next), late);
    const seen = inspector.received.length;
    await setTimeout(Math.max(0, stoppedMs - (performance.now() - stoppedAt)));
    await this.#areRelayed(next);
    old.process.signal('SIGCONT');
    const { code } = await old.process.ended;
    assert.equal(code, 3, 'the resumed leader ends as a node that is fenced');
    await this.#evaluate();
    const told = (await inspector.closed).slice(seen);
    assert.equal(told, '', 'the resumed leader tells an inspector nothing');
    await this.#isNothingLost(next);
    await cluster.start(leader);
    await cluster.admin(leader);
    return next;
  }

  #node(index: number): Serving {
    const node = this.#start.cluster.nodes[index];
    if (node === undefined) throw new Error(`node ${index} does not run`);
    return node;
  }

  /** The administrator at a node. */
  #admin(index: number): Api {
    const { token, sessionId } = this.#start;
    return new Api(connect(this.#endings, this.#node(index)), token, sessionId);
  }

  /** A connection over which an answer has come. */
  async #opened({ port, ca }: Serving): Promise<Raw> {
    const raw = this.#connected({ port, ca });
    raw.socket.write(firstRequest);
    await raw.receives('"meta":{}}');
    assert.equal(answerIn(raw.received)?.status, 200);
    return raw;
  }

  /** Connections whose handshakes wait. */
  #fresh(serving: Serving, count: number): Raw[] {
    return Array.from({ length: count }, () => this.#connected(serving));
  }

  #connected({ port, ca }: Pick<Serving, 'port' | 'ca'>): Raw {
    const socket = connectTls({ host: '127.0.0.1', port, ca, servername: 'localhost' });
    return new Raw(this.#endings, socket);
  }

  /** An inspector that has just been told something, so that nothing more is on its way. */
  async #inspector(serving: Serving, { admin }: OldState): Promise<Raw> {
    const { ticket } = await admin.ask('POST', '/edge/management/v1/inspect/tickets');
    const raw = this.#connected(serving);
    raw.socket.write(upgradeRequest(String(ticket)));
    await raw.receives('"attached"');
    await raw.receives('"processes"');
    return raw;
  }

  /** Writes one request into each connection, as far as they are open. */
  #writeAll(
    way: string,
    connections: readonly Raw[],
    state: OldState,
    requests: readonly WaitingRequest[],
  ): void {
    for (const [index, raw] of connections.entries()) {
      if (raw.socket.destroyed || raw.socket.writableEnded) continue;
      this.#lostWrites += 1;
      const request = requests[index] ?? lostWrite(state, this.#lostWrites);
      this.#waiting.push({ request, raw, way, from: raw.received.length });
      raw.socket.write(request.text);
    }
  }

  /** Writes reads, and changes that conflict with nothing, into connections of other nodes. */
  #writeRelayed(
    connections: readonly Raw[],
    state: OldState,
    requests: readonly WaitingRequest[],
  ): void {
    for (const [index, raw] of connections.entries()) {
      const early = requests[index];
      const request =
        early?.isRead === true ? early : relayedWrite(state, this.#relayed.length + 1);
      this.#relayed.push({ request, raw, way: 'a tunnel', from: raw.received.length });
      raw.socket.write(request.text);
    }
  }

  /** The next leader has answered them by now, each of them once. */
  async #areRelayed(index: number): Promise<void> {
    let created = 0;
    for (const { request, raw, from } of this.#relayed) {
      const answer = answerIn(raw.received.slice(from));
      assert.ok(answer !== undefined, `${request.name} by a tunnel has no answer`);
      if (request.isRead === true) continue;
      assert.equal(answer.status, 201, raw.received.slice(from));
      created += 1;
    }
    const filter = `name contains "${this.#start.prefix}-${relayedName}-"`;
    assert.equal((await this.#admin(index).all('identities', filter)).length, created);
    this.outcomes.set('answered by the next leader (a tunnel)', this.#relayed.length);
    for (const { raw } of this.#relayed) raw.socket.destroy();
  }

  /** Waits until each connection was answered or closed. */
  async #evaluate(): Promise<void> {
    const wrong: string[] = [];
    for (const { request, raw, way, from } of this.#waiting) {
      const received = (await raw.closed).slice(from);
      const answer = answerIn(received);
      const outcome = outcomeOf(request, answer);
      if (outcome === undefined) wrong.push(`${request.name} by ${way}: ${received}`);
      const key = `${outcome ?? 'answered from the old state'} (${way})`;
      this.outcomes.set(key, (this.outcomes.get(key) ?? 0) + 1);
    }
    assert.deepEqual(wrong, []);
  }

  /** The requests show the old state as long as it is the state. */
  async #isOld(serving: Serving, requests: readonly WaitingRequest[]): Promise<void> {
    for (const request of requests.filter(({ isRead }) => isRead)) {
      const answer = await this.#answerOf(serving, request);
      assert.ok(!request.isNew(answer), `${request.name}: ${JSON.stringify(answer)}`);
    }
  }

  async #isNew(serving: Serving, requests: readonly WaitingRequest[]): Promise<void> {
    for (const request of requests) {
      const answer = await this.#answerOf(serving, request);
      assert.ok(request.isNew(answer), `${request.name}: ${JSON.stringify(answer)}`);
    }
  }

  async #answerOf(serving: Serving, { text }: WaitingRequest): Promise<RawAnswer> {
    const raw = this.#connected(serving);
    raw.socket.write(text.replace('\r\n', '\r\nConnection: close\r\n'));
    const answer = answerIn(await raw.closed);
    if (answer === undefined) throw new Error(`no answer: ${raw.received}`);
    return answer;
  }

  /** What only the stopped leader was asked is not carried out by anybody. */
  async #isNothingLost(index: number): Promise<void> {
    const filter = `name contains "${this.#start.prefix}-${lostName}-"`;
    assert.deepEqual(await this.#admin(index).all('identities', filter), []);
  }
}

/** Undefined for an answer that is from the old state. */
function outcomeOf({ isNew }: WaitingRequest, answer: RawAnswer | undefined): string | undefined {
  if (answer === undefined) return 'closed without an answer';
  if (answer.status === 503) return 'answered 503';
  return isNew(answer) ? 'answered from the new state' : undefined;
}
