// Builds docs/ as a site into dist-docs/, and fails where a link is dead: `npm run docs`. The site
// is plain HTML without scripts, to be read from files or from any web server. With `--external`,
// the links to other hosts are listed too; nothing here follows them.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { clusterNode } from '../machines/cluster-node.ts';
import { machines } from '../machines/index.ts';
import { contentsOf } from './site/contents.ts';
import { readExamples } from './site/examples.ts';
import { flowchart } from './site/flowchart.ts';
import { type Chapter, framed } from './site/frame.ts';
import { frontPage, headingsPage } from './site/front.ts';
import { escaped } from './site/html.ts';
import { type CheckedLinks, checkLinks } from './site/links.ts';
import { type DiagramOf, markdownPage, siteFileOf } from './site/markdown.ts';
import type { OpenApi } from './site/openapi.ts';
import { referencePages } from './site/reference.ts';
import type { SitePage } from './site/site-page.ts';
import { statechart } from './site/statechart.ts';

/** The pages of a site that was built, and the result of the check of their links. */
export interface BuiltSite extends CheckedLinks {
  readonly pages: readonly SitePage[];
}

/** Builds the site of the project at `root` into the folder `target`, which it empties first. */
export function buildSite(root: string, target: string): BuiltSite {
  rmSync(target, { recursive: true, force: true });
  const chapters = chaptersOf(root);
  const inContents = chapters.flatMap((chapter) => chapter.pages);
  const others = linkedPages(root, inContents);
  const pages = [frontPage(chapters), headingsPage(chapters), ...inContents, ...others];
  for (const page of pages) {
    const path = join(target, page.file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, framed(page, chapters));
  }
  for (const path of new Set(pages.flatMap(({ linked }) => linked))) {
    if (siteFileOf(path) === path && isFile(root, path)) copy(root, path, join(target, path));
  }
  copy(root, '.ci/site/site.css', join(target, 'site.css'));
  return { pages, ...checkLinks(target) };
}

function chaptersOf(root: string): readonly Chapter[] {
  const examplesOf = readExamples(root);
  return contentsOf(root).map(({ title, purpose, documents, api }) => {
    const pages = documents.map((path) => documentPage(root, path));
    if (api === undefined) return { title, purpose, pages };
    const path = join(root, `docs/generated/openapi-${api}.json`);
    const document = JSON.parse(readFileSync(path, 'utf8')) as OpenApi;
    const reference = referencePages({ name: api, document, examplesOf });
    return { title, purpose, pages: [...pages, ...reference] };
  });
}

/** Pages of files that no section has and that others link to, over any number of steps. */
function linkedPages(root: string, from: readonly SitePage[]): readonly SitePage[] {
  const known = new Set(from.map(({ source }) => source));
  const found: SitePage[] = [];
  for (let next = from; next.length > 0; ) {
    const paths = next
      .flatMap(({ linked }) => linked)
      .filter((path) => !known.has(path) && siteFileOf(path) !== path && isFile(root, path));
    next = [...new Set(paths)].map((path) => documentPage(root, path));
    for (const page of next) known.add(page.source);
    found.push(...next);
  }
  return found;
}

function documentPage(root: string, path: string): SitePage {
  const text = readFileSync(join(root, path), 'utf8');
  if (path.endsWith('.md')) return markdownPage(path, text, diagramOf);
  const body = `<h1>${escaped(path)}</h1>\n<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
  return { file: siteFileOf(path), source: path, title: path, headings: [], body, linked: [] };
}

const diagramOf: DiagramOf = (code, heading) => {
  if (code.startsWith('flowchart ')) return flowchart(code);
  const machine = [...machines, clusterNode].find((one) => one.machine.id === heading);
  return machine === undefined ? undefined : statechart(machine);
};

function isFile(root: string, path: string): boolean {
  return existsSync(join(root, path)) && statSync(join(root, path)).isFile();
}

function copy(root: string, path: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(root, path), target);
}

/** The line of a document that holds a dead link; its first where the address is made. */
function placeOf(root: string, source: string, address: string): string {
  const written = address.replace(/\.html(?=#|$)/, '');
  const lines = readFileSync(join(root, source), 'utf8').split('\n');
  const at = lines.findIndex((line) => {
    return (
      line.includes(`](${address})`) || line.replace(/\.md(?=[#)])/g, '').includes(`](${written})`)
    );
  });
  return `${source}:${at + 1 || 1}`;
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const { pages, dead, external, internalCount } = buildSite(root, join(root, 'dist-docs'));
  const sources = new Map(pages.map(({ file, source }) => [file, source]));
  for (const { page, address, reason } of dead) {
    const place = placeOf(root, sources.get(page) ?? page, address);
    console.log(`${place}: ${address} is dead: ${reason} (${page})`);
  }
  if (process.argv.includes('--external')) console.log(external.join('\n'));
  const counts = `${internalCount} links, ${dead.length} dead, ${external.length} to other hosts`;
  console.log(`dist-docs/index.html: ${pages.length} pages, ${counts}`);
  if (dead.length > 0) process.exitCode = 1;
}
