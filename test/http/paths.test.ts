// Doubled and trailing slashes in paths: they mean nothing, and no check can be passed by them.

import { once } from 'node:events';
import t from 'tap';
import { operations } from '../../src/assembly/operations.ts';
import { basePaths } from '../../src/declare/operations/apis.ts';
import { withoutLastSlash, withSingleSlashes } from '../../src/http/application/routes.ts';
import { bootNetwork, urlOf } from '../simulated/network.ts';
import { run } from './harness.ts';

t.test('a path without needless slashes', async (t) => {
  const rows: Readonly<Record<string, string>> = {
    '/': '/',
    '//': '/',
    '///': '/',
    '/a': '/a',
    '/a/': '/a',
    '//a//b///': '/a/b',
    '/a%2F%2Fb/': '/a%2F%2Fb',
  };
  for (const [path, expected] of Object.entries(rows)) {
    t.equal(withoutLastSlash(withSingleSlashes(path)), expected, path);
  }
});

/** The same path with other slashes. */
function* spellings(path: string): Generator<string> {
  yield path.replaceAll('/', '//');
  yield `/${path}`;
  yield `${path}/`;
  yield `${path}//`;
  yield path.replace(/\/(?=[^/]*$)/, '///');
}

t.test('all spellings of a path are answered alike', async (t) => {
  const network = await bootNetwork();
  const service = await network.create('services', { name: 'a', encryptionRequired: false });
  const paths = [
    'M:/terminators',
    `M:/services/${service}`,
    `M:/services/${service}/terminators?limit=1`,
    'C:/current-identity',
    '/edge/v1/version',
    '/version',
    '/current-api-session',
    '/.well-known/est/cacerts',
    'M:/.well-known/est/cacerts',
    '/health-checks',
    '/fabric/v1/routers',
    '/edge/nothing',
    '/nothing',
  ];
  const facts = async (url: string, token: string | null) => {
    const { status, body } = await network.call('GET', url, { token });
    return [status, body.toString().replace(/"requestId":"[^"]*"/, '')];
  };
  for (const path of paths) {
    const [name = '', query] = urlOf(path).split('?');
    for (const token of [network.admin, null]) {
      const expected = await facts(path, token);
      for (const other of spellings(name)) {
        const url = query === undefined ? other : `${other}?${query}`;
        t.same(await facts(url, token), expected, url);
      }
    }
  }
  t.equal((await network.call('GET', '/inspect/')).status, 200);
  t.equal((await network.call('GET', '//inspect//')).status, 200);
  const refused = await network.call('DELETE', '//health-checks/');
  t.same([refused.status, refused.headers['allow']], [405, 'GET, HEAD']);
  t.equal((await network.call('OPTIONS', '//edge//management/v1//terminators')).status, 200);
  await network.stop();
});

t.test('no operation opens to callers without a session by a slash', async (t) => {
  const network = await bootNetwork();
  for (const { apis, method, path, access } of operations) {
    if (access === 'public') continue;
    for (const api of apis) {
      const plain = basePaths[api] + path.replaceAll(/\{\w+\}/g, 'x');
      for (const url of spellings(plain)) {
        const { status } = await network.call(method, url, { token: null });
        if (status !== 401) t.equal(status, 401, `${method} ${url}`);
      }
    }
  }
  t.pass('all are 401');
  await network.stop();
});

t.test('over real sockets', async (t) => {
  const network = await bootNetwork();
  const running = await run({ directory: t.testdir(), handler: network.core.handler });
  t.teardown(async () => {
    await running.stop();
    await network.stop();
  });
  const client = await running.open();
  for (const path of ['//edge//client/v1/version/', '//version', '/edge/client/v1//protocols']) {
    client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const [answer] = (await once(client, 'data')) as [Buffer];
    t.match(answer.toString(), /^HTTP\/1\.1 200 /, path);
  }
  client.destroy();
});
