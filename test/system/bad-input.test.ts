// What broken and hostile clients send to a real process: they are closed, and nobody else notices.

import { randomBytes } from 'node:crypto';
import { type Test, t } from 'tap';
import { type Api, client, connect, logIn, management } from './client.ts';
import { adminPassword, directUrlOf, logLines, makeHome, type Serving, serve } from './process.ts';
import { Neighbour, type Raw, tcp, tls } from './raw-connection.ts';
import { privateKeysIn, secretsIn } from './secrets.ts';

/** Short times, so that nothing here waits long for what it waits for. */
const limits = {
  bodyTimeoutMs: 500,
  handshakeTimeoutMs: 1000,
  silentTimeoutMs: 500,
  idleTimeoutMs: 10_000,
  lingerTimeoutMs: 500,
};
const crowd = 150;

const version = `GET ${client}/version HTTP/1.1\r\nhost: localhost\r\n\r\n`;
const authenticate = `POST ${client}/authenticate?method=password HTTP/1.1\r\nhost: localhost\r\n`;

let serving: Serving;
let admin: Api;
let direct: { readonly port: number; readonly ca: string };

/** A test with a neighbour who must be answered before, during and after it. */
function beside(name: string, body: (t: Test, neighbour: Neighbour) => Promise<void>): void {
  t.test(name, async (t) => {
    const neighbour = new Neighbour(admin, name);
    await neighbour.nextAnswer();
    await body(t, neighbour);
    await neighbour.nextAnswer();
    t.ok((await neighbour.stop()) > 2, 'the neighbour was served');
  });
}

async function many(open: () => Promise<Raw>): Promise<Raw[]> {
  return await Promise.all(Array.from({ length: crowd }, open));
}

/** The PROXY header, version 2, of a TCP connection between two IPv6 addresses of this id. */
function proxyHeader(id: Buffer): Buffer {
  const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
  const ports = Buffer.from([0x30, 0x39, 0x01, 0xbb]);
  return Buffer.concat([signature, Buffer.from([0x21, 0x21, 0, 36]), id, id, ports]);
}

t.before(async () => {
  const home = makeHome(t, { limits, log: { level: 'debug' } });
  serving = await serve(t, home, ['--direct-listen', '127.0.0.1:0']);
  const directUrl = await directUrlOf(serving.process);
  direct = { port: Number(new URL(directUrl).port), ca: serving.ca };
  admin = await logIn(connect(t, serving));
});

beside('requests that stop in their headers', async (t) => {
  const opened = await many(() => tls(t, serving));
  for (const { socket } of opened) socket.write(version.slice(0, -2));
  const received = await Promise.all(opened.map(({ closed }) => closed));
  t.same(new Set(received), new Set(['']), 'all are closed without an answer');
});

beside('bodies that stop, and bodies that crawl', async (t) => {
  const head = `${authenticate}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"`;
  for (const at of [serving, direct]) {
    const stopped = await tls(t, at);
    stopped.socket.write(head);
    const crawling = await tls(t, at);
    crawling.socket.write(head);
    // Each byte comes long before any time without one would be over.
    const crawl = setInterval(() => crawling.socket.write(' '), 20);
    t.notMatch(await stopped.closed, /^HTTP\/1.1 2/);
    t.notMatch(await crawling.closed, /^HTTP\/1.1 2/);
    clearInterval(crawl);
  }
});

beside('garbage before TLS', async (t) => {
  const garbage = [
    randomBytes(2000),
    Buffer.from(version),
    proxyHeader(randomBytes(16)),
    Buffer.from('PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n'),
    // A record of a handshake, its length a lie.
    Buffer.concat([Buffer.from('160301ffff', 'hex'), randomBytes(100)]),
  ];
  for (const bytes of garbage) {
    for (const { port } of [serving, direct]) {
      const raw = await tcp(t, { port });
      raw.socket.write(bytes);
      t.notMatch(await raw.closed, 'HTTP/', 'closed without an answer');
    }
  }
});

beside('connections that never speak', async (t, neighbour) => {
  const opened = await many(() => tcp(t, serving));
  await neighbour.nextAnswer();
  const getsIn = await logIn(connect(t, serving)).then(
    () => true,
    () => false,
  );
  t.ok(getsIn, 'a new client gets in among them');
  const received = await Promise.all(opened.map(({ closed }) => closed));
  t.same(new Set(received), new Set(['']), 'all are closed before their handshake');
  const newcomer = await logIn(connect(t, serving));
  t.ok(newcomer.token, 'new clients get in behind them');
});

beside('handshakes that are followed by nothing', async (t) => {
  const opened = await many(() => tls(t, serving));
  const received = await Promise.all(opened.map(({ closed }) => closed));
  t.same(new Set(received), new Set(['']), 'all are closed');
});

beside("a PROXY header of the client's own", async (t) => {
  for (const header of [proxyHeader(randomBytes(16)), proxyHeader(Buffer.alloc(16))]) {
    const first = await tls(t, serving);
    first.socket.write(Buffer.concat([header, Buffer.from(version)]));
    t.notMatch(await first.closed, /HTTP\/1.1 2/, 'before the first request');

    const between = await tls(t, serving);
    between.socket.write(version);
    await between.receives('"version"');
    between.socket.write(Buffer.concat([header, Buffer.from(version)]));
    const answers = (await between.closed).split('HTTP/1.1 200').length - 1;
    t.equal(answers, 1, 'between two requests: the second is not answered');
  }
  const text = await tls(t, serving);
  text.socket.write(`PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n${version}`);
  t.notMatch(await text.closed, /HTTP\/1.1 2/, 'in the old form');
});

beside('a PROXY header to the direct listener changes nobody’s address', async (t) => {
  const body = JSON.stringify({ username: 'admin', password: adminPassword });
  const length = Buffer.byteLength(body);
  const request = `${authenticate}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
  const raw = await tls(t, direct);
  raw.socket.write(Buffer.concat([proxyHeader(randomBytes(16)), Buffer.from(request)]));
  await Promise.race([raw.receives('"ipAddress"').catch(() => undefined), raw.closed]);
  if (raw.received.includes('"ipAddress"')) t.match(raw.received, '"ipAddress":"127.0.0.1"');
  else t.notMatch(raw.received, /HTTP\/1.1 2/);
});

beside('headers and bodies that are too large', async (t) => {
  for (const at of [serving, direct]) {
    const header = await tls(t, at);
    header.socket.write(`${version.slice(0, -2)}x-long: ${'x'.repeat(70_000)}\r\n\r\n`);
    t.match(await header.closed, /^(HTTP\/1.1 431|$)/, 'header');

    const declared = await tls(t, at);
    declared.socket.write(`${authenticate}content-length: ${2 ** 21}\r\n\r\n`);
    await declared.receives('REQUEST_ENTITY_TOO_LARGE');
    t.match(declared.received, /^HTTP\/1.1 413/, 'by its declared length, without a byte of it');

    const actual = await tls(t, at);
    actual.socket.write(`${authenticate}transfer-encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    for (let sent = 0; sent <= 2 ** 20; sent += 0x10000) actual.socket.write(chunk);
    await actual.receives('REQUEST_ENTITY_TOO_LARGE');
    t.match(actual.received, /^HTTP\/1.1 413/, 'by its actual length');
    // The library behind the direct listener closes by itself, 10 s later.
    if (at === serving) for (const { closed } of [declared, actual]) await closed;
  }
});

beside('bodies that are no JSON of ours', async (t) => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const deepObject = `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`;
  const bodies = [deep, deepObject, '{"a":', '', '[]', '"text"', 'null', '\u0000', '{"name":1}'];
  for (const body of bodies) {
    const answer = await rawPost(`${management}/identities`, body);
    t.equal(answer.status, 400, `400 for ${JSON.stringify(body.slice(0, 20))}`);
    t.match(answer.text, /"code":"COULD_NOT_(PARSE_BODY|VALIDATE)"/);
  }
});

async function rawPost(path: string, body: string): Promise<{ status: number; text: string }> {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    `zt-session: ${admin.token}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  const raw = await tls(t, serving);
  raw.socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  await raw.receives('"apiEnrollmentVersion"');
  raw.socket.destroy();
  return { status: Number(raw.received.slice(9, 12)), text: raw.received };
}

t.test('after all of it: a clean stop, a quiet log', async (t) => {
  const { code, stderr } = await serving.process.stop();
  t.equal(code, 0);
  const wrong = logLines(stderr).filter(({ level }) => level === 'error' || level === 'fatal');
  t.same(wrong, []);
  const secrets = [adminPassword, admin.token, ...privateKeysIn(serving.home)];
  t.same(secretsIn(stderr, secrets), [], 'no secret stands in the log');
});
