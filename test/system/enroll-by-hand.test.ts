// A client that knows nothing but an enrollment JWT gets to a session, with openssl and undici, as
// the stock SDKs do it: against a real process, whose log holds no secret afterwards.

import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { authorityExtensions, Openssl, type OpensslKey } from '../simulated/openssl.ts';
import { Api, client, connect, createNetwork, type Json, logIn, management } from './client.ts';
import { type Believed, believe } from './jwt-holder.ts';
import { makeOwnFiles } from './openssl.ts';
import { adminPassword, makeHome, roomOf, type Serving, serve } from './process.ts';
import { keyLines, privateKeysIn, secretsIn } from './secrets.ts';

/** A controller with a small network, and all that must stay out of its log. */
class Scene {
  readonly openssl: Openssl;
  readonly secrets = new Set<string>([adminPassword]);
  readonly serving: Serving;
  readonly admin: Api;
  readonly services: readonly string[];

  private constructor(t: Test, serving: Serving, admin: Api, services: readonly string[]) {
    this.openssl = new Openssl(roomOf(t));
    this.serving = serving;
    this.admin = admin;
    this.services = services;
    this.secrets.add(admin.token);
  }

  static async open(t: Test, config: object, flags: readonly string[]): Promise<Scene> {
    const serving = await serve(t, makeHome(t, { log: { level: 'debug' }, ...config }), flags);
    const admin = await logIn(connect(t, serving));
    return new Scene(t, serving, admin, await createNetwork(admin, 2));
  }

  /** An identity that waits for its enrollment. @returns what the JWT says */
  async invite(enrollment: Json): Promise<Believed> {
    const body = { name: 'somebody', type: 'Default', isAdmin: false, enrollment };
    const id = await this.admin.create('identities', body);
    const { enrollment: waiting } = await this.admin.ask('GET', `${management}/identities/${id}`);
    const [made] = Object.values(waiting as Readonly<Record<string, { readonly jwt: string }>>);
    return await this.believe(made?.jwt);
  }

  async believe(jwt: unknown): Promise<Believed> {
    const believed = await believe(String(jwt));
    this.secrets.add(String(jwt)).add(believed.token);
    return believed;
  }

  /** A request for a certificate. @returns it and its key, both PEM */
  request(subject: string, key?: OpensslKey): { readonly csr: string; readonly key: string } {
    const wanted = key === undefined ? { subject } : { subject, key };
    const { pem: csr, keyPath } = this.openssl.request(wanted);
    return { csr, key: this.secretKey(keyPath) };
  }

  secretKey(path: string): string {
    for (const line of keyLines(path)) this.secrets.add(line);
    return readFileSync(path, 'utf8');
  }

  /** What every identity does once it can: log in, look around, make a session. */
  async work(t: Test, api: Api): Promise<void> {
    this.secrets.add(api.token);
    const services = (await api.ask('GET', `${client}/services`)) as unknown as Json[];
    t.same(services.map(({ id }) => id).sort(), [...this.services].sort(), 'its services');
    const [serviceId] = this.services;
    const session = await api.ask('POST', `${client}/sessions`, { serviceId, type: 'Dial' });
    this.secrets.add(String(session['token']));
    t.match(session['edgeRouters'], [{ name: 'router', isOnline: false }], 'its routers');
    const [row] = await this.admin.all('sessions');
    const { id: identityId } = await api.ask('GET', `${client}/current-identity`);
    t.match(row, { id: session['id'], identityId, apiSessionId: api.sessionId }, 'its session');
  }

  /** Stops it. Nothing went wrong inside, and no secret stands in the log. */
  async close(t: Test): Promise<void> {
    const { code, stderr, stdout } = await this.serving.process.stop();
    t.equal(code, 0);
    const known = [...this.secrets, ...privateKeysIn(this.serving.home)];
    t.same(secretsIn(stdout + stderr, known), [], `none of ${known.length} secrets in the log`);
    t.notMatch(stderr, /"level":"(error|fatal)"/, 'nothing went wrong inside');
  }
}

/** Logs in by the certificate of a connection. */
async function logInByCertificate(
  t: Test,
  { url, ca }: Believed,
  shown: { readonly cert: string; readonly key: string },
): Promise<Api> {
  const http = connect(t, { url, ca, ...shown });
  const path = `${client}/authenticate?method=cert`;
  const { status, data, error } = await http.call('POST', path, { body: {} });
  t.equal(status, 200, 'logged in by the certificate', { error });
  return new Api(http, String(data['token']), String(data['id']));
}

interface Variant {
  readonly title: string;
  readonly key: OpensslKey;
  /** Of the enrollment's body, which is PEM; JSON when absent. */
  readonly contentType?: string;
  readonly flags?: readonly string[];
  readonly pki?: (t: Test) => object;
}

const variants: readonly Variant[] = [
  { title: 'EC keys, as the C SDK asks', key: 'p-256', contentType: 'text/plain' },
  {
    title: 'RSA keys and an address of digits, as the Go SDK asks',
    key: 'rsa-2048',
    contentType: 'application/x-pem-file',
    flags: ['--advertise', '127.0.0.1:0'],
    pki: () => ({ keyType: 'rsa-2048' }),
  },
  {
    title: 'a server certificate of the operator, asked in JSON',
    key: 'p-384',
    pki: (t) => {
      const { otherKey: _, ...files } = makeOwnFiles(roomOf(t));
      return files;
    },
  },
];

for (const { title, key: keyType, contentType, flags = [], pki } of variants) {
  t.test(`one-time token: ${title}`, async (t) => {
    const scene = await Scene.open(t, pki === undefined ? {} : { pki: pki(t) }, flags);
    const { openssl, admin } = scene;
    const believed = await scene.invite({ ott: true });
    const { url, subject, method, token, ca } = believed;
    t.equal(method, 'ott');
    t.equal(url.replace('localhost', '127.0.0.1'), scene.serving.url);

    const http = connect(t, { url, ca });
    const { csr, key } = scene.request(`/O=Example/CN=${subject}`, keyType);
    const path = `${client}/enroll?method=ott&token=${token}`;
    const call =
      contentType === undefined ? { body: { clientCsr: csr } } : { body: csr, contentType };
    const { status, data, error } = await http.call('POST', path, call);
    t.equal(status, 200, 'enrolled', { error });
    const cert = String(data['cert']);
    const shown = new X509Certificate(cert);
    t.match(shown.subjectAltName, new RegExp(`^URI:spiffe://[^,]+/identity/${subject}$`));
    writeFileSync(join(roomOf(t), 'cas.pem'), ca);
    writeFileSync(join(roomOf(t), 'chain.pem'), cert);
    const verify = ['-purpose', 'sslclient', '-CAfile', 'cas.pem', '-untrusted', 'chain.pem'];
    openssl.run('verify', ...verify, 'chain.pem');
    const again = await http.call('POST', path, call);
    t.match(
      again,
      { status: 404, error: { code: 'INVALID_ENROLLMENT_TOKEN' } },
      'the token is used up',
    );
    t.type(again.error['message'], 'string');

    await scene.work(t, await logInByCertificate(t, believed, { cert, key }));
    const identity = await admin.ask('GET', `${management}/identities/${subject}`);
    const fingerprint = shown.fingerprint.replaceAll(':', '').toLowerCase();
    t.match(identity, { enrollment: {}, authenticators: { cert: { fingerprint } } });
    await scene.close(t);
  });
}

t.test('a user name', async (t) => {
  const scene = await Scene.open(t, {}, []);
  const { url, token, method, ca } = await scene.invite({ updb: 'somebody' });
  t.equal(method, 'updb');
  const http = connect(t, { url, ca });
  const password = 'only somebody knows';
  scene.secrets.add(password);
  const body = { username: 'somebody', password };
  const { status, error } = await http.call('POST', `${client}/enroll/updb?token=${token}`, {
    body,
  });
  t.equal(status, 200, 'enrolled', { error });
  await scene.work(t, await logIn(http, 'somebody', password));
  await scene.close(t);
});

t.test('a certificate of a CA that the administrator knows', async (t) => {
  const scene = await Scene.open(t, {}, []);
  const { openssl, admin } = scene;
  const root = openssl.certificate({ subject: '/CN=Other Root', extensions: authorityExtensions });
  const caId = await admin.create('cas', {
    name: 'others',
    certPem: root.pem,
    identityRoles: [],
    isAuthEnabled: true,
    isOttCaEnrollmentEnabled: true,
    isAutoCaEnrollmentEnabled: false,
  });
  const { verificationToken } = await admin.ask('GET', `${management}/cas/${caId}`);
  const proof = openssl.certificate({ subject: `/CN=${verificationToken}`, issuer: root });
  const verified = await admin.client.call('POST', `${management}/cas/${caId}/verify`, {
    token: admin.token,
    body: proof.pem,
    contentType: 'text/plain',
  });
  t.equal(verified.status, 200, 'the CA is verified', verified.error);

  const believed = await scene.invite({ ottca: caId });
  t.equal(believed.method, 'ottca');
  const extensions = ['extendedKeyUsage=clientAuth'];
  const leaf = openssl.certificate({ subject: '/CN=anything', issuer: root, extensions });
  const shown = { cert: leaf.pem, key: scene.secretKey(leaf.keyPath) };
  const path = `${client}/enroll?method=ottca&token=${believed.token}`;
  const http = connect(t, { ...believed, ...shown });
  const { status, error } = await http.call('POST', path, { body: {} });
  t.equal(status, 200, 'enrolled', { error });
  await scene.work(t, await logInByCertificate(t, believed, shown));
  await scene.close(t);
});

t.test('an edge router enrolls, and stays offline', async (t) => {
  const scene = await Scene.open(t, {}, []);
  const { admin } = scene;
  const id = await admin.create('edge-routers', { name: 'north' });
  const path = `${management}/edge-routers/${id}`;
  const waiting = await admin.ask('GET', path);
  const { url, ca, method, token } = await scene.believe(waiting['enrollmentJwt']);
  t.equal(method, 'erott');
  const http = connect(t, { url, ca });
  const { csr } = scene.request(`/CN=${id}`);
  const { status, data, error } = await http.call('POST', `/enroll?method=erott&token=${token}`, {
    body: { certCsr: csr, serverCertCsr: csr },
  });
  t.equal(status, 200, 'enrolled', { error });
  const made = new X509Certificate(String(data['cert']));
  t.match(await admin.ask('GET', path), {
    isVerified: true,
    isOnline: false,
    enrollmentJwt: undefined,
    fingerprint: made.fingerprint.replaceAll(':', '').toLowerCase(),
  });
  await scene.close(t);
});
