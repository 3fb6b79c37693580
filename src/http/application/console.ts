// Serves a built web console below `/zac`, from files that were read once at the start.

import { createHash } from 'node:crypto';
import { ApiError } from '../../errors/errors.ts';
import type { Header, HttpRequest } from '../../platform/http-exchange.ts';
import type { FilesBounds } from '../../platform/ports.ts';
import type { OutsideAnswer, OutsideHandler } from './other-paths.ts';
import { answerFile, type PageFile, pageFile, pageGuards, pageTypeOf } from './page-files.ts';

/** Where the console is served: bookmarks and the console itself expect this path. */
const consolePath = '/zac';

/** The document that is also the answer for every page of the console. */
const indexName = 'index.html';

/** Files of a console; the stock one has 250. @bound per controller */
const consoleFilesMax = 5000;

/** Bytes of all files of a console; the stock one has 35 MB. @bound per controller */
const consoleBytesMax = 128 * 1024 * 1024;

/** Bounds of a console. Source maps are not read: they are larger than it, and for developers. */
export const consoleBounds: FilesBounds = {
  filesMax: consoleFilesMax,
  bytesMax: consoleBytesMax,
  takes: (name) => !name.endsWith('.map'),
};

/**
 * The handler of `/zac` and the paths below it. Requests only select among `files`, so no path of a
 * request reaches the disk. A path that is neither a file nor the name of one is a page of the
 * console, which its document opens.
 * @param files by their names below the directory of the console
 * @returns undefined when there is no `index.html` among them
 */
export function consolePage(files: ReadonlyMap<string, Buffer>): OutsideHandler | undefined {
  const document = files.get(indexName);
  if (document === undefined) return undefined;
  const guards: readonly Header[] = [
    ['content-security-policy', policyOf(document.toString())],
    ...pageGuards,
  ];
  const served = new Map<string, PageFile>();
  for (const [name, body] of files) served.set(name, pageFile(name, body, guards));
  const index = pageFile(indexName, document, guards);
  return {
    path: consolePath,
    isPrefix: true,
    methods: ['GET'],
    answer: (request) => answer(served, index, request),
  };
}

/** @throws ApiError NOT_FOUND for a file that is not there, and for a name that none can have. */
function answer(
  served: ReadonlyMap<string, PageFile>,
  index: PageFile,
  request: HttpRequest,
): OutsideAnswer {
  // Relative addresses in the document start at the slash.
  if (request.path === consolePath) return redirect(`${consolePath}/`);
  const name = nameOf(request.path);
  const file = served.get(name);
  if (file !== undefined) return answerFile(file, request);
  if (pageTypeOf(name) !== undefined || name.endsWith('.map')) throw new ApiError('NOT_FOUND');
  return answerFile(index, request);
}

function redirect(location: string): OutsideAnswer {
  const headers = [['location', location], ['cache-control', 'no-cache'], ...pageGuards] as const;
  return { status: 302, headers, body: '' };
}

/** Parts of a path that lead elsewhere on some system, and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const unfit = /(^|\/)\.{1,2}(\/|$)|[\0-\x1f\x7f\\]/;

function nameOf(path: string): string {
  const encoded = path.slice(consolePath.length + 1);
  let name: string;
  try {
    name = decodeURIComponent(encoded);
  } catch {
    throw new ApiError('NOT_FOUND');
  }
  if (unfit.test(name)) throw new ApiError('NOT_FOUND');
  return name;
}

/**
 * What the console may do: run and show its own files, and call this controller. Angular inserts
 * styles into the document, and the stock console compiles JSON schemas to functions. Scripts
 * within its document are named by their hashes, so no other can be smuggled in. Nothing is loaded
 * from or sent to other hosts.
 */
function policyOf(document: string): string {
  const scripts = inlineScripts(document).map((text) => `'sha256-${sha256(text)}'`);
  const handlers = inlineHandlers(document).map((text) => `'sha256-${sha256(text)}'`);
  const hashed = handlers.length === 0 ? [] : ["'unsafe-hashes'", ...new Set(handlers)];
  return [
    "default-src 'none'",
    ["script-src 'self' 'unsafe-eval'", ...scripts, ...hashed].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function inlineScripts(document: string): string[] {
  const elements = document.matchAll(/<script(?![^>]*\ssrc\s*=)[^>]*>([\s\S]*?)<\/script\s*>/gi);
  // A browser hashes what its parser read, in which every line ends with LF.
  return [...elements].map(([, text = '']) => text.replaceAll(/\r\n?/g, '\n'));
}

/** `onload="…"` of style sheets that Angular's production build loads late. */
function inlineHandlers(document: string): string[] {
  return [...document.matchAll(/\son\w+\s*=\s*"([^"&]*)"/gi)].map(([, text = '']) => text);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
