// The headers of every answer, and the other names of the API.

import t from 'tap';
import { bootNetwork } from '../simulated/network.ts';

t.test('one API has several names (behaviour/requests#paths)', async (t) => {
  const network = await bootNetwork();
  const paths = ['/edge/client/v1/version', '/edge/v1/version', '/version', '/', '/edge/v1'];
  for (const path of paths) {
    t.match(
      await network.call('GET', path, { token: null }),
      {
        status: 200,
        data: { version: /^v\d/ },
      },
      path,
    );
  }
  t.equal((await network.call('GET', '/current-api-session')).status, 200);
  t.equal((await network.call('GET', '/edge/v1/current-identity')).status, 200);
  t.equal((await network.call('GET', '/identities')).status, 404, 'only the client API');
  for (const path of ['/v1/version', '/edge/version', '/fabric/v1/version', '/edge/client/v2']) {
    t.match(
      await network.call('GET', path, { token: null }),
      { status: 404, code: 'NOT_FOUND' },
      path,
    );
  }
  await network.stop();
});

t.test('browsers of other origins may call', async (t) => {
  const network = await bootNetwork();
  const preflight = await network.call('OPTIONS', 'M:/identities', {
    token: null,
    headers: { origin: 'https://console.example', 'access-control-request-method': 'POST' },
  });
  t.equal(preflight.status, 200);
  t.equal(preflight.headers['access-control-allow-origin'], '*');
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    t.match(preflight.headers['access-control-allow-methods'], method);
  }
  for (const name of ['content-type', 'accept', 'authorization', 'zt-session', 'net-session']) {
    t.match(preflight.headers['access-control-allow-headers'], name);
  }
  for (const token of [network.admin, null]) {
    const answer = await network.call('GET', 'M:/identities', { token });
    t.equal(answer.headers['access-control-allow-origin'], '*');
  }
  await network.stop();
});

t.test('HEAD is GET without the body', async (t) => {
  const network = await bootNetwork();
  const head = await network.call('HEAD', 'M:/identities');
  t.equal(head.status, 200);
  t.equal(head.body.length, 0);
  t.equal((await network.call('HEAD', 'M:/identities', { token: null })).status, 401);
  t.equal((await network.call('HEAD', 'M:/identities/none')).status, 404);
  await network.stop();
});

t.test('answers name the process and when the session ends', async (t) => {
  const network = await bootNetwork();
  const first = await network.call('GET', 'C:/current-identity');
  t.match(first.headers, {
    'expires-at': '2026-01-01T00:30:00.000Z',
    'expiration-seconds': '1800',
  });
  const instance = first.headers['ziti-instance-id'];
  t.equal(
    (await network.call('GET', 'C:/version', { token: null })).headers['ziti-instance-id'],
    instance,
  );
  const open = await network.call('GET', 'C:/version', { token: null });
  t.notOk('expires-at' in open.headers);
  // Errors too.
  t.match((await network.call('GET', 'M:/services/none')).headers, { 'expires-at': /Z$/ });
  t.equal(
    (await network.call('GET', 'M:/none', { token: null })).headers['ziti-instance-id'],
    instance,
  );
  await network.restart();
  const other = (await network.call('GET', 'C:/current-identity')).headers['ziti-instance-id'];
  t.not(other, instance);
  await network.stop();
});

t.test('over-long values are refused, and echoed in part', async (t) => {
  const network = await bootNetwork();
  const base = { type: 'Default', isAdmin: false };
  const longest = 'n'.repeat(1000);
  t.equal(
    (await network.call('POST', 'M:/identities', { body: { ...base, name: longest } })).status,
    201,
  );
  const longer = await network.call('POST', 'M:/identities', {
    body: { ...base, name: `${longest}n` },
  });
  t.match(longer, { status: 400, code: 'COULD_NOT_VALIDATE', cause: { field: 'name' } });
  t.equal(String(longer.cause?.['value']).length, 67);
  for (const path of [
    'services',
    'configs',
    'config-types',
    'edge-routers',
    'edge-router-policies',
  ]) {
    const answer = await network.call('POST', `M:/${path}`, { body: { name: `${longest}n` } });
    t.equal(answer.status, 400, path);
  }
  const path = `M:/identities/${'x'.repeat(2000)}`;
  t.ok((await network.call('GET', path)).body.length < 1000, 'ids are shortened in messages');
  await network.stop();
});

t.test('a name is any text, unescaped on the way', async (t) => {
  const network = await bootNetwork();
  const name = 'Zoë "quoted" \\ <b> \u200d \ud83d\udda8 {x}';
  const id = await network.create('identities', { name, type: 'Default', isAdmin: false });
  t.match(await network.must('GET', `M:/identities/${id}`), { name });
  const policy = await network.create('service-policies', {
    name,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${id}`],
  });
  t.match(await network.must('GET', `M:/service-policies/${policy}`), {
    identityRolesDisplay: [{ name: `@${name}` }],
  });
  await network.restart();
  t.match(await network.must('GET', `M:/identities/${id}`), { name });
  await network.stop();
});

t.test('half a surrogate pair is no text', async (t) => {
  const network = await bootNetwork();
  for (const text of ['"\\ud800"', '"\\uDFFF"', '{"\\udc00a": 1}', '[["x\\ud83dy"]]']) {
    const body = `{"name":"s","encryptionRequired":true,"tags":{"t":${text}}}`;
    const answer = await network.call('POST', 'M:/services', { body });
    t.match(answer, { status: 400, code: 'COULD_NOT_PARSE_BODY' }, text);
  }
  const body = '{"name":"\\ud83d\\udda8 \\u00eb","encryptionRequired":true}';
  t.equal((await network.call('POST', 'M:/services', { body })).status, 201, 'a whole one is');
  t.match(await network.must('GET', 'M:/services'), [{ name: '\u{1f5a8} \u00eb' }]);
  await network.stop();
});

t.test('names of object prototypes are ordinary text', async (t) => {
  const network = await bootNetwork();
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty', 'toString']) {
    const body =
      `{"name":"${name}","type":"Default","isAdmin":false,"roleAttributes":["${name}"],` +
      `"tags":{"${name}":"x"},"appData":{"${name}":1},"__proto__":{"isAdmin":true}}`;
    const answer = await network.call('POST', 'M:/identities', { body });
    t.equal(answer.status, 201, name);
    const { id } = answer.data as { id: string };
    const read = await network.call('GET', `M:/identities/${id}`);
    t.match(read.body.toString(), `"tags":{"${name}":"x"}`);
    t.match(read.body.toString(), `"appData":{"${name}":1}`);
    t.match(read.data, { isAdmin: false, name });
    t.equal((await network.call('GET', `M:/identities/${name}`)).status, 404);
  }
  await network.restart();
  t.equal((await network.call('GET', 'M:/identities?limit=1')).pagination?.totalCount, 5);
  await network.stop();
});
