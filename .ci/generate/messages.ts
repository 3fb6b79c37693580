// The codecs of the control channel's messages, made from their .proto files by protobufjs.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { GeneratedPage } from './page.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = 'src/channel/messages';
const protos = ['edge.proto', 'fabric.proto'].map((name) => `${folder}/${name}`);
const notice = `// Made from the .proto files of this folder by npm run generate. Do not edit.\n`;

/** The codecs, and their types. */
export const messageCodecs: readonly GeneratedPage[] = [
  { file: `${folder}/generated.js`, make: () => notice + inScratch(codecs) },
  { file: `${folder}/generated.d.ts`, make: () => notice + inScratch(types) },
];

/** Only what is used: messages are encoded from plain objects, and decoded. */
const flags = [
  '--target=static-module',
  '--wrap=esm',
  '--no-create',
  '--no-verify',
  '--no-convert',
  '--no-delimited',
  '--no-typeurl',
  '--force-number',
];

function codecs(scratch: string): string {
  return built(scratch, 'pbjs', [...flags, '--no-comments', ...protos]);
}

/** The types are read from the comments in the code. */
function types(scratch: string): string {
  const commented = join(scratch, 'commented.js');
  run('pbjs', [...flags, '--out', commented, ...protos]);
  return built(scratch, 'pbts', [commented]);
}

function built(scratch: string, tool: string, args: readonly string[]): string {
  const out = join(scratch, 'out');
  run(tool, ['--out', out, ...args]);
  return readFileSync(out, 'utf8');
}

function run(tool: string, args: readonly string[]): void {
  const path = join(root, 'node_modules/protobufjs-cli/bin', tool);
  execFileSync(process.execPath, [path, ...args], { cwd: root, stdio: 'pipe' });
}

function inScratch(make: (scratch: string) => string): string {
  const scratch = mkdtempSync(join(tmpdir(), 'messages-'));
  try {
    return make(scratch);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
