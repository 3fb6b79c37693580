// How the page is served: content types, caching, and its Content-Security-Policy.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { build } from '../../.ci/build.ts';
import { inspectorPage } from '../../src/inspect/server/machines/assets.ts';
import { type Answer, bootNetwork } from '../simulated/network.ts';

const root = join(import.meta.dirname, '../..');

t.before(() => build(root));

const get = async (path: string, headers = {}): Promise<Answer> => {
  const network = await bootNetwork();
  const answer = await network.call('GET', path, { token: null, headers });
  await network.stop();
  return answer;
};

const named = (html: string): string[] =>
  [...html.matchAll(/(?:href|src)="(\/inspect\/[^"]+)"/g)].map(([, path = '']) => path);

t.test('the document and what it names', async (t) => {
  const network = await bootNetwork();
  const call = (path: string) => network.call('GET', path, { token: null });
  const page = await call('/inspect');
  t.equal(page.status, 200);
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  t.equal(page.headers['cache-control'], 'no-cache');
  t.same((await call('/inspect/')).body, page.body);
  const paths = named(page.body.toString());
  t.equal(paths.length, 2);
  const [, worker = ''] = /layout-worker" content="([^"]+)"/.exec(page.body.toString()) ?? [];
  for (const path of [...paths, worker]) {
    const { status, headers } = await call(path);
    t.equal(status, 200, path);
    t.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    t.match(headers['content-type'], /^text\/(javascript|css); charset=utf-8$/);
    t.equal(headers['x-content-type-options'], 'nosniff');
  }
  await network.stop();
});

t.test('nothing from elsewhere, nothing inline, no frame around it', async (t) => {
  const { headers, body } = await get('/inspect');
  const policy = headers['content-security-policy'];
  const parts = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'"];
  for (const part of [
    ...parts,
    "worker-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]) {
    t.match(policy, part);
  }
  t.notMatch(policy, 'unsafe');
  t.equal(headers['referrer-policy'], 'no-referrer');
  t.notMatch(body.toString(), /<style|style=|\son\w+=|<script[^>]*>[^<]/);
  t.notMatch(body.toString(), /https?:\/\//);
});

t.test('the policy holds for the worker, too', async (t) => {
  const [, worker = ''] =
    /layout-worker" content="([^"]+)"/.exec(`${(await get('/inspect')).body}`) ?? [];
  t.match((await get(worker)).headers['content-security-policy'], "default-src 'none'");
});

t.test('what a browser has is not sent again', async (t) => {
  const etag = (await get('/inspect')).headers['etag'] ?? '';
  t.match(etag, /^"[\w-]{22}"$/);
  for (const asked of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const answer = await get('/inspect', { 'if-none-match': asked });
    t.same([answer.status, answer.body.length], [304, 0], asked);
    t.equal(answer.headers['etag'], etag);
  }
  t.equal((await get('/inspect', { 'if-none-match': '"other"' })).status, 200);
});

t.test('what is not there', async (t) => {
  for (const path of ['/inspect/none.js', '/inspect/../secret', '/inspect/page.html']) {
    t.equal((await get(path)).status, 404, path);
  }
});

t.test('a controller whose page was never built says so', async (t) => {
  const handler = inspectorPage(t.testdir({}));
  const request = { path: '/inspect', header: () => '' } as unknown as Parameters<
    typeof handler.answer
  >[0];
  t.throws(() => handler.answer(request), { code: 'NOT_FOUND', message: /npm run prepare/ });
});

t.test('the bundle holds nothing but the page', async (t) => {
  const directory = join(root, 'dist/src/inspect/page');
  const files = readdirSync(directory).sort();
  t.match(files, [
    /^index\.html$/,
    /^layout-worker-[0-9a-f]{16}\.js$/,
    /^page-[0-9a-f]{16}\.js$/,
    /^style-[0-9a-f]{16}\.css$/,
  ]);
  const script = readFileSync(join(directory, files[2] ?? ''), 'utf8');
  t.notMatch(script, /sourceMappingURL/);
  t.notMatch(script, /\beval\(|new Function\(/);
  t.ok(script.length < 200_000, 'a page that opens at once');
});
