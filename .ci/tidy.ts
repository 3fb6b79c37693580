// Style as a test: what the linter and the compiler cannot see. Any finding fails; `--wrap` breaks
// wide comments.

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { boundFindings } from './tidy/bounds.ts';
import { citationFindings } from './tidy/citations.ts';
import { importFindings } from './tidy/imports.ts';
import { type Finding, readProject } from './tidy/project.ts';
import { proseNameFindings } from './tidy/prose-names.ts';
import { fileFindings } from './tidy/rules.ts';
import { sharedTestFindings } from './tidy/shared-tests.ts';
import { wrapComments } from './tidy/wrap.ts';

/** Everything untidy in the project at `root`, by file and line. */
export function tidy(root: string): Finding[] {
  const files = readProject(root);
  if (files.length === 0) throw new Error(`${root}/tsconfig.json includes no file`);
  const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  const dependencies = new Set(Object.keys(manifest.dependencies ?? {}));
  const findings = [
    ...files.filter(({ tree }) => !isGenerated(tree.text)).flatMap(fileFindings),
    ...boundFindings(files),
    ...importFindings(files, dependencies),
    ...files.flatMap(sharedTestFindings),
    ...citationFindings(root),
    ...proseNameFindings(root, files),
  ];
  return findings.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

/** Whether a file says in its first line that `npm run generate` writes it. */
function isGenerated(text: string): boolean {
  return /^\/\/ .*by npm run generate\. Do not edit\.\n/.test(text);
}

/** Breaks wide comment lines in the files given, or in all of the project. */
function wrap(root: string, paths: readonly string[]): void {
  const all = paths.length > 0 ? paths : readProject(root).map(({ path }) => resolve(root, path));
  for (const path of all) {
    const text = readFileSync(path, 'utf8');
    const wrapped = wrapComments(text);
    if (wrapped !== text) writeFileSync(path, wrapped);
  }
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const [option, ...paths] = process.argv.slice(2);
  if (option === '--wrap') wrap(root, paths);
  const findings = tidy(root);
  for (const { file, line, text } of findings) console.log(`${file}:${line}: ${text}`);
  if (findings.length > 0) {
    console.log(`${findings.length} untidy places`);
    process.exitCode = 1;
  }
}
