// The way to the NATS servers that the configuration names.

import t from 'tap';
import { natsAccessOf } from '../../src/cluster/nats/configured-access.ts';
import { passwordIn } from '../../src/cluster/nats/link.ts';

const limits = { frameBytesMax: 4 * 1024 * 1024 };
const near = { servers: [{ host: '::1', port: 4222 }], credentials: undefined, tls: undefined };

function withFile(text: string) {
  return natsAccessOf({ ...near, credentials: '/c' }, limits, () => text).credentials;
}

t.test('servers, room and TLS', async (t) => {
  const none = () => '';
  t.same(natsAccessOf(near, limits, none), { servers: ['[::1]:4222'], payloadBytesMin: 4259840 });
  const tls = { ca: '/ca', own: undefined };
  const shown = (path: string) => `content of ${path}`;
  t.same(natsAccessOf({ ...near, tls }, limits, shown).tls?.(), { ca: 'content of /ca' });
  const own = { certificate: '/cert', key: '/key' };
  t.same(natsAccessOf({ ...near, tls: { ca: '/ca', own } }, limits, shown).tls?.(), {
    ca: 'content of /ca',
    cert: 'content of /cert',
    key: 'content of /key',
  });
});

t.test('credentials', async (t) => {
  t.same(passwordIn('node:secret\n'), { user: 'node', password: 'secret' });
  t.same(passwordIn('node:se:cret'), { user: 'node', password: 'se:cret' });
  const jwt = '-----BEGIN NATS USER JWT-----\nabc\n------END NATS USER JWT------\n';
  t.equal(passwordIn(jwt), undefined);
  for (const text of ['node:secret\n', 'node:se:cret', jwt]) {
    let content = text;
    const file = natsAccessOf({ ...near, credentials: '/c' }, limits, () => content).credentials;
    content = 'replaced';
    t.equal(file?.kind === 'file' && Buffer.from(file.read()).toString(), 'replaced');
  }
});

t.test('files that are no credentials are not shown', async (t) => {
  for (const text of ['', 'secret', 'a:b\nc:d\n', ' node:secret']) {
    t.throws(() => withFile(text), {
      message:
        '/c (cluster.credentials) is no credentials file of NATS, and not one line USER:PASSWORD.',
    });
  }
  const unread = () => {
    throw Object.assign(new Error('ENOENT: /c'), { code: 'ENOENT' });
  };
  t.throws(() => natsAccessOf({ ...near, credentials: '/c' }, limits, unread), {
    message: /^cluster\.credentials cannot be read: ENOENT/,
  });
});
