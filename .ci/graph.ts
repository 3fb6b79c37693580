// Draws the import graph in numbers: files and lines per folder, circles, and imports that go up.
// `node .ci/graph.ts`

import { resolve } from 'node:path';
import { circlesOf } from './tidy/circles.ts';
import { importsOf, targetOf } from './tidy/import.ts';
import { isUpward } from './tidy/imports.ts';
import { readProject } from './tidy/project.ts';

const files = readProject(resolve(import.meta.dirname, '..'));
const imports = files.flatMap(importsOf);

const folders = new Map<string, { files: number; lines: number }>();
for (const { path, tree } of files) {
  const [, folder] = /^((?:src|machines|snapshots)(?:\/[^/]+(?=\/))?)/.exec(path) ?? [];
  if (folder === undefined) continue;
  const sum = folders.get(folder) ?? { files: 0, lines: 0 };
  sum.files += 1;
  sum.lines += tree.text.split('\n').length - 1;
  folders.set(folder, sum);
}
console.log('Folders');
for (const [folder, sum] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`  ${folder.padEnd(28)} ${sum.files} files ${sum.lines} lines`);
}
const circles = circlesOf(imports);
console.log(`Circles, types included: ${circles.length}`);
for (const circle of circles) console.log(`  ${circle.length} files: ${circle.join(' ')}`);
const upward = imports
  .map((entry) => ({ from: entry.from.path, to: targetOf(entry) }))
  .filter(({ from, to }) => isUpward(from, to));
console.log(`Imports that go up, types included: ${upward.length}`);
for (const { from, to } of upward) console.log(`  ${from} -> ${to}`);
