// One address that holds all the connections it can get, with honest clients of other addresses and
// one of its own.

import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { management } from '../client.ts';
import { adminPassword, type Serving } from '../process.ts';
import { type Outcome, unmet } from './outcome.ts';

const attackerAddress = '127.0.1.1';
const honestAddresses = Array.from({ length: 20 }, (_, index) => `127.0.0.${index + 2}`);

/** Handshakes of the attacker that are under way at a time while it fills the room. */
const fillingAtOnce = 16;
/** Connections that are closed again before the attacker takes the room for full. */
const closedWhenFull = 40;
/** After this the attacker has what it gets. */
const fillingMsMax = 60_000;
/**
 * Requests per second that keep the connections awake, and connections that replace closed ones.
 */
const attackingPerSecond = 50;
/** After this an honest client gives up. */
const patienceMs = 10_000;
/** The worst time until an honest client of another address is answered. */
const worstMsMax = 1000;

/** What the attacker does on each connection: nothing after a request, or half a body. */
export type Holding = 'idle' | 'half a body';

/**
 * Fills the room for connections from one address, keeps it filled for so long, and lets honest
 * clients connect meanwhile. The one of the attacker's address logs in and is asked again at the
 * end, on the same connection.
 */
export async function attackFromOneAddress(
  target: Pick<Serving, 'port' | 'ca'>,
  holding: Holding,
  seconds: number,
): Promise<Outcome> {
  const attacker = new Attacker(target, holding);
  const filledMs = await attacker.fill();
  const heldWhenFull = attacker.held;
  const stay = { goesOn: true };
  const attacking = attacker.holdOn(stay);
  const own = Session.open(target, attackerAddress);
  const entries: Promise<Entry>[] = [];
  for (const address of honestAddresses) {
    entries.push(enter(target, address));
    await pause((seconds * 1000) / honestAddresses.length);
  }
  const entered = await Promise.all(entries);
  const session = await own;
  const isAnsweredAgain = (await session?.isAnswered()) === true;
  stay.goesOn = false;
  await attacking;
  attacker.end();
  session?.end();
  for (const { socket } of entered) socket.destroy();
  const times = entered.map(({ ms }) => ms).filter(Number.isFinite);
  const figures = {
    heldWhenFull,
    filledMs,
    attackerOpened: attacker.opened,
    entered: times.length,
    worstMs: Math.max(0, ...times),
    ownMs: session?.ms ?? -1,
  };
  const failures = unmet({
    'The attacker found no end of the room.': attacker.closed >= closedWhenFull,
    [`${times.length} of ${entered.length} clients of other addresses got in.`]:
      times.length === entered.length,
    "A client of the attacker's address did not get in.": session !== undefined,
    "A client of the attacker's address lost the connection of its session.": isAnsweredAgain,
  });
  const slow = unmet({
    'A client of another address waited for over 1 s.': figures.worstMs < worstMsMax,
  });
  return { attack: `one address, ${holding}`, figures, failures, slow };
}

/** All the connections of one address. */
class Attacker {
  opened = 0;
  /** Connections that were closed by the other side, or did not get in. */
  closed = 0;
  readonly #target: Pick<Serving, 'port' | 'ca'>;
  readonly #holding: Holding;
  readonly #opening = new Set<Socket>();
  readonly #held = new Set<TLSSocket>();

  constructor(target: Pick<Serving, 'port' | 'ca'>, holding: Holding) {
    this.#target = target;
    this.#holding = holding;
  }

  get held(): number {
    return this.#held.size;
  }

  /** Opens connections until there is room for no more. @returns how long that took, in ms */
  async fill(): Promise<number> {
    const startedMs = performance.now();
    const passedMs = () => performance.now() - startedMs;
    while (this.closed < closedWhenFull && passedMs() < fillingMsMax) {
      while (this.#opening.size < fillingAtOnce) this.#open();
      await pause(5);
    }
    return passedMs();
  }

  /** Keeps the connections awake and replaces those that are closed. */
  async holdOn(stay: { readonly goesOn: boolean }): Promise<void> {
    const startedMs = performance.now();
    let steps = 0;
    while (stay.goesOn) {
      const due = ((performance.now() - startedMs) / 1000) * attackingPerSecond;
      for (; steps < due; steps += 1) {
        if (this.#opening.size < fillingAtOnce) this.#open();
        if (this.#holding === 'idle') this.#wake();
      }
      await pause(10);
    }
  }

  end(): void {
    for (const socket of [...this.#opening, ...this.#held]) socket.destroy();
  }

  #open(): void {
    this.opened += 1;
    const socket = tlsFrom(this.#target, attackerAddress);
    this.#opening.add(socket);
    socket.on('secureConnect', () => {
      this.#opening.delete(socket);
      this.#held.add(socket);
      socket.write(this.#holding === 'idle' ? versionRequest : halfRequest);
    });
    socket.on('close', () => {
      this.#opening.delete(socket);
      this.#held.delete(socket);
      this.closed += 1;
    });
    socket.resume();
  }

  /** Asks on the connection that was not asked for longest. */
  #wake(): void {
    const [socket] = this.#held;
    if (socket === undefined) return;
    this.#held.delete(socket);
    this.#held.add(socket);
    socket.write(versionRequest);
  }
}

/** A connection of an honest client; `ms` is infinite if it was not answered. */
interface Entry {
  readonly socket: TLSSocket;
  readonly ms: number;
}

async function enter(target: Pick<Serving, 'port' | 'ca'>, address: string): Promise<Entry> {
  const startedMs = performance.now();
  const socket = tlsFrom(target, address);
  const answer = await answered(socket, versionRequest);
  const ms = answer === undefined ? Number.POSITIVE_INFINITY : performance.now() - startedMs;
  return { socket, ms };
}

/** An administrator with one connection. */
class Session {
  /** How long it took to log in. */
  readonly ms: number;
  readonly #socket: TLSSocket;
  readonly #token: string;

  private constructor(ms: number, socket: TLSSocket, token: string) {
    this.ms = ms;
    this.#socket = socket;
    this.#token = token;
  }

  /** Undefined if it does not get in. */
  static async open(
    target: Pick<Serving, 'port' | 'ca'>,
    address: string,
  ): Promise<Session | undefined> {
    const startedMs = performance.now();
    const socket = tlsFrom(target, address);
    const body = JSON.stringify({ username: 'admin', password: adminPassword });
    const answer = await answered(socket, loginHead(body.length) + body);
    const token = /^zt-session: (\S+)\r$/im.exec(answer ?? '')?.[1];
    if (token !== undefined) return new Session(performance.now() - startedMs, socket, token);
    socket.destroy();
    return undefined;
  }

  /** Whether it is still answered, on the same connection. */
  async isAnswered(): Promise<boolean> {
    const request = `GET ${management}/current-api-session HTTP/1.1\r\nHost: localhost\r\nzt-session: ${this.#token}\r\n\r\n`;
    const answer = await answered(this.#socket, request);
    return answer?.startsWith('HTTP/1.1 200 ') === true;
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** The beginning of the answer to a request; undefined if none comes. */
function answered(socket: TLSSocket, request: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (answer: string | undefined) => {
      clearTimeout(timer);
      socket.off('data', read);
      socket.off('close', fail);
      resolve(answer);
    };
    const fail = () => end(undefined);
    const read = (chunk: Buffer) => end(chunk.toString('latin1'));
    const timer = setTimeout(fail, patienceMs);
    if (socket.destroyed) fail();
    socket.on('close', fail);
    socket.on('data', read);
    socket.write(request);
  });
}

function tlsFrom({ port, ca }: Pick<Serving, 'port' | 'ca'>, localAddress: string): TLSSocket {
  const tcp = connectTcp({ host: '127.0.0.1', port, localAddress });
  const socket = connectTls({ socket: tcp, ca, servername: 'localhost' });
  for (const one of [tcp, socket]) one.on('error', () => undefined);
  return socket;
}

const versionRequest = 'GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n';

function loginHead(length: number): string {
  return `POST ${management}/authenticate?method=password HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

const halfRequest = loginHead(100) + ' '.repeat(50);
