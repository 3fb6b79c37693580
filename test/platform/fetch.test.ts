// The real fetch with real servers that answer, stall, lie and redirect.

import { execFile } from 'node:child_process';
import { createServer, isIP, type LookupFunction } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { createFetch, type FetchOptions } from '../../src/platform/fetch.ts';
import type { FetchBounds } from '../../src/platform/ports.ts';
import { issue } from '../http/certificates.ts';
import { startLocalServer } from '../local-server.ts';
import { SimulatedClock } from '../simulated/clock.ts';

const fetchProblem = { name: 'FetchProblem' };

const bounds: FetchBounds = { timeoutMs: 5000, bodyBytesMax: 1000, redirectsMax: 5 };
const authority = await issue('Test Root', { authority: true });
const certificate = await issue('localhost', { issuer: authority });

function newFetch(clock = new SimulatedClock(), more: Partial<FetchOptions> = {}) {
  return createFetch({ clock, trusted: [authority.certificate], ...more });
}

/** A resolver that answers names with one list of addresses after the other. */
function resolving(...answers: readonly (readonly string[])[]) {
  const names: string[] = [];
  const lookup: LookupFunction = (name, options, callback) => {
    const addresses = answers[Math.min(names.length, answers.length - 1)] ?? [];
    names.push(name);
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
  return { lookup, names };
}

t.test('an answer over HTTPS, with nothing of ours in the request', async (t) => {
  const server = await startLocalServer(
    t,
    (_request, response) => {
      response.writeHead(203, { 'X-Key': 'value', 'Set-Cookie': ['a=1', 'b=2'] });
      response.end('{"keys":[]}');
    },
    certificate,
  );
  const clock = new SimulatedClock();
  const request = server.next();
  const answer = await newFetch(clock)(`${server.url}/keys?tenant=1#part`, bounds);
  t.equal(answer.status, 203);
  t.equal(answer.headers.get('x-key'), 'value');
  t.equal(answer.headers.get('set-cookie'), 'a=1, b=2');
  t.equal(answer.body.toString(), '{"keys":[]}');
  t.same(server.asked, ['/keys?tenant=1']);
  const { method, headers } = await request;
  t.equal(method, 'GET');
  t.same(Object.keys(headers).sort(), [
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
  t.equal(headers.connection, 'close');
  t.equal(clock.timers, 0);
});

t.test('plain HTTP is fine where it was asked for', async (t) => {
  const server = await startLocalServer(t, (_request, response) => void response.end('plain'));
  t.equal((await newFetch()(server.url, bounds)).body.toString(), 'plain');
});

t.test('a server with an untrusted certificate, and one with another name', async (t) => {
  const foreign = await issue('localhost');
  const server = await startLocalServer(t, (_request, response) => void response.end(), foreign);
  await t.rejects(newFetch()(server.url, bounds), { message: /DEPTH_ZERO_SELF_SIGNED_CERT/ });
  const own = await startLocalServer(t, (_request, response) => void response.end(), certificate);
  await t.rejects(createFetch({ clock: new SimulatedClock() })(own.url, bounds), fetchProblem);
  const byOtherName = own.url.replace('localhost', '[::ffff:127.0.0.1]');
  await t.rejects(newFetch()(byOtherName, bounds), { message: /ERR_TLS_CERT_ALTNAME_INVALID/ });
  t.same([...server.asked, ...own.asked], []);
});

t.test('roots of NODE_EXTRA_CA_CERTS are trusted without a word', async (t) => {
  const server = await startLocalServer(
    t,
    (_request, response) => void response.end(),
    certificate,
  );
  const home = t.testdir({ 'roots.pem': authority.certificate });
  const script = `
    import { createFetch } from ${JSON.stringify(import.meta.resolve('../../src/platform/fetch.ts'))};
    import { systemClock } from ${JSON.stringify(import.meta.resolve('../../src/platform/clock-and-random.ts'))};
    const fetch = createFetch({ clock: systemClock });
    const answer = await fetch(${JSON.stringify(server.url)}, ${JSON.stringify(bounds)});
    console.log(answer.status);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: join(home, 'roots.pem') } },
  );
  t.equal(stdout, '200\n');
});

t.test('no complete answer in time', async (t) => {
  const clock = new SimulatedClock();
  const fetch = newFetch(clock);
  const late = { name: 'FetchProblem', message: /within 5000 ms/ };
  const silent = await startLocalServer(t, () => undefined, certificate);
  const trickling = await startLocalServer(
    t,
    (_request, response) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write('some');
    },
    certificate,
  );
  const redirecting = await startLocalServer(
    t,
    (request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/there' }).end();
    },
    certificate,
  );
  for (const server of [silent, trickling]) {
    const request = server.next();
    const answer = fetch(server.url, bounds);
    await request;
    clock.advance(4999);
    t.equal(clock.timers, 1, 'still within its time');
    clock.advance(1);
    await t.rejects(answer, late);
  }
  const first = redirecting.next();
  const answer = fetch(redirecting.url, bounds);
  await first;
  clock.advance(3000);
  if (redirecting.asked.length < 2) await redirecting.next();
  clock.advance(2000);
  await t.rejects(answer, late, 'redirects do not restart the time');
  t.equal(clock.timers, 0);
});

t.test('a server that never shakes hands', async (t) => {
  const clock = new SimulatedClock();
  const server = createServer();
  const connected = new Promise((resolve) => server.once('connection', resolve));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const answer = newFetch(clock)(`https://localhost:${port}`, bounds);
  await connected;
  clock.advance(5000);
  await t.rejects(answer, { message: /within 5000 ms/ });
});

t.test('too long, as declared and as sent', async (t) => {
  const server = await startLocalServer(
    t,
    (request, response) => {
      if (request.url === '/exact') response.end('x'.repeat(1000));
      else if (request.url === '/declared') {
        response.writeHead(200, { 'content-length': '1001' });
        response.flushHeaders();
      } else {
        const more = (): void => {
          if (!response.destroyed) response.write('x'.repeat(400), () => setImmediate(more));
        };
        more();
      }
    },
    certificate,
  );
  const fetch = newFetch();
  t.equal((await fetch(`${server.url}/exact`, bounds)).body.length, 1000);
  for (const path of ['/declared', '/endless']) {
    await t.rejects(fetch(server.url + path, bounds), { message: /longer than 1000 bytes/ }, path);
  }
});

t.test('a compressed answer is not unpacked', async (t) => {
  const packed = gzipSync(Buffer.alloc(100_000));
  const server = await startLocalServer(
    t,
    (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(packed);
    },
    certificate,
  );
  await t.rejects(newFetch()(server.url, bounds), { message: /compressed/ });
});

t.test('broken answers', async (t) => {
  const server = await startLocalServer(t, () => undefined, certificate);
  const broken: Readonly<Record<string, string>> = {
    'the end is missing': 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort',
    'a chunk is missing': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nshort',
    'no HTTP': 'SSH-2.0-OpenSSH_9.6\r\n',
    nothing: '',
    'endless headers': `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
  };
  for (const [what, bytes] of Object.entries(broken)) {
    server.handler = (request) => void request.socket.end(bytes);
    await t.rejects(newFetch()(server.url, bounds), fetchProblem, what);
  }
});

t.test('no server listens', async (t) => {
  const refused = newFetch()('https://127.0.0.1:1/secret-tenant', bounds);
  await t.rejects(refused, { message: /ECONNREFUSED/ });
  await refused.catch((error: Error) => t.notMatch(error.message, /secret-tenant/));
});

t.test('redirects', async (t) => {
  const plain = await startLocalServer(t, (_request, response) => void response.end('plain'));
  const server = await startLocalServer(
    t,
    (request, response) => {
      const [, status = '200', rest = ''] = /^\/(\d+)\/?(.*)$/.exec(request.url ?? '') ?? [];
      const left = Number(rest);
      const location = rest === '' || left === 0 ? '/200' : `/302/${left - 1}`;
      if (rest.startsWith('to=')) {
        response.writeHead(302, { location: decodeURIComponent(rest.slice(3)) }).end();
      } else if (status === '200') response.end('there');
      else response.writeHead(Number(status), { location }).end('x'.repeat(5000));
    },
    certificate,
  );
  const fetch = newFetch();
  const to = (location: string) =>
    fetch(`${server.url}/302/to=${encodeURIComponent(location)}`, bounds);
  for (const status of [301, 302, 303, 307, 308]) {
    t.equal((await fetch(`${server.url}/${status}`, bounds)).body.toString(), 'there');
  }
  t.equal((await fetch(`${server.url}/302/4`, bounds)).body.toString(), 'there', 'five of them');
  await t.rejects(fetch(`${server.url}/302/5`, bounds), { message: /more than 5 redirects/ });
  await t.rejects(fetch(`${server.url}/302`, { ...bounds, redirectsMax: 0 }), fetchProblem);
  t.equal((await to(`${server.url}/200`)).status, 200);
  await t.rejects(to(plain.url), { message: /from https to http/ });
  await t.rejects(to('file:///etc/passwd'), { message: /neither https nor http/ });
  await t.rejects(to('https://user:password@localhost/'), { message: /user name/ });
  await t.rejects(to('https://'), { message: /no URL/ });
  t.equal((await fetch(`${server.url}/304`, bounds)).status, 304, 'no redirect');
  t.same(plain.asked, []);

  plain.handler = (_request, response) => {
    response.writeHead(302, { location: `${server.url}/200` }).end();
  };
  t.equal((await fetch(plain.url, bounds)).body.toString(), 'there', 'up to https');
});

t.test('addresses that are not asked', async (t) => {
  for (const url of ['', 'keys', 'ftp://localhost/', 'data:,{}', 'https://u@localhost/']) {
    await t.rejects(newFetch()(url, bounds), fetchProblem, url);
  }
});

t.test('places that are never asked, by address and by name', async (t) => {
  const server = await startLocalServer(t, (_request, response) => void response.end('there'));
  const { port } = new URL(server.url);
  for (const host of ['0.0.0.0', '[::]', '[::ffff:0.0.0.0]', '169.254.169.254', '[fe80::1]']) {
    const fetched = newFetch()(`http://${host}:${port}/`, bounds);
    await t.rejects(fetched, { message: 'The address is link-local or metadata.' }, host);
  }
  for (const addresses of [
    ['169.254.169.254'],
    ['::ffff:169.254.169.254'],
    ['fe80::1%lo'],
    ['0.0.0.0'],
    ['::'],
    ['127.0.0.1', '169.254.169.254'],
  ]) {
    const { lookup, names } = resolving(addresses);
    const fetched = newFetch(undefined, { lookup })(`http://idp.example.com:${port}/`, bounds);
    await t.rejects(fetched, { message: 'The address is link-local or metadata.' }, `${addresses}`);
    t.same(names, ['idp.example.com']);
  }
  t.same(server.asked, []);
});

t.test('a name that resolves to another place later', async (t) => {
  const server = await startLocalServer(t, (_request, response) => void response.end('there'));
  const { port } = new URL(server.url);
  const { lookup, names } = resolving(['127.0.0.1'], ['169.254.169.254']);
  const fetch = newFetch(undefined, { lookup });
  const url = `http://idp.example.com:${port}/`;
  t.equal((await fetch(url, bounds)).body.toString(), 'there');
  t.equal(names.length, 1, 'resolved once: the checked address is the one connected to');
  await t.rejects(fetch(url, bounds), { message: 'The address is link-local or metadata.' });
  t.equal(server.asked.length, 1);
});

t.test('redirects to places that are never asked', async (t) => {
  const server = await startLocalServer(t, () => undefined);
  const { port } = new URL(server.url);
  for (const location of [
    'http://169.254.169.254/latest/meta-data',
    `http://[::ffff:0.0.0.0]:${port}/`,
    'http://metadata.google.internal/',
    `//0:${port}/`,
    `http://other.example.com:${port}/`,
  ]) {
    server.handler = (_request, response) => void response.writeHead(302, { location }).end();
    const asked = server.asked.length;
    const fetched = newFetch(undefined, { lookup: resolving(['127.0.0.1'], ['fe80::1']).lookup })(
      `http://idp.example.com:${port}/`,
      bounds,
    );
    await t.rejects(fetched, { message: 'The address is link-local or metadata.' }, location);
    t.equal(server.asked.length, asked + 1);
  }
});

t.test('loopback and private places, where they are not allowed', async (t) => {
  const server = await startLocalServer(t, (_request, response) => void response.end('there'));
  const { port } = new URL(server.url);
  const rules = { allowsPrivate: false };
  const refused = { message: 'The address is private or loopback.' };
  for (const host of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]']) {
    const fetched = newFetch(undefined, { rules })(`http://${host}:${port}/`, bounds);
    await t.rejects(fetched, refused, host);
  }
  const { lookup } = resolving(['127.0.0.1']);
  const byName = newFetch(undefined, { rules, lookup })(`http://idp.example.com:${port}/`, bounds);
  await t.rejects(byName, refused);
  t.same(server.asked, []);
  const open = newFetch(undefined, { lookup });
  t.equal((await open(`http://idp.example.com:${port}/`, bounds)).status, 200);
});

t.test('a name that cannot be resolved', async (t) => {
  const lookup: LookupFunction = (_name, _options, callback) => {
    callback(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), []);
  };
  const fetched = newFetch(undefined, { lookup })('http://idp.example.com/', bounds);
  await t.rejects(fetched, { message: /ENOTFOUND/ });
});
