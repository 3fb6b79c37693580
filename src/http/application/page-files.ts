// Files of a built page, held in memory: content types, and how long browsers keep them.

import { createHash } from 'node:crypto';
import type { Header, HttpRequest } from '../../platform/http-exchange.ts';
import type { OutsideAnswer } from './other-paths.ts';

/** A file and the headers that it is answered with. */
export interface PageFile {
  readonly body: Buffer;
  readonly etag: string;
  readonly headers: readonly Header[];
}

/** Headers of every file of a page, beside its Content-Security-Policy. */
export const pageGuards: readonly Header[] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['x-frame-options', 'DENY'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
];

/** Content types by extension. */
const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  eot: 'application/vnd.ms-fontobject',
  gif: 'image/gif',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  mjs: 'text/javascript; charset=utf-8',
  otf: 'font/otf',
  png: 'image/png',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
  webp: 'image/webp',
  woff: 'font/woff',
  woff2: 'font/woff2',
};

/**
 * The names of files with a hash of their content, which never change: `page-0123456789abcdef.js`
 * of our build, `main.0123456789abcdef.js` and `chunk-ABCDEFGH.js` of Angular's two builders.
 */
const hashedName = /[.-]([0-9a-f]{16,20}|[0-9A-Z]{8})\.\w+$/;

/** The content type that a name stands for; undefined for one that is not known. */
export function pageTypeOf(name: string): string | undefined {
  const dot = name.lastIndexOf('.');
  if (dot < name.lastIndexOf('/')) return undefined;
  const extension = name.slice(dot + 1).toLowerCase();
  return Object.hasOwn(types, extension) ? types[extension] : undefined;
}

/** A file of a page, with `guards` among its headers. */
export function pageFile(name: string, body: Buffer, guards: readonly Header[]): PageFile {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const keeping = hashedName.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache';
  const type = pageTypeOf(name) ?? 'application/octet-stream';
  const headers = [['etag', etag], ['cache-control', keeping], ...guards] as const;
  return { body, etag, headers: [['content-type', type], ...headers] };
}

/** The answer with a file, without its body for a browser that has it already. */
export function answerFile({ body, etag, headers }: PageFile, request: HttpRequest): OutsideAnswer {
  if (isFresh(request.header('if-none-match'), etag)) return { status: 304, headers, body: '' };
  return { status: 200, headers, body };
}

/** Weak entity tags count as equal (RFC 9110 §13.1.2). */
function isFresh(asked: string, etag: string): boolean {
  const tags = asked.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
