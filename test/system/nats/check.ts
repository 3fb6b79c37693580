// What the checks against real NATS servers share.

import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { type NatsDataSet, openNats } from '../../../src/cluster/nats/connections.ts';
import type { NatsAccess } from '../../../src/cluster/nats/link.ts';
import type { DataSet } from '../../../src/cluster/nats/names.ts';
import type {
  FollowEvents,
  OutgoingMessage,
  PublishOutcome,
  Stream,
  StreamMessage,
} from '../../../src/cluster/stream.ts';
import { systemClock, systemRandom } from '../../../src/platform/clock-and-random.ts';
import { createFetch } from '../../../src/platform/fetch.ts';
import type { Endings } from '../endings.ts';
import { type NatsServer, type NatsServers, until } from './server.ts';

/** What a check runs in. */
export interface World {
  readonly servers: NatsServers;
  readonly endings: Endings;
  readonly dataSetId: string;
  /** Of this check alone. */
  readonly generation: number;
  readonly count: 1 | 3;
}

/** Something that has to hold. */
export interface Check {
  readonly name: string;
  readonly body: (world: World) => Promise<void>;
}

/** Whether a check is to run: no word, or one that is part of its name. */
export function isChosen(name: string, words: readonly string[]): boolean {
  return words.length === 0 || words.some((word) => name.includes(word));
}

/** The data set of a check. */
export function dataSetOf(world: World): DataSet {
  return { dataSetId: world.dataSetId, generation: world.generation };
}

/** Opens a check's data set; it is closed with the check. */
export function open(
  world: World,
  access: NatsAccess,
  sealingKey = 'key of all nodes',
): NatsDataSet {
  const opened = openNats(
    access,
    dataSetOf(world),
    { replicas: world.count },
    {
      clock: systemClock,
      random: systemRandom,
      disk: nodeDisk,
      sealingKey: Buffer.from(sealingKey),
      fetch: createFetch({ clock: systemClock }),
      monitoring: [],
    },
  );
  world.endings.teardown(() => opened.close());
  return opened;
}

/** Makes the streams of a check's data set. @returns it, as a node opens it */
export async function created(world: World, servers?: readonly NatsServer[]): Promise<NatsDataSet> {
  const { resources } = open(world, world.servers.access('init'));
  // Servers of an earlier check may still be electing their leaders.
  await until('JetStream answers', async () => {
    const answer = await resources.compare().catch(() => undefined);
    return answer !== undefined;
  });
  await resources.create();
  return open(world, world.servers.access('node', servers));
}

/** A message with this text. */
export function message(text: string): OutgoingMessage {
  return { headers: new Map([['Edge-Text', text]]), body: Buffer.from(`body ${text}`) };
}

/** Publishes texts one after the other, from the end of the stream on, until each is in. */
export async function publishAll(stream: Stream, texts: readonly string[]): Promise<void> {
  let { last } = await stream.state();
  for (const text of texts) {
    await untilIn(stream, text, last);
    last += 1;
  }
}

/** Publishes one text as the writer's rules say: what is open is looked up, then sent again. */
export async function untilIn(stream: Stream, text: string, last: number): Promise<void> {
  await until(`${text} is in the stream`, async () => {
    const outcome = await stream.publish(message(text), last);
    if (outcome.outcome === 'acknowledged') {
      assert.equal(outcome.sequence, last + 1);
      return true;
    }
    const stored = await stream.read(last + 1);
    if (stored === undefined) return false;
    assert.equal(textOf(stored), text);
    return true;
  });
}

/** The text of a message, of which headers and body have to tell the same. */
export function textOf({ headers, body }: StreamMessage): string {
  const text = headers.get('Edge-Text') ?? '';
  assert.equal(body.toString(), `body ${text}`);
  return text;
}

/** What a reader was told. */
export class Told implements FollowEvents {
  readonly texts: string[] = [];
  readonly sequences: number[] = [];
  readonly reasons: string[] = [];
  firsts: number[] = [];
  idles = 0;

  message(message: StreamMessage): void {
    this.texts.push(textOf(message));
    this.sequences.push(message.sequence);
  }

  idle(): void {
    this.idles += 1;
  }

  interrupted(reason: string): void {
    this.reasons.push(reason);
  }

  missed(first: number): void {
    this.firsts.push(first);
  }
}

/** Follows a stream until the check ends. */
export function follow(world: World, stream: Stream, from: number): Told {
  const told = new Told();
  const following = stream.follow(from, told);
  world.endings.teardown(() => following.stop());
  return told;
}

/** Asserts that a message is not known to be in. @returns the reason */
export function assertUnknown(outcome: PublishOutcome): string {
  assert.equal(outcome.outcome, 'unknown');
  return outcome.outcome === 'unknown' ? outcome.reason : '';
}

/** A while in which something would happen if it were to. */
export async function aWhile(): Promise<void> {
  await setTimeout(300);
}
