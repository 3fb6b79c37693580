// Names of files and symbols in prose: what a document or a comment names between backticks is
// there. Names that may belong to something else, such as a home or another project, are left out.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  isClassDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isPrivateIdentifier,
} from 'typescript/unstable/ast';
import { type Finding, type ProjectFile, walk } from './project.ts';

const folders = ['.ci', 'bench', 'bin', 'docs', 'examples', 'machines', 'snapshots', 'src', 'test'];

/** Made from the sources, or a record of a day on which other files may have been there. */
const skipped = /^docs\/(?:generated|measurements)\/|^snapshots\/golden\//;

const fileName = /^[\w./-]*[\w-]\.(?:ts|tsx|mjs|md|proto)$/;
const symbolName = /^[A-Za-z]\w*(?:\.\w+)*(?=$|\()/;

/** A name between backticks, or one word of a command there. */
interface Named {
  readonly file: string;
  readonly line: number;
  readonly name: string;
}

/** Every dead name in the documents of the project at `root`, and in the comments of its files. */
export function proseNameFindings(root: string, files: readonly ProjectFile[]): Finding[] {
  const present = folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => [folder, ...pathsBelow(root, folder)]);
  const documents = [...readdirSync(root), ...present].filter(
    (path) => path.endsWith('.md') && !skipped.test(path),
  );
  const inDocuments = documents.flatMap((file) =>
    namesIn(file, withoutPrograms(readFileSync(join(root, file), 'utf8'))),
  );
  const inComments = files.flatMap(({ path, tree }) => namesIn(path, commentsOf(tree.text)));
  const isThere = pathCheck(root, present);
  return [
    ...[...inDocuments, ...inComments]
      .filter((named) => !isThere(named))
      .map(({ file, line, name }) => ({ file, line, text: `\`${name}\`: there is no such file` })),
    ...deadSymbols(
      inDocuments.filter(({ file }) => isAboutCode(file)),
      files,
    ),
  ];
}

function pathsBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).map((entry) =>
    relative(root, join(entry.parentPath, entry.name)),
  );
}

function namesIn(file: string, text: string): Named[] {
  return text
    .split('\n')
    .flatMap((content, at) =>
      [...content.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) =>
        code.split(/[\s,]+/).map((name) => ({ file, line: at + 1, name })),
      ),
    );
}

/** Blocks of code become empty lines, so that the others keep their numbers. */
function withoutPrograms(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/.+/g, ''));
}

function commentsOf(text: string): string {
  return text.replace(/^(?!\s*(?:\/\/|\/?\*)).+$/gm, '');
}

/** Whether a name is that of a file or folder that is there, or of none that we can know. */
function pathCheck(root: string, present: readonly string[]): (named: Named) => boolean {
  const list = join(root, '.gitignore');
  const made = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : [];
  const tops = new Set(present.map((path) => path.split('/')[0]));
  const known = new Set(present.flatMap((path) => endsOf(path)));
  return ({ file, name }) => {
    const path = name.replace(/^\.\//, '').replace(/\/$/, '');
    const [first = ''] = path.split('/');
    if (made.some((entry) => `${path}/`.startsWith(entry))) return true;
    // A test is named by the beginning of its path, as `npm test` takes it.
    if (tops.has(first) && path !== first && /^[\w./-]+$/.test(path)) {
      return present.some((one) => one === path || one.startsWith(`${path}.`));
    }
    if (!fileName.test(path) || (first !== path && !known.has(first))) return true;
    if (!isPageOfFolder(file)) return known.has(path) || existsSync(join(root, path));
    const folder = `${dirname(file)}/`;
    return present.some((one) => one.startsWith(folder) && `/${one}`.endsWith(`/${path}`));
  };
}

/** The ends of a path by which it can be named, and the folders on the way. */
function endsOf(path: string): string[] {
  const words = path.split('/');
  return [...words, ...words.map((_, at) => words.slice(at).join('/'))];
}

/** The page of a folder of the code: it names the files there without the folder. */
function isPageOfFolder(file: string): boolean {
  return file.endsWith('/README.md') && !file.startsWith('docs/');
}

function isAboutCode(file: string): boolean {
  return file === 'docs/architecture.md' || isPageOfFolder(file);
}

/**
 * Names of symbols that no file has: `camelCase`, `PascalCase`, `call(…)`. `Type.member` stands in
 * the file that declares the type.
 */
function deadSymbols(named: readonly Named[], files: readonly ProjectFile[]): Finding[] {
  const wanted = named.flatMap(({ file, line, name }) => {
    const [symbol = ''] = symbolName.exec(name) ?? [];
    const isSymbol = /^[A-Z]?[a-z]+[A-Z]|^[A-Z][a-z]+(?:\.|$)/.test(symbol);
    return isSymbol && !fileName.test(name) ? [{ file, line, symbol }] : [];
  });
  const used = files.map(namesOf);
  return wanted
    .filter(({ symbol }) => {
      const [first = '', ...members] = symbol.split('.');
      const parts = members.length === 0 ? [first] : [`type ${first}`, ...members];
      return !used.some((names) => parts.every((part) => names.has(part)));
    })
    .map(({ file, line, symbol }) => ({
      file,
      line,
      text: `\`${symbol}\`: the code has no such name`,
    }));
}

/** All names in a file; those of classes and interfaces that it declares with `type` before. */
function namesOf({ tree }: ProjectFile): ReadonlySet<string> {
  const names = new Set<string>();
  walk(tree, (node) => {
    if (isIdentifier(node) || isPrivateIdentifier(node)) names.add(node.text.replace('#', ''));
    if (!isClassDeclaration(node) && !isInterfaceDeclaration(node)) return;
    if (node.name !== undefined) names.add(`type ${node.name.text}`);
  });
  return names;
}
