// A run of the posture model: a network, the naive world beside it, and what was done to both.

import { createHmac } from 'node:crypto';
import type { Answer, CallOptions, Network } from '../simulated/network.ts';
import type { ApiSession, Identity } from './posture-things.ts';
import type { Draw } from './posture-values.ts';
import type { World } from './posture-world.ts';

const remembered = 25;

/** What steps and comparisons work with. */
export class Run {
  readonly network: Network;
  readonly world: World;
  readonly draw: Draw;
  /** The strict auth policy. */
  strictPolicyId = '';
  /** What differs between the network and the world; the run ends with the first. */
  readonly differences: string[] = [];
  /** Calls and other deeds, the latest last. */
  readonly trace: string[] = [];
  /** How often something happened that the run is there for. */
  readonly counts = new Map<string, number>();
  #names = 0;

  constructor(network: Network, world: World, draw: Draw) {
    this.network = network;
    this.world = world;
    this.draw = draw;
  }

  /** A name that nothing else has. */
  name(prefix: string): string {
    return `${prefix}-${++this.#names}`;
  }

  /** Notes what is done. */
  note(text: string): void {
    this.trace.push(`${this.network.clock.now() % 1e10} ${text}`);
    if (this.trace.length > remembered) this.trace.shift();
  }

  /** Lets time go by for both. */
  async advance(ms: number): Promise<void> {
    await this.network.advance(ms);
    this.world.passTime(this.network.clock.now());
  }

  /** Sends a request that may change something. */
  async act(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const answer = await this.network.call(method, path, options);
    const { token, body, headers } = options;
    const who = [...this.world.apiSessions.values()].find((one) => one.token === token);
    const said = body === undefined ? '' : ` ${JSON.stringify(body)}`;
    this.note(
      `${who?.id.slice(-4) ?? (token === null ? 'nobody' : 'admin')} ${method} ${path}${said}` +
        `${headers === undefined ? '' : ` ${JSON.stringify(headers)}`} => ` +
        `${answer.status}${answer.code === undefined ? '' : ` ${answer.code}`}`,
    );
    return answer;
  }

  /** Counts something that happened. */
  count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  /** Holds an answer's status, and its code where one is named, against what the world says. */
  expect(what: string, answer: Answer, status: number, code?: string): boolean {
    this.count(`${what}: ${status}${code === undefined ? '' : ` ${code}`}`);
    if (answer.status === status && (code === undefined || answer.code === code)) return true;
    this.differ(
      `${what}: ${answer.status} ${answer.code ?? ''} instead of ${status} ${code ?? ''}: ` +
        answer.body.toString().slice(0, 300),
    );
    return false;
  }

  /** Holds two values against each other as JSON. */
  same(what: string, found: unknown, expected: unknown): void {
    const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
    if (is !== should) this.differ(`${what}:\n  found    ${is}\n  expected ${should}`);
  }

  /** Notes a difference. */
  differ(text: string): void {
    this.differences.push(text);
  }

  /** An API session that may do everything, drawn at random. */
  full(): ApiSession | undefined {
    const { world } = this;
    return this.draw.oneOf([...world.apiSessions.values()].filter((one) => !world.isPartial(one)));
  }

  /** Any API session. */
  any(): ApiSession | undefined {
    return this.draw.oneOf([...this.world.apiSessions.values()]);
  }

  /** The identity of an API session. */
  ownerOf({ identityId }: ApiSession): Identity {
    const found = this.world.identities.get(identityId);
    if (found === undefined) throw new Error(`no identity ${identityId}`);
    return found;
  }
}

/** Seconds of a TOTP time step. */
export const stepMs = 30_000;

/** The TOTP code of a time step (RFC 6238 with SHA-1 and six digits). */
export function totpCode(base32: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', bytesOf(base32)).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(at) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

function bytesOf(base32: string): Buffer {
  const bits = [...base32]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter))
    .map((value) => value.toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
