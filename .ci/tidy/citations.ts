// Citations of rules: each leads to a chapter of docs/behaviour and a heading in it, and none names
// a document that is not in the repository.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Finding } from './project.ts';

const chapters = 'docs/behaviour';

/** Where citations stand, beside the Markdown files at the root. */
const folders = ['.ci', 'bench', 'bin', 'docs', 'machines', 'snapshots', 'src', 'test'];

/** Made from the sources, or a record of the past that cites what it was written from. */
const skipped = /^docs\/(?:generated\/|track-record\.md$)|^snapshots\/golden\//;

const citation = /(?<![\w-])behaviour\/([\w-]+)(?:\.md)?(?:#([\w-]+))?/g;

/** How a chapter refers to another one. */
const link = /\]\(([\w-]+)\.md(?:#([\w-]+))?\)/g;

/** Documents that are not in the repository; a line of a comment may end within their citation. */
const outside = [
  /\bbehaviour(?:\.md\b|,?[\s*/#]+(?:§|Appendix\b))/gi,
  /(?<![\w./-])spec\/\d\b/g,
  /\bdecisions?[\s*/#]+\d+\b/gi,
  /\(design[,:]/g,
  /\bissues? \d/gi,
];

/** Everything wrong with the citations in the project at `root`. */
export function citationFindings(root: string): Finding[] {
  const headings = readChapters(join(root, chapters));
  return textFiles(root).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...deadCitations(text, file, headings), ...outsideCitations(text, file)];
  });
}

/** The anchors of each chapter, as GitHub makes them from its headings. */
function readChapters(folder: string): ReadonlyMap<string, ReadonlySet<string>> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return new Map(
    names.map((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n');
      const headings = lines.filter((line) => /^#{2,} /.test(line));
      return [basename(name, '.md'), new Set(headings.map(anchorOf))];
    }),
  );
}

/** The anchor that GitHub gives to a heading, which may be a line of Markdown. */
export function anchorOf(heading: string): string {
  const text = heading.replace(/^#+ /, '').toLowerCase();
  return text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
}

function textFiles(root: string): readonly string[] {
  const beside = readdirSync(root).filter((name) => name.endsWith('.md'));
  const below = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(?:ts|tsx|mjs|md|txt)$|^[a-z-]+$/.test(entry.name))
        .map((entry) => relative(root, join(entry.parentPath, entry.name))),
    );
  return [...beside, ...below].filter((path) => !skipped.test(path));
}

function deadCitations(
  text: string,
  file: string,
  headings: ReadonlyMap<string, ReadonlySet<string>>,
): Finding[] {
  const links = file.startsWith(`${chapters}/`) ? text.matchAll(link) : [];
  return [...text.matchAll(citation), ...links].flatMap((match) => {
    const [whole, chapter = '', heading] = match;
    const known = headings.get(chapter);
    if (known !== undefined && (heading === undefined || known.has(heading))) return [];
    const missing = known === undefined ? `${chapters}/${chapter}.md` : `heading for #${heading}`;
    return [{ file, line: lineAt(text, match.index), text: `${whole}: there is no ${missing}` }];
  });
}

function outsideCitations(text: string, file: string): Finding[] {
  return outside.flatMap((form) =>
    [...text.matchAll(form)].map((match) => ({
      file,
      line: lineAt(text, match.index),
      text: `cites a document that is not in the repository; cite ${chapters}`,
    })),
  );
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}
