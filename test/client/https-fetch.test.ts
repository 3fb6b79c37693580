// Connections of the client, to servers of its own making.

import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { HttpsFetch } from '../../src/client/https-fetch.ts';
import { keyToPem } from '../../src/pki/x509/pem.ts';
import { makeCertificate } from '../simulated/certificates.ts';

t.test('a CA below a root is trusted, where the root is not known', async (t) => {
  const wanted = { keyType: 'ec-p256', nowMs: Date.now() } as const;
  const root = await makeCertificate({ ...wanted, name: 'root', as: 'authority' });
  const below = await makeCertificate({ ...wanted, name: 'below', as: 'authority', issuer: root });
  const alternativeNames = [{ type: 'dns', value: 'localhost' }] as const;
  const leaf = await makeCertificate({
    ...wanted,
    name: 'leaf',
    as: 'end',
    usages: ['serverAuth'],
    issuer: below,
    alternativeNames,
  });
  const server = createServer(
    { cert: leaf.pem + below.pem, key: keyToPem(leaf.key) },
    (_, answer) => answer.end('hello'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  t.teardown(() => server.close());
  for (const ca of [root.pem, root.pem + below.pem, below.pem]) {
    const fetch = new HttpsFetch({ ca, host: 'localhost', connectionsMax: 1, timeoutMs: 10_000 });
    const answer = await fetch.send(`https://127.0.0.1:${port}/`, { method: 'GET' }, '');
    t.equal(await answer.text(), 'hello');
    fetch.close();
  }
  const other = await makeCertificate({ ...wanted, name: 'below', as: 'authority' });
  const stranger = new HttpsFetch({ ca: other.pem, connectionsMax: 1, timeoutMs: 10_000 });
  t.teardown(() => stranger.close());
  await t.rejects(stranger.send(`https://127.0.0.1:${port}/`, { method: 'GET' }, ''));
});
