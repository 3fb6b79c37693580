// Serves the inspector's page: a document, two scripts and a style sheet, read once at the start.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from '../../../errors/errors.ts';
import type { OutsideAnswer, OutsideHandler } from '../../../http/application/other-paths.ts';
import {
  answerFile,
  type PageFile,
  pageFile,
  pageGuards,
  pageTypeOf,
} from '../../../http/application/page-files.ts';
import type { Header, HttpRequest } from '../../../platform/http-exchange.ts';

/** Where the page is served. */
const pagePath = '/inspect';

/**
 * Only our own files may run or be shown, and no other page may frame this one. The stream's `wss:`
 * URL of the same host counts as `'self'` (CSP 3 §6.7.2.8).
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const guards: readonly Header[] = [
  ['content-security-policy', contentSecurityPolicy],
  ...pageGuards,
];

/** The handler of `/inspect` and the paths below it, from the files of a built page. */
export function inspectorPage(directory = builtDirectory()): OutsideHandler {
  const files = readFiles(directory);
  return {
    path: pagePath,
    isPrefix: true,
    methods: ['GET'],
    answer: (request) => answer(files, request),
  };
}

/**
 * The page is beside this folder in the build. Sources that are run directly use the built page,
 * too.
 */
function builtDirectory(): string | undefined {
  const places = ['../../page/', '../../../../dist/src/inspect/page/'];
  return places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((place) => existsSync(join(place, 'index.html')));
}

function readFiles(directory: string | undefined): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (directory === undefined) return files;
  for (const name of readdirSync(directory)) {
    if (pageTypeOf(name) === undefined) continue;
    files.set(name, pageFile(name, readFileSync(join(directory, name)), guards));
  }
  return files;
}

/** @throws ApiError NOT_FOUND for a path that no file of the page has. */
function answer(files: ReadonlyMap<string, PageFile>, request: HttpRequest): OutsideAnswer {
  const name = request.path.slice(pagePath.length + 1);
  const file = files.get(name === '' ? 'index.html' : name);
  if (file !== undefined) return answerFile(file, request);
  if (files.size > 0) throw new ApiError('NOT_FOUND');
  throw new ApiError('NOT_FOUND', { message: 'the page was not built: run npm run prepare' });
}
