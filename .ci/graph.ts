// Draws the code in numbers: files and lines per folder, circles, imports that go up, and figures
// of the whole. `node .ci/graph.ts`

import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { circlesOf } from './tidy/circles.ts';
import { importsOf, targetOf } from './tidy/import.ts';
import { isUpward } from './tidy/imports.ts';
import { readProject } from './tidy/project.ts';

const root = resolve(import.meta.dirname, '..');
const files = readProject(root);
const imports = files.flatMap(importsOf);

const folders = new Map<string, { files: number; lines: number }>();
for (const { path, tree } of files) {
  const [, folder] = /^((?:src|machines|snapshots)(?:\/[^/]+(?=\/))?)/.exec(path) ?? [];
  if (folder === undefined) continue;
  const sum = folders.get(folder) ?? { files: 0, lines: 0 };
  sum.files += 1;
  sum.lines += linesOf(tree.text);
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

/** Lines by hand below folders, whatever language they are in that the compiler reads. */
const handLines = (...tops: readonly string[]) =>
  files
    .filter(({ path }) => tops.some((top) => path.startsWith(top)) && !/\.d\.ts$/.test(path))
    .reduce((sum, { tree }) => sum + linesOf(tree.text), 0);
const tracked = execFileSync('git', ['ls-files', 'src'], { cwd: root, encoding: 'utf8' });
const generated = tracked.split('\n').filter((path) => /generated/.test(path));
const mergings = files.filter(({ path, tree }) => {
  return path.startsWith('src/') && /^declare module '\./m.test(tree.text);
});
const atTop = files.filter(({ path }) => /^src\/[^/]+$/.test(path));
console.log('Figures');
for (const [name, value] of [
  ['lines by hand: src, machines, snapshots', handLines('src/', 'machines/', 'snapshots/')],
  ['lines by hand: test', handLines('test/')],
  ['lines by hand: bench', handLines('bench/')],
  ['lines by hand: .ci', handLines('.ci/')],
  ['generated files in git under src/', generated.length],
  ['files in the largest circle, types included', Math.max(0, ...circles.map((one) => one.length))],
  ['declare module', mergings.length],
  ['files at the top of src', atTop.length],
] as const) {
  console.log(`  ${name.padEnd(46)} ${value}`);
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}
