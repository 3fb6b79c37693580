// Connections that begin a TLS handshake and never finish it, with honest clients beside them.

import { connect as connectTcp, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { realHello } from '../../http/first-flight.ts';
import type { Serving } from '../process.ts';
import { type Outcome, quantile, unmet } from './outcome.ts';

const attackerAddress = '127.0.0.2';
const honestAddress = '127.0.0.1';

/** Attacking connections per second: one in three of each kind below. */
const attackingPerSecond = 200;
/** Honest connections per second, from each of the two addresses. */
const honestPerSecond = 5;
/** An honest client waits for so long before each flight but its first. */
const flightGapMs = 300;
/** After this an honest client gives up. */
const patienceMs = 10_000;

/**
 * Attacks the TLS listener for so long: 200 connections per second that send one byte, half of a
 * ClientHello, or a whole one, and then nothing. Honest clients with a slow path connect meanwhile,
 * from another address and from the attacker's own.
 */
export async function attackHandshakes(
  target: Pick<Serving, 'port' | 'ca'>,
  seconds: number,
): Promise<Outcome> {
  const hello = await realHello();
  const begun = [hello.subarray(0, 1), hello.subarray(0, hello.length >> 1), hello];
  const attacking = new Set<Socket>();
  const other: Promise<number>[] = [];
  const own: Promise<number>[] = [];
  const startedMs = performance.now();
  let opened = 0;
  while (performance.now() - startedMs < seconds * 1000) {
    const elapsedSeconds = (performance.now() - startedMs) / 1000;
    for (; opened < elapsedSeconds * attackingPerSecond; opened += 1) {
      attack(target, begun[opened % begun.length] ?? hello, attacking);
    }
    while (other.length < elapsedSeconds * honestPerSecond) {
      other.push(connecting(target, honestAddress));
      own.push(connecting(target, attackerAddress));
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const [otherMs, ownMs] = await Promise.all([Promise.all(other), Promise.all(own)]);
  for (const socket of attacking) socket.destroy();
  return evaluated(opened, otherMs, ownMs);
}

/** A connection that never gets in counts with an endless time. */
function evaluated(
  attacking: number,
  otherMs: readonly number[],
  ownMs: readonly number[],
): Outcome {
  const refused = (times: readonly number[]) => times.filter((ms) => !Number.isFinite(ms)).length;
  const figures = {
    attacking,
    other: otherMs.length,
    otherRefused: refused(otherMs),
    otherP50Ms: quantile(otherMs, 0.5),
    otherP99Ms: quantile(otherMs, 0.99),
    own: ownMs.length,
    ownRefused: refused(ownMs),
    ownP99Ms: quantile(ownMs, 0.99),
  };
  const failures = unmet({
    'A client of another address did not get in.': figures.otherRefused === 0,
    "A client of the attacker's address did not get in.": figures.ownRefused === 0,
  });
  const slow = unmet({
    'The p99 of clients of another address was not under 1 s.': figures.otherP99Ms < 1000,
  });
  return { attack: 'unfinished handshakes', figures, failures, slow };
}

function attack({ port }: Pick<Serving, 'port'>, bytes: Buffer, attacking: Set<Socket>): void {
  const socket = connectTcp({ host: '127.0.0.1', port, localAddress: attackerAddress });
  attacking.add(socket);
  socket.on('connect', () => socket.write(bytes));
  socket.on('error', () => undefined);
  socket.on('close', () => attacking.delete(socket));
  socket.resume();
}

/** How long it takes an honest client to be answered, in ms; infinite when it is not. */
function connecting(
  { port, ca }: Pick<Serving, 'port' | 'ca'>,
  localAddress: string,
): Promise<number> {
  const startedMs = performance.now();
  const tcp = connectTcp({ host: '127.0.0.1', port, localAddress });
  const socket = connectTls({ socket: delayed(tcp), ca, servername: 'localhost' });
  return new Promise<number>((resolve) => {
    const end = (ms: number) => {
      clearTimeout(timer);
      tcp.destroy();
      socket.destroy();
      resolve(ms);
    };
    const timer = setTimeout(() => end(Number.POSITIVE_INFINITY), patienceMs);
    socket.on('secureConnect', () =>
      socket.write('GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    );
    socket.once('data', () => end(performance.now() - startedMs));
    for (const end of [tcp, socket]) end.on('error', () => undefined);
    tcp.once('close', () => end(Number.POSITIVE_INFINITY));
  });
}

/** A connection whose second flight sets out late, and all that is sent behind it. */
function delayed(tcp: Socket): Duplex {
  let flights = 0;
  const slow = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      flights += 1;
      const send = () => tcp.write(chunk, () => done());
      if (flights === 2) setTimeout(send, flightGapMs);
      else send();
    },
  });
  tcp.on('data', (chunk) => slow.push(chunk));
  slow.on('error', () => undefined);
  return slow;
}
