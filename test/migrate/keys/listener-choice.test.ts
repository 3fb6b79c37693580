// Which address of the peer a home answers at.

import t from 'tap';
import { keyToPem, toPem } from '../../../src/pki/x509/pem.ts';
import {
  configuration,
  leaf,
  listener,
  network,
  networkFiles,
  refusals,
  taken,
} from './peer-network.ts';

const bound = (port: number, host = 'ctrl.example.com') => ({
  interface: `0.0.0.0:${port}`,
  address: `${host}:${port}`,
});

const other = leaf('other', network.signing);
const files = networkFiles({
  'other.pem': toPem([other.certificate]),
  'other.key': keyToPem(other.key),
});
const otherIdentity = { server_cert: 'other.pem', key: 'other.key', ca: 'ca.pem' };

t.test('of several with one certificate, the one where clients enroll', async (t) => {
  const web = [listener({ bindPoints: [bound(9000)] }), listener({ bindPoints: [bound(1280)] })];
  const home = taken({ text: configuration({ web }) });
  t.equal(home.settings.advertise, 'ctrl.example.com:1280');
  t.match(
    home.placeless.filter(({ path }) => path.startsWith('web[0].bindPoints')),
    [
      {
        path: 'web[0].bindPoints[0].interface',
        value: '0.0.0.0:9000',
        meaning: 'The API is served at 0.0.0.0:1280 alone.',
      },
      { path: 'web[0].bindPoints[0].address', value: 'ctrl.example.com:9000' },
    ],
  );
});

t.test('of several certificates, the operator chooses', async (t) => {
  const web = [listener(), listener({ bindPoints: [bound(8443)], identity: otherIdentity })];
  const text = configuration({ web });
  t.same(refusals({ files, text }), [
    'The network is served with different certificates, and the controller has one: ' +
      'choose an address by --listener, of ' +
      'ctrl.example.com:1280 (web[0].bindPoints[0], CN=server), ' +
      'ctrl.example.com:8443 (web[1].bindPoints[0], CN=other).',
  ]);
  const first = taken({ files, text, listener: 'ctrl.example.com:1280' });
  t.equal(`${first.server?.certificate}`, `${network.server.certificate}`);
  t.match(
    first.placeless.filter(({ path }) => path.startsWith('web[1].identity')),
    [
      { path: 'web[1].identity.server_cert', value: '/peer/other.pem' },
      { path: 'web[1].identity.key', value: '/peer/other.key' },
    ],
  );
  const second = taken({ files, text, listener: '0.0.0.0:8443' });
  t.equal(`${second.server?.certificate}`, `${other.certificate}`);
  t.equal(second.settings.advertise, 'ctrl.example.com:8443');
  t.match(second.notices, [
    /^edge\.api\.address is ctrl\.example\.com:1280, but .* answers at ctrl\.example\.com:8443/,
  ]);
  t.match(refusals({ files, text, listener: 'ctrl.example.com:1' }), [
    /^--listener is "ctrl\.example\.com:1", but the addresses of the configuration are: 0\.0\.0\.0:1280 or ctrl/,
  ]);
});

t.test('one certificate in two files is one', async (t) => {
  const copy = networkFiles({ 'copy.pem': toPem([network.server.certificate]) });
  const identity = { server_cert: 'copy.pem', key: 'server.key', ca: 'ca.pem' };
  const web = [listener(), listener({ bindPoints: [bound(8443)], identity })];
  t.equal(taken({ files: copy, text: configuration({ web }) }).settings.listen, '0.0.0.0:1280');
});

t.test('a certificate that cannot be read is another one', async (t) => {
  const identity = { server_cert: 'gone.pem', key: 'server.key', ca: 'ca.pem' };
  const web = [listener(), listener({ bindPoints: [bound(8443)], identity })];
  t.match(refusals({ text: configuration({ web }) }), [/a certificate that cannot be read\)/]);
});

t.test('listeners of other programs do not count', async (t) => {
  const apis = [{ binding: 'health-checks' }, { binding: 'spa', options: { location: '/zac' } }];
  const web = [listener({ bindPoints: [bound(9000)], identity: otherIdentity, apis }), listener()];
  const home = taken({ files, text: configuration({ web }) });
  t.equal(home.settings.listen, '0.0.0.0:1280');
  t.match(
    home.placeless.filter(({ path }) => path.startsWith('web[0].apis')),
    [
      { path: 'web[0].apis[0].binding', value: 'health-checks' },
      { path: 'web[0].apis[1].binding', value: 'spa' },
      { path: 'web[0].apis[1].options.location', value: '/zac' },
    ],
  );
});

t.test('APIs that were apart are told of', async (t) => {
  const web = [listener({ apis: [{ binding: 'edge-client' }] })];
  t.match(taken({ text: configuration({ web }) }).notices, [
    /^At ctrl\.example\.com:1280 the APIs edge-management, edge-oidc, fabric are served from now/,
  ]);
});

t.test('no listener at all', async (t) => {
  const web = [listener({ bindPoints: [{ identity: 'overlay', service: 'x' }] })];
  t.match(refusals({ text: configuration({ web }) }), [/^The configuration has no bind point/]);
  t.match(refusals({ text: configuration({ web: [] }) }), [/^The configuration has no bind point/]);
});

t.test('a control channel with another certificate', async (t) => {
  const web = [listener({ identity: otherIdentity })];
  const home = taken({ files, text: configuration({ web }) });
  t.match(
    home.placeless.filter(({ path }) => path.startsWith('identity')),
    [
      { path: 'identity.cert' },
      { path: 'identity.server_cert', value: '/peer/server.pem' },
      { path: 'identity.key', value: '/peer/server.key' },
    ],
  );
});
