// How a built console is served: pages, files, caching, its Content-Security-Policy.

import { createHash } from 'node:crypto';
import t from 'tap';
import { consoleBounds, consolePage } from '../../src/http/application/console.ts';
import { answerOutside } from '../../src/http/application/other-paths.ts';
import type { HttpHandler } from '../../src/platform/http-exchange.ts';
import { type InjectedAnswer, inject } from '../simulated/inject.ts';

const inline = '\r\n  window.isSPA = true;\r\n';
const document =
  `<!doctype html><head><script>${inline}</script><script src="main.js"></script>` +
  '<link rel="stylesheet" media="print" onload="this.media=\'all\'" href="styles.css"></head>';

const files = new Map(
  Object.entries({
    'index.html': document,
    'main.js': 'main()',
    'main.0123456789abcdef.js': 'main()',
    'chunk-ABCD2345.js': 'chunk()',
    'assets/logo.SVG': '<svg/>',
    'assets/a b.json': '{}',
    'LICENSE.unknown': 'text',
  }).map(([name, text]) => [name, Buffer.from(text)]),
);

const page = consolePage(files);
const handler: HttpHandler = (request, reply) => {
  if (page === undefined || !answerOutside([page], request, reply)) reply.send(404, [], '');
};

const get = (url: string, headers = {}): Promise<InjectedAnswer> =>
  inject(handler, { url, headers });

t.test('the document, at every page of the console', async (t) => {
  for (const path of ['/zac/', '/zac/index.html', '/zac/identities/a.b-c', '/zac/login?x=1']) {
    const { status, headers, body } = await get(path);
    t.same([status, body.toString()], [200, document], path);
    t.equal(headers['content-type'], 'text/html; charset=utf-8');
    t.equal(headers['cache-control'], 'no-cache');
  }
});

t.test('relative addresses begin at the slash', async (t) => {
  const { status, headers } = await get('/zac');
  t.same([status, headers['location']], [302, '/zac/']);
  t.equal((await get('/zacs')).status, 404);
});

t.test('files by their types', async (t) => {
  const types = {
    '/zac/main.js': 'text/javascript; charset=utf-8',
    '/zac/assets/logo.SVG': 'image/svg+xml',
    '/zac/assets/a%20b.json': 'application/json',
    '/zac/LICENSE.unknown': 'application/octet-stream',
  };
  for (const [path, type] of Object.entries(types)) {
    const { status, headers } = await get(path);
    t.same([status, headers['content-type']], [200, type], path);
    t.equal(headers['x-content-type-options'], 'nosniff');
  }
});

t.test('names with a hash are kept for ever, the others are asked for again', async (t) => {
  for (const name of ['main.0123456789abcdef.js', 'chunk-ABCD2345.js']) {
    const { headers } = await get(`/zac/${name}`);
    t.equal(headers['cache-control'], 'public, max-age=31536000, immutable', name);
  }
  const { headers } = await get('/zac/main.js');
  t.equal(headers['cache-control'], 'no-cache');
  const again = await get('/zac/main.js', { 'if-none-match': headers['etag'] });
  t.same([again.status, again.body.length], [304, 0]);
});

t.test('what is not there, and every way out', async (t) => {
  const absent = ['none.js', 'assets/none.png', 'main.js.map'];
  const dots = ['..', '../secret', 'a/../../secret', '%2e%2e/secret', '%2E%2E%2Fsecret'];
  const others = ['a/%2e%2e/main.js', './main.js', '..%5csecret', 'a\\..\\secret'];
  const broken = ['main.js%00.html', '%0d%0aa', '%', '%ff', '%c0%ae%c0%ae/secret'];
  for (const path of [...absent, ...dots, ...others, ...broken]) {
    await t.rejects(get(`/zac/${path}`), { code: 'NOT_FOUND' }, path);
  }
  const { body } = await get('/zac/assets/');
  t.equal(body.toString(), document, 'no listing of a directory');
});

t.test('GET and HEAD only', async (t) => {
  const head = await inject(handler, { method: 'HEAD', url: '/zac/main.js' });
  t.same([head.status, head.body.length], [200, 0]);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    await t.rejects(inject(handler, { method, url: '/zac/' }), {
      code: 'METHOD_NOT_ALLOWED',
      headers: [['allow', 'GET, HEAD']],
    });
  }
});

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

t.test('only its own scripts run, and nothing comes from elsewhere', async (t) => {
  const policy = (await get('/zac/')).headers['content-security-policy'] ?? '';
  const parts = new Map(policy.split('; ').map((part) => [part.split(' ')[0], part]));
  const handlers = `'unsafe-hashes' ${hashOf("this.media='all'")}`;
  t.equal(
    parts.get('script-src'),
    `script-src 'self' 'unsafe-eval' ${hashOf(inline.replaceAll('\r', ''))} ${handlers}`,
  );
  t.equal(parts.get('style-src'), "style-src 'self' 'unsafe-inline'");
  t.equal(parts.get('connect-src'), "connect-src 'self'");
  t.equal(parts.get('default-src'), "default-src 'none'");
  t.equal(parts.get('frame-ancestors'), "frame-ancestors 'none'");
  t.notMatch(policy, /https?:|\*/);
});

t.test('no console without its document', async (t) => {
  t.equal(consolePage(new Map([['main.js', Buffer.from('')]])), undefined);
  t.notOk(consoleBounds.takes('main.js.map'));
  t.ok(consoleBounds.takes('main.js'));
});
