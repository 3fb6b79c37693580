// Requests a snapshot from a test server: the requests, and the sentence for each answer.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { type Asking, askForSnapshot } from '../../../src/commands/backup/ask-controller.ts';
import { openAuthority } from '../../../src/pki/authority/authority.ts';
import { systemClock, systemRandom } from '../../../src/platform/clock-and-random.ts';

interface Seen {
  readonly request: string;
  readonly token: unknown;
  readonly body: string;
  readonly certificate: string;
}

type Answers = Readonly<Record<string, readonly [status: number, body: unknown] | 'silence'>>;

const usual: Answers = {
  'POST authenticate?method=password': [200, { data: { token: 'the-token', authQueries: [] } }],
  'POST authenticate?method=cert': [200, { data: { token: 'the-token', authQueries: [] } }],
  'POST database/snapshot': [200, { data: {} }],
  'DELETE current-api-session': [200, { data: {} }],
};

async function serverWith(t: Test, answers: Answers) {
  const directory = t.testdir();
  await openAuthority({
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    directory,
    host: 'controller.example',
    settings: { keyType: 'ec-p256' },
  });
  const file = (name: string) => readFileSync(join(directory, name), 'utf8');
  const [key, certificate, ca] = [file('server.key'), file('server.pem'), file('ca.pem')];
  const seen: Seen[] = [];
  const tls = { key, cert: certificate, ca, requestCert: true, rejectUnauthorized: false };
  const server = createServer(tls, async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const path = request.url?.replace('/edge/management/v1/', '') ?? '';
    const asked = `${request.method} ${path}`;
    const shown = String((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
    seen.push({ request: asked, token: request.headers['zt-session'], body, certificate: shown });
    const answer = answers[asked] ?? usual[asked] ?? [404, {}];
    if (answer === 'silence') return;
    const [status, text] = answer;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof text === 'string' ? text : JSON.stringify(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const asking: Asking = {
    url: `https://127.0.0.1:${port}`,
    host: 'controller.example',
    ca,
    how: 'The address is that of --url.',
    timeoutMs: 60_000,
    login: { by: 'password', username: 'admin', password: 'secret-word' },
  };
  return { seen, asking, key, certificate };
}

/** What was thrown, as text. */
async function refusal(asking: Asking): Promise<string> {
  return await askForSnapshot(asking).then(
    () => 'it was done',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

t.test('log-in, snapshot, log-out', async (t) => {
  const { seen, asking } = await serverWith(t, {});
  t.equal(await refusal(asking), 'it was done');
  t.same(
    seen.map(({ request, token }) => [request, token]),
    [
      ['POST authenticate?method=password', undefined],
      ['POST database/snapshot', 'the-token'],
      ['DELETE current-api-session', 'the-token'],
    ],
  );
  t.same(JSON.parse(seen[0]?.body ?? ''), { username: 'admin', password: 'secret-word' });
});

t.test('by certificate', async (t) => {
  const { seen, asking, key, certificate } = await serverWith(t, {});
  const login = { by: 'certificate', certificate, key } as const;
  t.equal(await refusal({ ...asking, login }), 'it was done');
  t.match(seen[0], { request: 'POST authenticate?method=cert', certificate: 'Edge Control' });
});

t.test('each answer becomes a sentence, and the session is ended', async (t) => {
  const error = { code: 'INVALID_AUTH', message: 'not you' };
  const cases: readonly (readonly [Answers, RegExp, requests: number])[] = [
    [
      { 'POST authenticate?method=password': [401, { error }] },
      /NotDone: .*refused to log admin in: 401 INVALID_AUTH: not you\.$/,
      1,
    ],
    [
      { 'POST authenticate?method=password': [200, { data: { token: 't', authQueries: [{}] } }] },
      /second factor/,
      2,
    ],
    [{ 'POST database/snapshot': [429, { error }] }, /within the last minute/, 3],
    [{ 'POST database/snapshot': [503, {}] }, /took no snapshot: 503\.$/, 3],
    [
      { 'POST database/snapshot': [200, 'no JSON'] },
      /cannot be asked: .*JSON.* The address is that of --url\.$/,
      3,
    ],
    [{ 'POST database/snapshot': [200, 'x'.repeat(1_048_577)] }, /none of a controller/, 3],
    [{ 'DELETE current-api-session': [500, {}] }, /it was done/, 3],
  ];
  for (const [answers, expected, requests] of cases) {
    await t.test(String(expected), async (t) => {
      const { asking, seen } = await serverWith(t, answers);
      const told = await refusal(asking);
      t.match(told, expected);
      t.notMatch(told, /secret-word/);
      t.equal(seen.length, requests);
    });
  }
});

t.test('the server must be the intended one', async (t) => {
  const { asking, seen } = await serverWith(t, {});
  t.match(await refusal({ ...asking, host: 'other.example' }), /cannot be asked: .*other\.example/);
  t.equal(await refusal({ ...asking, host: undefined }), 'it was done', 'by the host of its URL');
  const foreign = await serverWith(t, {});
  t.match(await refusal({ ...asking, ca: foreign.asking.ca }), /cannot be asked: .*certificate/);
  t.equal(foreign.seen.length, 0);
  t.equal(seen.length, 3, 'nothing was said to a stranger');
});

t.test('a silent server times out', async (t) => {
  const { asking } = await serverWith(t, { 'POST database/snapshot': 'silence' });
  t.match(await refusal({ ...asking, timeoutMs: 300 }), /no answer within 300 ms/);
});
