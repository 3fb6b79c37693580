// The client of the package, against a controller process: logins, typed answers, refusals as
// values and as errors, paging, and the retry of what the controller has no time for.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { t } from 'tap';
import { HttpsFetch } from '../../src/client/https-fetch.ts';
import {
  answered,
  ControllerClient,
  ControllerUnreachable,
  RequestRefused,
} from '../../src/client/index.ts';
import { rowsOf } from '../../src/client/rows.ts';
import { Openssl } from '../simulated/openssl.ts';
import { client, connect } from '../system/client.ts';
import { adminPassword, makeHome, roomOf, type Serving, serve } from '../system/process.ts';

function clientOf(
  t: { teardown(done: () => void): void },
  { url, ca }: Pick<Serving, 'url' | 'ca'>,
  more: Partial<ConstructorParameters<typeof ControllerClient>[0]> = {},
): ControllerClient {
  const client = new ControllerClient({ url, ca, ...more });
  t.teardown(() => client.close());
  return client;
}

const byPassword = { by: 'password', username: 'admin', password: adminPassword } as const;

const serving = await serve(t, makeHome(t));
const admin = clientOf(t, serving);

t.test('a refused login is a typed error without the password', async (t) => {
  const error = await failure(admin.logIn({ ...byPassword, password: 'wrong-password' }));
  t.type(error, RequestRefused);
  if (!(error instanceof RequestRefused)) return;
  t.equal(error.status, 401);
  t.equal(error.code, 'INVALID_AUTH');
  t.notMatch(error.message, 'wrong-password');
  t.match(error.requestId, /./);
});

t.test('a login by password gives a session for typed calls', async (t) => {
  const session = await admin.logIn(byPassword);
  t.same(session.authQueries, []);
  const body = { name: 'web', encryptionRequired: true, roleAttributes: ['public'] };
  const { data: made } = await answered(admin.management.POST('/services', { body }));
  const { data: service } = await answered(
    admin.management.GET('/services/{id}', { params: { path: { id: made.id } } }),
  );
  t.equal(service.name, 'web');
  t.same(service.roleAttributes, ['public']);
  const { data: version } = await answered(admin.client.GET('/version'));
  t.type(version, 'object');
  const { data: routers } = await answered(admin.fabric.GET('/routers'));
  t.same(routers, []);
});

t.test('a refusal is a value, and an error for who wants one', async (t) => {
  const call = () => admin.management.GET('/services/{id}', { params: { path: { id: 'nobody' } } });
  const { error, response } = await call();
  t.equal(response.status, 404);
  t.equal(error?.error.code, 'NOT_FOUND');
  const thrown = await failure(answered(call()));
  t.match(thrown, { name: 'RequestRefused', status: 404, code: 'NOT_FOUND' });
  t.match(String(thrown), '/services/nobody: 404 NOT_FOUND');
  const links = await admin.ask('GET', '/links?limit=1', undefined, 'fabric');
  t.match(links, { data: [], meta: { pagination: { totalCount: 0 } } }, 'of another API');
  const refused = await failure(admin.ask('POST', '/services', { name: '' }));
  t.match(refused, { code: 'COULD_NOT_VALIDATE', details: { field: /./, reason: /./ } });
});

t.test('rows are read page by page', async (t) => {
  const names = Array.from({ length: 7 }, (_, number) => `paged-${number}`);
  for (const name of names) {
    const body = { name, encryptionRequired: true };
    await answered(admin.management.POST('/services', { body }));
  }
  const seen: string[] = [];
  const query = { filter: 'name contains "paged"', sort: 'name', pageRows: 3 };
  for await (const { name } of admin.rows('/services', query)) seen.push(name);
  t.same(seen, names);
});

t.test('a controller that cuts the offset gives no row twice', async (t) => {
  const cut = { offset: 2, totalCount: 9 };
  const pages = [{ ...cut, offset: 0 }, cut, cut].map((pagination) => ({
    data: [{}, {}],
    meta: { pagination },
  }));
  const seen: unknown[] = [];
  const all = async () => {
    for await (const row of rowsOf(async () => pages.shift(), '/services')) seen.push(row);
  };
  t.match(String(await failure(all())), '/services: it skips at most 2 rows: narrow the list by');
  t.equal(seen.length, 4);
});

t.test('a certificate logs in', async (t) => {
  const { data: made } = await answered(
    admin.management.POST('/identities', {
      body: { name: 'operator', type: 'Default', isAdmin: true, enrollment: { ott: true } },
    }),
  );
  const { data: operator } = await answered(
    admin.management.GET('/identities/{id}', { params: { path: { id: made.id } } }),
  );
  const request = new Openssl(roomOf(t)).request({ subject: '/CN=operator' });
  const path = `${client}/enroll?method=ott&token=${operator.enrollment?.ott?.token}`;
  const { data } = await connect(t, serving).call('POST', path, {
    body: request.pem,
    contentType: 'application/x-pem-file',
  });
  const [cert, key] = [String(data['cert']), readFileSync(request.keyPath, 'utf8')];
  const shown = clientOf(t, serving, { certificate: { cert, key } });
  const session = await shown.logIn({ by: 'certificate' });
  t.equal(session.identity.name, 'operator');
});

t.test('a JWT that no signer issued is refused as such', async (t) => {
  const jwt = 'eyJhbGciOiJub25lIn0.e30.';
  t.match(await failure(clientOf(t, serving).logIn({ by: 'jwt', jwt })), { status: 401 });
});

t.test('after log-out the token is not used any more', async (t) => {
  await admin.logOut();
  const { response } = await admin.management.GET('/services');
  t.equal(response.status, 401);
  await admin.logOut();
});

t.test('a token that exists is used: an opaque one, and an access token', async (t) => {
  const other = clientOf(t, serving);
  const { token, type } = await other.logIn(byPassword);
  t.equal(type, 'legacy');
  const opaque = clientOf(t, serving);
  opaque.useToken(token);
  await answered(opaque.management.GET('/current-api-session'));
  const signed = clientOf(t, serving);
  signed.useToken(await accessToken(serving));
  const { data } = await answered(signed.management.GET('/current-api-session'));
  t.equal(data.type, 'jwt');
});

/** An access token of the administrator, by the steps that a browser would take. */
async function accessToken({ url, ca }: Serving): Promise<string> {
  const https = new HttpsFetch({ ca, connectionsMax: 1, timeoutMs: 10_000 });
  t.teardown(() => https.close());
  const verifier = 'v'.repeat(43);
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const redirect_uri = 'http://localhost:1/auth/callback';
  const common = { client_id: 'native', redirect_uri };
  const asked = { ...common, response_type: 'code', code_challenge, code_challenge_method: 'S256' };
  const post = async (path: string, form: Record<string, string>) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(form).toString();
    return await https.send(url + path, { method: 'POST', headers }, body);
  };
  const placeOf = (answer: Response) => new URL(answer.headers.get('location') ?? '', url);
  const begun = placeOf(await post('/oidc/authorize', asked));
  const id = begun.searchParams.get('authRequestID') ?? '';
  const { username, password } = byPassword;
  const login = placeOf(await post('/oidc/login/password', { id, username, password }));
  const back = placeOf(await https.send(login.href, { method: 'GET' }, ''));
  const code = back.searchParams.get('code') ?? '';
  const given = { ...common, grant_type: 'authorization_code', code, code_verifier: verifier };
  const tokens = (await (await post('/oidc/oauth/token', given)).json()) as {
    readonly access_token: string;
  };
  return tokens.access_token;
}

t.test('another CA is not trusted', async (t) => {
  const openssl = new Openssl(roomOf(t));
  const { pem } = openssl.certificate({ subject: '/CN=stranger' });
  const error = await failure(clientOf(t, { ...serving, ca: pem }).logIn(byPassword));
  t.type(error, ControllerUnreachable);
});

t.test('the name of the certificate counts', async (t) => {
  const error = await failure(clientOf(t, serving, { host: 'else.example' }).logIn(byPassword));
  t.type(error, ControllerUnreachable);
  t.match(String(error), 'else.example');
});

t.test('a request is sent again when the answer promises that nothing was done', async (t) => {
  const { pem, keyPath } = new Openssl(roomOf(t)).certificate({
    subject: '/CN=localhost',
    extensions: ['subjectAltName=IP:127.0.0.1'],
  });
  const script: { status: number; headers?: Record<string, string>; code?: string }[] = [];
  let asked = 0;
  const server = createServer({ cert: pem, key: readFileSync(keyPath) }, (request, response) => {
    asked += 1;
    request.resume();
    const { status, headers = {}, code } = script.shift() ?? { status: 200 };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(code === undefined ? { data: {} } : { error: { code } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const waits: number[] = [];
  const { port } = server.address() as AddressInfo;
  const client = clientOf(
    t,
    { url: `https://127.0.0.1:${port}`, ca: pem },
    {
      attemptsMax: 3,
      wait: async (delayMs) => waits.push(delayMs),
    },
  );
  const outcome = async (answers: typeof script) => {
    script.splice(0, script.length, ...answers);
    waits.length = 0;
    asked = 0;
    const result = await client.ask('POST', '/services', {}).then(
      () => 'done',
      (error: unknown) => (error instanceof RequestRefused ? error.status : error),
    );
    return { result, asked, waits: [...waits] };
  };
  const retryAfter = { 'retry-after': '2' };
  t.same(await outcome([{ status: 429, headers: retryAfter }]), {
    result: 'done',
    asked: 2,
    waits: [2000],
  });
  t.same(await outcome([{ status: 503, headers: retryAfter }]), {
    result: 'done',
    asked: 2,
    waits: [2000],
  });
  const full = { status: 429, code: 'SERVER_TOO_MANY_REQUESTS' };
  t.same(await outcome([full, full]), { result: 'done', asked: 3, waits: [100, 200] });
  t.same(await outcome([full, full, full]), { result: 429, asked: 3, waits: [100, 200] });
  t.same(await outcome([{ status: 429, code: 'QUOTA_EXCEEDED' }]), {
    result: 429,
    asked: 1,
    waits: [],
  });
  t.same(await outcome([{ status: 503, code: 'TIMEOUT' }]), { result: 503, asked: 1, waits: [] });
});

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was refused');
}
