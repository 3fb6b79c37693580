// A built console, served by a process over HTTPS.

import { createHash } from 'node:crypto';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { makeHome, roomOf, type Serving, serve } from './process.ts';

interface Got {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Node's client sends a path as it is; browsers would resolve dots. */
function get({ port, ca }: Serving, path: string, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, ca, servername: 'localhost', agent: false };
    const asked = request({ ...options, path, method }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode,
          headers: answer.headers,
          body: Buffer.concat(pieces),
        }),
      );
    });
    asked.on('error', reject).end();
  });
}

/** Far more than one piece, and different everywhere. */
const script = Buffer.concat(
  Array.from({ length: 40_000 }, (_, n) => createHash('sha256').update(`${n}`).digest()),
);

function makeConsole(t: Test): string {
  const directory = mkdtempSync(join(roomOf(t), 'console-'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html><app-root></app-root>');
  writeFileSync(join(directory, 'main.0123456789abcdef.js'), script);
  writeFileSync(join(directory, 'main.0123456789abcdef.js.map'), '{}');
  writeFileSync(join(directory, '.env'), 'SECRET=1');
  symlinkSync('/etc/hostname', join(directory, 'hostname.txt'));
  return directory;
}

t.test('pages, files and ways out, from a process', async (t) => {
  const home = makeHome(t, { console: makeConsole(t) });
  const serving = await serve(t, home);
  const page = await get(serving, '/zac/identities/some-id');
  t.equal(page.status, 200);
  t.equal(page.body.toString(), '<!doctype html><app-root></app-root>');
  t.match(page.headers['content-security-policy'], "script-src 'self'");
  t.ok(page.headers['strict-transport-security']);
  const file = await get(serving, '/zac/main.0123456789abcdef.js');
  t.ok(file.body.equals(script), 'a large file arrives whole');
  t.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable');
  const head = await get(serving, '/zac/main.0123456789abcdef.js', 'HEAD');
  t.same([head.body.length, head.headers['content-length']], [0, String(script.length)]);
  const paths = [
    '../config.json',
    '%2e%2e/config.json',
    'hostname.txt',
    '..%2f..%2fetc/passwd.txt',
  ];
  for (const path of [...paths, 'main.0123456789abcdef.js.map']) {
    t.equal((await get(serving, `/zac/${path}`)).status, 404, path);
  }
  t.equal((await get(serving, '/zac/.env')).body.toString(), page.body.toString(), 'not the file');
  t.equal((await get(serving, '/zac/', 'POST')).status, 405);
  t.equal((await serving.process.stop()).code, 0);
});

t.test('without one there is nothing', async (t) => {
  const serving = await serve(t, makeHome(t));
  for (const path of ['/zac', '/zac/', '/zac/index.html']) {
    t.equal((await get(serving, path)).status, 404);
  }
  t.equal((await serving.process.stop()).code, 0);
});
