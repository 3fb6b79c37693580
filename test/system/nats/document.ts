// The example of docs/cluster.md does what it says: its lines in a real shell, with other ports and
// another directory, against real NATS servers and nodes.

import { strict as assert } from 'node:assert';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Endings, temporaryDirectory } from '../endings.ts';
import { Shell } from '../tour.ts';
import { natsServerBinary } from './binary.ts';
import type { Check } from './check.ts';

const root = join(import.meta.dirname, '../../..');

/** All digits but the last of the ports in the example; the last is the number of the node. */
const portGroups = ['422', '622', '822', '128', '129'] as const;

/** Where the example works. */
const place = '/tmp/edge-cluster';

/** Its loops would wait for ever. */
const boxTimeoutMs = 180_000;

/** What the document promises. */
export const documentChecks: readonly Check[] = [
  {
    name: 'document: the lines of the example on one machine do what they say',
    body: async ({ endings }) => {
      const document = readFileSync(join(root, 'docs/cluster.md'), 'utf8');
      const directory = temporaryDirectory(endings, 'edge-control-document-');
      const replaced = await replacements(join(directory, 'edge-cluster'));
      const walk = await Walk.begin(endings, directory);
      const boxes = boxesOf(document);
      assert.ok(boxes.length > 8, `only ${boxes.length} boxes`);
      for (const box of boxes) await walk.paste(replaced(box));
    },
  },
];

/** The boxes of shell lines of the example. */
function boxesOf(document: string): string[] {
  const example = /^## Example on one machine\n(.*?)^## /ms.exec(document)?.[1] ?? '';
  return [...example.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines = '']) => lines);
}

/** Replaces ports and directory, whatever else runs on this machine. */
async function replacements(directory: string): Promise<(box: string) => string> {
  const free = new Map<string, string>();
  for (const group of portGroups) free.set(group, await freeGroup([...free.values()]));
  const ports = new RegExp(`\\b(${portGroups.join('|')})(?=\\d\\b|\\$)`, 'g');
  return (box) =>
    box.replaceAll(place, directory).replace(ports, (group) => free.get(group) ?? group);
}

/** The beginning of four ports that are free now, and that no kernel gives to others by itself. */
async function freeGroup(taken: readonly string[]): Promise<string> {
  for (let group = 1100; group < 3200; group += 1) {
    const beginning = String(group);
    if (taken.includes(beginning)) continue;
    const isFree = await Promise.all([0, 1, 2, 3].map((last) => canListen(group * 10 + last)));
    if (isFree.every(Boolean)) return beginning;
  }
  throw new Error('there are no free ports');
}

async function canListen(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer().listen(port, '127.0.0.1');
    server.once('error', () => resolve(false));
    server.once('listening', () => server.close(() => resolve(true)));
  });
}

/** Somebody who pastes box after box. */
class Walk {
  readonly #shell: Shell;
  private constructor(shell: Shell) {
    this.#shell = shell;
  }

  /** Opens a shell that finds the server, and the clone. */
  static async begin(endings: Endings, directory: string): Promise<Walk> {
    const programs = join(directory, 'bin');
    mkdirSync(programs);
    symlinkSync(natsServerBinary(), join(programs, 'nats-server'));
    const shell = new Shell(directory);
    const walk = new Walk(shell);
    endings.teardown(() => shell.end());
    await shell.run(`export EDGE_CONTROL='${root}'; PATH='${programs}':$PATH; failed=0`);
    // Not of what a loop waits for.
    await shell.run(`trap 'failed=1; echo "failed: $BASH_COMMAND"' ERR`);
    return walk;
  }

  /** Runs a box. @throws when one of its lines fails */
  async paste(box: string): Promise<void> {
    const late = setTimeout(boxTimeoutMs, undefined, { ref: false }).then(() => {
      const said = this.#shell.output.slice(-2000);
      throw new Error(`${box}\nhas not ended after ${boxTimeoutMs} ms, and said:\n${said}`);
    });
    const { output } = await Promise.race([this.#shell.run(box.trimEnd()), late]);
    const { output: failed } = await this.#shell.run('echo $failed');
    assert.equal(failed.trim(), '0', `${box}\nsaid:\n${output}`);
  }
}
