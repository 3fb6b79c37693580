// Logging in with a client certificate over real sockets: the front, the server and a controller.

import t from 'tap';
import { bootNetwork } from '../simulated/network.ts';
import { issue } from './certificates.ts';
import { run, until } from './harness.ts';

const path = '/edge/client/v1/authenticate?method=cert';

function post(more = ''): string {
  const head = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 2'];
  return `POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n${more}\r\n{}`;
}

/** One whole answer. */
function isWhole(text: string): boolean {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [, length = ''] = /content-length: (\d+)/i.exec(head) ?? [];
  return length !== '' && Buffer.byteLength(body) >= Number(length);
}

t.test('each login over a kept connection is by the certificate of its handshake', async (t) => {
  const network = await bootNetwork();
  network.clock.jump(Date.now() - network.clock.now());
  await network.logInAdmin();
  const turning = setInterval(() => network.clock.turn(), 1);
  const running = await run({ directory: t.testdir(), workers: 2, handler: network.core.handler });
  t.teardown(async () => {
    await running.stop();
    clearInterval(turning);
    await network.stop();
  });
  const root = await issue('root', { authority: true });
  const middle = await issue('middle', { authority: true, issuer: root });
  const expired = await issue('old', { issuer: middle, expired: true });
  const leaf = await issue('desk', { issuer: middle });
  const ca = await network.create('cas', {
    name: 'partner',
    certPem: root.certificate,
    identityRoles: [],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    externalIdClaim,
  });
  const { verificationToken } = await network.must<{ verificationToken: string }>(
    'GET',
    `M:/cas/${ca}`,
  );
  const proof = await issue(verificationToken, { issuer: root });
  const proven = { headers: { 'content-type': 'text/plain' }, body: proof.certificate };
  t.match(await network.call('POST', `M:/cas/${ca}/verify`, proven), { status: 200 });
  const identities = new Map<string, string>();
  for (const name of ['desk', 'old']) {
    const more = { type: 'Default', isAdmin: false, externalId: name };
    identities.set(name, await network.create('identities', { name, ...more }));
  }
  for (const shown of [leaf, expired]) {
    const client = await running.open({
      cert: shown.certificate + middle.certificate,
      key: shown.key,
    });
    const sessions = new Set<string>();
    for (let logins = 0; logins < 5; logins++) {
      client.write(post());
      const text = await until(client, isWhole);
      t.match(text, /^HTTP\/1\.1 200 /);
      t.ok(text.includes(`"identityId":"${identities.get(shown.name)}"`));
      sessions.add(/zt-session: (\S+)/i.exec(text)?.[1] ?? '');
    }
    t.equal(sessions.size, 5);
    client.destroy();
  }
  const bare = await running.open();
  bare.write(post(`x-client-cert: ${leaf.der.toString('base64')}\r\n`));
  const text = await until(bare, isWhole);
  t.match(text, /^HTTP\/1\.1 401 /, 'what a header says is no certificate');
  t.match(text, /"code":"INVALID_AUTH"/);
  bare.destroy();
});

const externalIdClaim = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};
