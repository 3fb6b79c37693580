// Serves the inspector's page: a document, a script and a style sheet, read once at the start.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from '../../errors.ts';
import type { HttpRequest } from '../../exchange.ts';
import type { OutsideAnswer, OutsideHandler } from '../../http/application/outside.ts';

/** Where the page is served. */
const pagePath = '/inspect';

/**
 * Only our own files may run or be shown, and no other page may frame this one. The stream's `wss:`
 * URL of the same host counts as `'self'` (CSP 3 §6.7.2.8).
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const guards: OutsideAnswer['headers'] = [
  ['content-security-policy', contentSecurityPolicy],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['x-frame-options', 'DENY'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
];

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** The names of files with a hash of their content, which never change. */
const hashedName = /-[0-9a-f]{16}\.(js|css)$/;

interface Asset {
  readonly body: Buffer;
  readonly etag: string;
  readonly headers: OutsideAnswer['headers'];
}

/** The handler of `/inspect` and the paths below it, from the files of a built page. */
export function inspectorPage(directory = builtDirectory()): OutsideHandler {
  const assets = readAssets(directory);
  return {
    path: pagePath,
    isPrefix: true,
    methods: ['GET'],
    answer: (request) => answer(assets, request),
  };
}

/**
 * The page is beside this folder in the build. Sources that are run directly use the built page,
 * too.
 */
function builtDirectory(): string | undefined {
  const places = ['../page/', '../../../dist/src/inspect/page/'];
  return places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((place) => existsSync(join(place, 'index.html')));
}

function readAssets(directory: string | undefined): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  if (directory === undefined) return assets;
  for (const name of readdirSync(directory)) {
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    if (type !== undefined)
      assets.set(name, assetOf(name, type, readFileSync(join(directory, name))));
  }
  return assets;
}

function assetOf(name: string, type: string, body: Buffer): Asset {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const keeping = hashedName.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
  const headers = [['etag', etag], ['cache-control', keeping], ...guards] as const;
  return { body, etag, headers: [['content-type', type], ...headers] };
}

/** @throws ApiError NOT_FOUND for a path that no file of the page has. */
function answer(assets: ReadonlyMap<string, Asset>, request: HttpRequest): OutsideAnswer {
  const name = request.path.slice(pagePath.length + 1);
  const asset = assets.get(name === '' ? 'index.html' : name);
  if (asset === undefined) {
    if (assets.size > 0) throw new ApiError('NOT_FOUND');
    throw new ApiError('NOT_FOUND', { message: 'the page was not built: run npm run prepare' });
  }
  if (isFresh(request.header('if-none-match'), asset.etag)) {
    return { status: 304, headers: asset.headers, body: '' };
  }
  return { status: 200, headers: asset.headers, body: asset.body };
}

/** Weak entity tags count as equal (RFC 9110 §13.1.2). */
function isFresh(asked: string, etag: string): boolean {
  const tags = asked.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
