// What both listeners accept of TLS 1.2: suites, and no second handshake on a connection.

import { once } from 'node:events';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { issue } from './certificates.ts';
import { direct, echo, get, run, until } from './harness.ts';

type Open = (options?: ConnectionOptions) => Promise<TLSSocket>;

const listeners: Readonly<Record<string, (t: Test) => Promise<Open>>> = {
  'TLS front': front,
  'direct listener': async (t) => (await direct(t, echo)).open,
};

/** The server's key is an EC key, so the suites with RSA are not asked for. */
const accepted = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
];
const refused = [
  'ECDHE-ECDSA-AES128-SHA256',
  'ECDHE-ECDSA-AES256-SHA384',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-ECDSA-AES128-CCM',
];
const version12 = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;

async function answers(client: TLSSocket): Promise<void> {
  client.write(get('/'));
  await until(client, (text) => text.endsWith('hello'));
}

for (const [name, start] of Object.entries(listeners)) {
  t.test(`${name}: TLS 1.2 with AEAD suites only`, async (t) => {
    const open = await start(t);
    for (const ciphers of accepted) {
      const client = await open({ ...version12, ciphers });
      t.equal(client.getCipher().name, ciphers);
      await answers(client);
      client.destroy();
    }
    for (const ciphers of refused) {
      await t.rejects(
        open({ ...version12, ciphers: `${ciphers}:@SECLEVEL=0` }),
        { code: /HANDSHAKE_FAILURE/ },
        ciphers,
      );
    }
  });

  t.test(`${name}: TLS 1.3 with each of its suites`, async (t) => {
    const open = await start(t);
    for (const ciphers of [
      'TLS_AES_256_GCM_SHA384',
      'TLS_AES_128_GCM_SHA256',
      'TLS_CHACHA20_POLY1305_SHA256',
    ]) {
      const client = await open({ minVersion: 'TLSv1.3', ciphers });
      t.equal(client.getCipher().name, ciphers);
      await answers(client);
      client.destroy();
    }
  });

  t.test(`${name}: a client may not renegotiate`, async (t) => {
    const open = await start(t);
    const client = await open(version12);
    await answers(client);
    const failed = once(client, 'error').then(([error]: NodeJS.ErrnoException[]) => error?.code);
    const renegotiated = new Promise((resolve) => {
      client.renegotiate({}, (error) => {
        if (error === null) resolve('renegotiated');
      });
    });
    t.match(await Promise.race([failed, renegotiated]), /^ERR_SSL_.*NO_RENEGOTIATION$/);
    client.destroy();
    const other = await open(version12);
    await answers(other);
    other.destroy();
  });
}

async function front(t: Test): Promise<Open> {
  const running = await run({ directory: t.testdir() });
  t.teardown(() => running.stop());
  return running.open;
}

t.test('TLS front: AES-128 first, but ChaCha20 for a client that prefers it', async (t) => {
  const open = await front(t);
  const suiteOf = async (...suites: readonly string[]) => {
    const client = await open({ minVersion: 'TLSv1.3', ciphers: suites.join(':') });
    const { name } = client.getCipher();
    client.destroy();
    return name;
  };
  const aes128 = 'TLS_AES_128_GCM_SHA256';
  const aes256 = 'TLS_AES_256_GCM_SHA384';
  const chacha = 'TLS_CHACHA20_POLY1305_SHA256';
  t.equal(await suiteOf(aes256, aes128, chacha), aes128);
  t.equal(await suiteOf(aes256, chacha), aes256);
  t.equal(await suiteOf(chacha, aes128, aes256), chacha);
});

t.test('TLS front: a key exchange that withstands quantum computers, and older ones', async (t) => {
  const open = await front(t);
  for (const ecdhCurve of ['X25519MLKEM768', 'X25519', 'prime256v1', 'secp384r1', 'secp521r1']) {
    const client = await open({ minVersion: 'TLSv1.3', ecdhCurve });
    t.equal(client.getProtocol(), 'TLSv1.3', ecdhCurve);
    client.destroy();
  }
  await t.rejects(open({ minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe2048' }), {
    code: /HANDSHAKE_FAILURE/,
  });
});

t.test('TLS front: client certificates of every curve, whatever the version', async (t) => {
  const open = await front(t);
  for (const namedCurve of ['P-256', 'P-384', 'P-521'] as const) {
    const { certificate: cert, key } = await issue('client', { namedCurve });
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const client = await open({ minVersion: version, maxVersion: version, cert, key });
      client.write(get('/'));
      await until(client, (text) => text.endsWith('hello'));
      client.destroy();
    }
  }
});
