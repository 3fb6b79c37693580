// What the TLS listeners of a real process show: keys by configuration, and files of the operator's
// own.

import type { PeerCertificate } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import { t } from 'tap';
import { connect, logIn } from './client.ts';
import { issueOwnServer, makeOwnFiles } from './openssl.ts';
import { directUrlOf, makeHome, roomOf, type Serving, serve, startProcess } from './process.ts';

/** The certificate that is shown to a client which trusts the CA file of the home. */
async function shownBy({ ca }: Serving, url: string): Promise<PeerCertificate> {
  const port = Number(new URL(url).port);
  return await new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, ca, servername: 'localhost' }, () => {
      resolve(socket.getPeerCertificate(true));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

t.test('RSA keys by configuration', async (t) => {
  const home = makeHome(t, { pki: { keyType: 'rsa-2048' } });
  const serving = await serve(t, home, ['--direct-listen', '127.0.0.1:0']);
  for (const url of [serving.url, await directUrlOf(serving.process)]) {
    const shown = await shownBy(serving, url);
    t.equal(shown.bits, 2048, 'an RSA key');
    await logIn(connect(t, { ...serving, url }));
  }
  t.equal((await serving.process.stop()).code, 0);
});

t.test('files of the operator', async (t) => {
  const { otherKey, ...pki } = makeOwnFiles(roomOf(t));
  const home = makeHome(t, { pki });
  const serving = await serve(t, home, ['--direct-listen', '127.0.0.1:0']);
  for (const url of [serving.url, await directUrlOf(serving.process)]) {
    t.match(await shownBy(serving, url), {
      subject: { CN: 'Own Server' },
      issuer: { CN: 'Own Root' },
    });
    await logIn(connect(t, { ...serving, url }));
  }
  t.equal((await serving.process.stop()).code, 0);

  const wrong = makeHome(t, { pki: { ...pki, serverKey: otherKey } });
  const { code, stdout, stderr } = await startProcess(t, wrong).ended;
  t.equal(code, 2);
  t.equal(stdout, '');
  t.match(stderr, /^edge-control: [^\n]*pki\.serverKey[^\n]*\n$/);
});

t.test('SIGHUP reloads the files of the operator', async (t) => {
  const room = roomOf(t);
  const { otherKey: _, ...pki } = makeOwnFiles(room);
  const serving = await serve(t, makeHome(t, { pki }), ['--direct-listen', '127.0.0.1:0']);
  const urls = [serving.url, await directUrlOf(serving.process)];
  const before = await Promise.all(urls.map((url) => shownBy(serving, url)));
  issueOwnServer(room);
  serving.process.signal('SIGHUP');
  await serving.process.says('stderr', 'the server certificate was replaced');
  for (const [position, url] of urls.entries()) {
    let shown = await shownBy(serving, url);
    // A worker may take a connection before it hears of it.
    for (let attempt = 0; attempt < 100; attempt += 1) {
      if (shown.serialNumber !== before[position]?.serialNumber) break;
      shown = await shownBy(serving, url);
    }
    t.not(shown.serialNumber, before[position]?.serialNumber);
  }
  await logIn(connect(t, serving));
  t.equal((await serving.process.stop()).code, 0);
});
