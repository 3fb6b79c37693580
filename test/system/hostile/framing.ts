// Sends the cases of the framing table to a controller, and says which went another way.

import { connect, type TLSSocket } from 'node:tls';
import {
  type FramingCase,
  type FramingVerdict,
  framingPath,
  framingTable,
} from './framing-table.ts';

/** A controller's listeners; `direct` is left out where there is none. */
export interface FramingTargets {
  /** `https://127.0.0.1:1280` */
  readonly tls: string;
  readonly direct?: string | undefined;
  /** PEM of the CA that both certificates come from. */
  readonly ca: string;
}

/** What came of the table. */
export interface FramingOutcome {
  /** Cases that were sent, each listener counted. */
  readonly sent: number;
  /** One sentence per case that went another way than the table says. */
  readonly failures: readonly string[];
}

/**
 * Sends every case, each on a connection of its own. A connection that should be closed may take as
 * long as the time-outs of the controller (10 s by default); all cases wait at the same time.
 */
export async function attackFraming(targets: FramingTargets): Promise<FramingOutcome> {
  const runs = framingTable.flatMap((each) => [
    { each, at: 'tls' as const, url: targets.tls },
    ...(targets.direct === undefined ? [] : [{ each, at: 'direct' as const, url: targets.direct }]),
  ]);
  const failures = await Promise.all(
    runs.map(async ({ each, at, url }) => {
      const expected = each[at];
      const seen = await outcomeOf(each, expected, url, targets.ca);
      if (seen === expected || alternatives(expected).includes(seen)) return [];
      return [`${at}: ${each.name}: ${seen}, not ${expected}`];
    }),
  );
  return { sent: runs.length, failures: failures.flat() };
}

/** Longer than every time-out of a controller after which it closes a quiet connection. */
const patienceMs = 20_000;

function alternatives(expected: FramingVerdict): readonly string[] {
  const refusals = ['400, closed', '431, closed', '505, closed', 'closed'];
  if (expected === 'ended') return [...refusals, 'answered, closed'];
  return expected === 'refused' ? refusals : [];
}

/** Sends the bytes of a case, and tells what came of them. */
async function outcomeOf(
  { raw, ends = false }: FramingCase,
  expected: FramingVerdict,
  url: string,
  ca: string,
): Promise<string> {
  const socket = await opened(url, ca);
  const received = new Received(socket);
  for (const [index, part] of [raw].flat().entries()) {
    await received.untilAnswered(index);
    socket.write(Buffer.from(part, 'latin1'));
  }
  if (ends) socket.end();
  if (!expected.endsWith('open')) {
    const end = await received.untilClosed();
    return [...received.answers, end].join(', ');
  }
  const count = expected.split(', ').length - 1;
  await received.untilAnswered(count);
  const { answers } = received;
  socket.write(`GET ${framingPath} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await received.untilAnswered(answers.length + 1);
  const isOpen = received.answers.at(answers.length) === 'answered';
  socket.destroy();
  return [...answers, isOpen ? 'open' : 'closed'].join(', ');
}

async function opened(url: string, ca: string): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const options = { host: hostname, port: Number(port), ca, servername: 'localhost' };
    const socket = connect(options, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** What a listener answered on one connection. */
class Received {
  readonly #socket: TLSSocket;
  readonly #closed: Promise<void>;
  #isClosed = false;
  #text = '';
  #look = (): void => {};

  constructor(socket: TLSSocket) {
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString('latin1');
      this.#look();
    });
    this.#socket = socket;
    this.#closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#isClosed = true;
        this.#look();
        resolve();
      });
    });
  }

  /** The status of each answer where it is a refusal. */
  get answers(): readonly string[] {
    const heads = this.#text.matchAll(/HTTP\/1\.1 (\d{3}) /g);
    return [...heads].map(([, status = '']) => (/400|431|505/.test(status) ? status : 'answered'));
  }

  /** Resolves when the connection is closed, or will not be. */
  async untilClosed(): Promise<'closed' | 'open'> {
    let end: 'closed' | 'open' = 'closed';
    const timer = setTimeout(() => {
      end = 'open';
      this.#socket.destroy();
    }, patienceMs);
    await this.#closed;
    clearTimeout(timer);
    return end;
  }

  /** Resolves when so many answers have begun, or the connection is closed. */
  async untilAnswered(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#look = () => {
        if (this.#isClosed || this.answers.length >= count) resolve();
      };
      this.#look();
    });
  }
}
