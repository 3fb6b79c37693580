// Events in a file: lines, rotation, and what happens when they cannot be written.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { StartProblem } from '../../src/errors/errors.ts';
import { EntityCounts } from '../../src/events/entity-counts.ts';
import { EventHub } from '../../src/events/event-hub.ts';
import { EventFile } from '../../src/events/file/event-file.ts';
import {
  type LineOutput,
  type LineOutputOptions,
  openLineOutput,
} from '../../src/events/file/line-output.ts';
import { createLog } from '../../src/observe/logs.ts';
import { anotherLook } from '../real-waits.ts';
import { bootNetwork } from '../simulated/network.ts';

/** An output as `openLineOutput` makes it, with what it told of. */
function written(file: string, more: Partial<LineOutputOptions> = {}) {
  const told = { dropped: 0, failures: [] as unknown[] };
  const output = openLineOutput({
    file,
    fileBytes: 1_000_000,
    filesKept: 2,
    waitingBytesMax: 1_000_000,
    dropped: (lines) => {
      told.dropped += lines;
    },
    failed: (error) => told.failures.push(error),
    ...more,
  });
  return { output, told };
}

const linesIn = (file: string) => readFileSync(file, 'utf8').split('\n').slice(0, -1);

t.test('lines are appended, and nobody else may read them', async (t) => {
  const file = join(t.testdir(), 'events.log');
  for (const line of ['{"a":1}', '{"b":2}']) {
    const { output, told } = written(file);
    output.write(Buffer.from(line));
    await output.end();
    t.same(told, { dropped: 0, failures: [] });
  }
  t.same(linesIn(file), ['{"a":1}', '{"b":2}']);
  t.equal(statSync(file).mode & 0o777, 0o600);
});

t.test('an end with a full file puts nothing aside any more', async (t) => {
  const file = join(t.testdir(), 'events.log');
  const { output, told } = written(file, { fileBytes: 10 });
  output.write(Buffer.from('{"line":"longer than that"}'));
  await output.end();
  t.same(told, { dropped: 0, failures: [] });
  t.same(linesIn(file), ['{"line":"longer than that"}']);
});

t.test('a large file is put aside, some are kept, and no line is lost or torn', async (t) => {
  const file = join(t.testdir(), 'events.log');
  const { output, told } = written(file, { fileBytes: 2000 });
  for (let line = 0; line < 100; line++) {
    output.write(Buffer.from(JSON.stringify({ line, filler: 'x'.repeat(80) })));
    // What is written at once goes into one file.
    if (line % 10 === 9) for (let looks = 0; looks < 20; looks++) await anotherLook();
  }
  await output.end();
  t.same(told, { dropped: 0, failures: [] });
  const kept = [`${file}.2`, `${file}.1`, file].flatMap((name) => linesIn(name));
  const numbers = kept.map((line) => (JSON.parse(line) as { line: number }).line);
  t.same(
    numbers,
    Array.from(numbers, (_, index) => 100 - numbers.length + index),
  );
  t.ok(numbers.length < 100 && numbers.length > 20, `${numbers.length} lines are kept`);
  t.throws(() => statSync(`${file}.3`));
});

t.test('a full disk drops what does not fit into memory, and stops nothing', async (t) => {
  const { output, told } = written('/dev/full', { waitingBytesMax: 1000 });
  for (let line = 0; line < 100; line++) {
    output.write(Buffer.alloc(99, 'x'));
    await anotherLook();
  }
  t.ok(told.dropped >= 85, `${told.dropped} were dropped`);
  t.match(told.failures[0], { code: 'ENOSPC' });
  await output.end();
});

t.test('a file that cannot be written is refused at the start', async (t) => {
  const directory = t.testdir();
  t.throws(() => written(directory), { name: new StartProblem('').name });
  t.throws(() => written(join(directory, 'nowhere', 'events.log')), { message: /ENOENT/ });
});

class Kept implements LineOutput {
  readonly lines: string[] = [];
  isEnded = false;

  write(line: Buffer): void {
    this.lines.push(line.toString());
  }

  async end(): Promise<void> {
    this.isEnded = true;
  }
}

async function scene(t: Test) {
  const network = await bootNetwork();
  t.teardown(() => network.stop());
  const { env, core } = network;
  const { store, clock } = env;
  const logged: string[] = [];
  const { log } = createLog({
    level: 'error',
    clock,
    readable: false,
    write: (line) => void logged.push(line),
  });
  const hub = new EventHub({
    store,
    clock,
    log,
    durable: core.durable,
    sourceId: () => 'ctrl',
    addresses: env.addresses,
    dynamicCost: () => 0,
    bounds: { eventGatherMs: 0 },
  });
  const counts = new EntityCounts({ store, clock, eventOf: (...of) => hub.eventOf(...of) });
  return { network, hub, counts, clock, log, logged };
}

t.test('the configured types are written', async (t) => {
  const { network, hub, counts, clock, log } = await scene(t);
  const output = new Kept();
  const file = new EventFile({
    hub,
    counts,
    clock,
    log,
    types: ['entityChange', 'entityCount'],
    open: () => output,
  });
  const token = await network.login('admin', 'admin-password');
  t.ok(token);
  await network.create('services', { name: 'printer', encryptionRequired: true });
  await network.advance(0);
  const namespaces = output.lines.map(
    (line) => (JSON.parse(line) as { namespace: string }).namespace,
  );
  t.same(new Set(namespaces), new Set(['entityChange', 'entityCount']));
  await file.stop();
  t.ok(output.isEnded);
  output.lines.length = 0;
  await network.create('services', { name: 'plotter', encryptionRequired: true });
  await network.advance(0);
  t.same(output.lines, []);
});

t.test('drops are counted, and logged once a minute', async (t) => {
  const { network, hub, counts, clock, log, logged } = await scene(t);
  let handlers: Parameters<ConstructorParameters<typeof EventFile>[0]['open']>[0] | undefined;
  const file = new EventFile({
    hub,
    counts,
    clock,
    log,
    types: ['entityChange'],
    open: (given) => {
      handlers = given;
      return new Kept();
    },
  });
  handlers?.failed(new Error('no space'));
  for (let line = 0; line < 5; line++) handlers?.dropped(1);
  t.equal(file.dropped, 5);
  t.equal(logged.length, 1);
  t.match(logged[0], /no space/);
  await network.advance(60_000);
  file.missed(7);
  t.equal(file.dropped, 12);
  t.match(logged[1], /"dropped":12/);
  await file.stop();
});
