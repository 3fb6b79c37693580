// Connections without end, until a controller has no descriptor left for them, with an
// administrator beside them who was there before.

import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Api, management } from '../client.ts';
import { controller, type Program, type Serving } from '../process.ts';
import { type Outcome, quantile, unmet } from './outcome.ts';

const attackerAddress = '127.0.0.2';

/** Attacking connections per second; every other one finishes its handshake and asks something. */
const attackingPerSecond = 100;

/** What runs a controller that may have so few open files. For `startProcess`. */
export function fewDescriptors(openFiles: number): Program {
  return ['bash', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'bash', ...controller];
}

/**
 * Opens connections for so long, and keeps all that are let in. `admin` has an open connection, on
 * which it reads and writes meanwhile.
 */
export async function attackDescriptors(
  target: Pick<Serving, 'port' | 'ca'>,
  admin: Api,
  seconds: number,
): Promise<Outcome> {
  const attacking = new Set<Socket>();
  const seen = { answered: 0, closed: 0 };
  const startedMs = performance.now();
  const elapsed = () => (performance.now() - startedMs) / 1000;
  const answersMs: number[] = [];
  const wrong: number[] = [];
  let opened = 0;
  while (elapsed() < seconds) {
    for (; opened < elapsed() * attackingPerSecond; opened += 1) {
      attack(target, opened % 2 === 0, attacking, seen);
    }
    const askedMs = performance.now();
    const name = `beside the attack ${answersMs.length}`;
    const { status } = await admin
      .call('POST', `${management}/identities`, { name, type: 'Default', isAdmin: false })
      .catch(() => ({ status: 0 }));
    if (status !== 201) wrong.push(status);
    answersMs.push(performance.now() - askedMs);
  }
  const openAtEnd = attacking.size;
  for (const socket of attacking) socket.destroy();
  const figures = {
    opened,
    ...seen,
    openAtEnd,
    asked: answersMs.length,
    wrong: wrong.length,
    p50Ms: quantile(answersMs, 0.5),
    p99Ms: quantile(answersMs, 0.99),
  };
  const failures = unmet({
    [`The administrator was not always answered 201: ${wrong.join(' ')}.`]: wrong.length === 0,
    'No connection was refused, so the descriptors did not run out.': seen.closed > 0,
  });
  const slow = unmet({
    "The p99 of the administrator's requests was not under 1 s.": figures.p99Ms < 1000,
  });
  return { attack: 'descriptors', figures, failures, slow };
}

function attack(
  { port, ca }: Pick<Serving, 'port' | 'ca'>,
  speaks: boolean,
  attacking: Set<Socket>,
  seen: { answered: number; closed: number },
): void {
  const at = { host: '127.0.0.1', port, localAddress: attackerAddress };
  const socket = speaks ? connectTls({ ...at, ca, servername: 'localhost' }) : connectTcp(at);
  attacking.add(socket);
  if (speaks) {
    socket.on('secureConnect', () =>
      socket.write('GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    );
    socket.once('data', () => {
      seen.answered += 1;
    });
  }
  socket.on('error', () => undefined);
  socket.on('close', () => {
    if (attacking.delete(socket)) seen.closed += 1;
  });
  socket.resume();
}
