// Strangers at the port for control connections, with enrolled routers that dial beside them.

import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { realHello } from '../../http/first-flight.ts';
import { connect, logIn } from '../client.ts';
import type { Endings } from '../endings.ts';
import type { Serving } from '../process.ts';
import {
  connectTwinAtLast,
  controlPortOf,
  type EnrolledTwin,
  enrollTwins,
} from './enrolled-twins.ts';
import { type Outcome, quantile, unmet } from './outcome.ts';

/** Connections of strangers per second: one in three of each kind below. */
const strangersPerSecond = 200;
/** The addresses that strangers take turns with. */
const strangerAddresses = 1000;
/** The one address of those that finish their handshake and say nothing. */
const silentAddress = '127.0.0.2';
const routerCount = 50;
/** Routers that dial per second, each from an address of its own. */
const dialsPerSecond = 10;
/** A stranger that resets its connection waits for the server's answer for so long, in ms. */
const resetAfterMs = 20;
/** A stock router gives a connection up after 5 s. */
const p99MsMax = 5000;

/**
 * Attacks the control port for so long: of the strangers, one third sends half of a ClientHello,
 * one third resets its connection in the handshake, and one third finishes the handshake and says
 * nothing. Each time that a router dials, it must get in.
 */
export async function attackControlPort(
  endings: Endings,
  target: Serving,
  seconds: number,
): Promise<Outcome> {
  const admin = await logIn(connect(endings, target, 16));
  const names = Array.from({ length: routerCount }, (_, n) => `router-${n}`);
  const idle = await enrollTwins(admin, names, target.ca);
  const port = await controlPortOf(admin);
  const strangers = new Strangers(port, await realHello(['ziti-ctrl']));
  const dialed: Promise<number | undefined>[] = [];
  const startedMs = performance.now();
  const elapsed = () => (performance.now() - startedMs) / 1000;
  while (elapsed() < seconds) {
    while (strangers.count < elapsed() * strangersPerSecond) strangers.come();
    while (dialed.length < elapsed() * dialsPerSecond) {
      const router = idle.shift();
      if (router === undefined) break;
      dialed.push(dialing(router, port).finally(() => idle.push(router)));
    }
    await sleep(5);
  }
  const times = await Promise.all(dialed);
  strangers.stop();
  return evaluated(strangers.count, times);
}

/** How long it takes a router until its hello is accepted, in ms; undefined when it never is. */
async function dialing(router: EnrolledTwin, port: number): Promise<number | undefined> {
  const startedMs = performance.now();
  const localAddress = `127.0.1.${1 + Number(router.name.split('-')[1])}`;
  const hostname = `${router.name}.example`;
  const twin = await connectTwinAtLast(router, { port, localAddress, hostname });
  if (twin === undefined) return undefined;
  twin.close();
  return performance.now() - startedMs;
}

function evaluated(strangers: number, times: readonly (number | undefined)[]): Outcome {
  const accepted = times.filter((ms) => ms !== undefined);
  const figures = {
    strangers,
    dialed: times.length,
    accepted: accepted.length,
    p50Ms: quantile(accepted, 0.5),
    p99Ms: quantile(accepted, 0.99),
  };
  const failures = unmet({
    'A router did not get in.': figures.accepted === figures.dialed && figures.dialed > 0,
  });
  const slow = unmet({ 'The p99 of routers was not under 5 s.': figures.p99Ms < p99MsMax });
  return { attack: 'strangers at the control port', figures, failures, slow };
}

/** Connections that never become routers. */
class Strangers {
  count = 0;
  readonly #port: number;
  readonly #hello: Buffer;
  readonly #open = new Set<Socket>();

  constructor(port: number, hello: Buffer) {
    this.#port = port;
    this.#hello = hello;
  }

  /** One more comes. */
  come(): void {
    const kind = this.count % 3;
    const number = this.count % strangerAddresses;
    const address = kind === 2 ? silentAddress : `127.1.${number >> 8}.${number & 255 || 1}`;
    this.count += 1;
    const socket = connectTcp({ host: '127.0.0.1', port: this.#port, localAddress: address });
    this.#open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#open.delete(socket));
    if (kind === 2) {
      const options = { rejectUnauthorized: false, ALPNProtocols: ['ziti-ctrl'] };
      const secured = connectTls({ socket, servername: 'localhost', ...options });
      secured.on('error', () => undefined);
      return;
    }
    const half = this.#hello.length >> 1;
    socket.once('connect', () => {
      socket.write(kind === 0 ? this.#hello.subarray(0, half) : this.#hello);
      if (kind === 1) setTimeout(() => socket.resetAndDestroy(), resetAfterMs);
    });
    socket.resume();
  }

  stop(): void {
    for (const socket of this.#open) socket.destroy();
  }
}
