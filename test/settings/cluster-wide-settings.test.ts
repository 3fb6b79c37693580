// Nodes compare the settings that decide, and name those that differ.

import { t } from 'tap';
import { behaviourSettings, differingSettings } from '../../src/settings/cluster-wide-settings.ts';
import { loadConfig } from '../../src/settings/config.ts';

const textOf = (file: object) =>
  behaviourSettings(
    loadConfig({
      flags: {},
      environment: {},
      directory: '/work',
      cores: 4,
      readFile: () => JSON.stringify(file),
    }),
  );

const cluster = { servers: '127.0.0.1:4222', listen: '127.0.0.1:1290' };

t.test('settings of a place or a machine do not count', async (t) => {
  t.equal(textOf({}), '');
  const local = {
    listen: '10.0.0.1:1280',
    tlsWorkers: 9,
    metrics: { listen: '127.0.0.1:9464' },
    log: { level: 'debug' },
    snapshot: { keep: 5 },
    limits: { connectionsMax: 500, viewCacheBytesMax: 1048576, heapLivePercentMax: 80 },
    cluster: { ...cluster, clockSkewMs: 50 },
  };
  t.equal(textOf(local), '');
});

t.test('a setting that decides is named, and its value is not told', async (t) => {
  const long = textOf({ session: { timeoutMinutes: 60 } });
  t.match(long, /^session\.timeoutMinutes=[0-9a-f]{8}$/);
  t.not(long, textOf({ session: { timeoutMinutes: 61 } }));
  t.equal(long, textOf({ 'session.timeoutMinutes': 60 }));
  t.equal(textOf({ session: { timeoutMinutes: 30 } }), '', 'its default, set by hand');
  t.match(textOf({ cluster: { ...cluster, reads: 'confirmed' } }), /^cluster\.reads=/);
});

t.test('differences have names', async (t) => {
  const one = textOf({ session: { timeoutMinutes: 60 }, totp: { issuer: 'a' } });
  const other = textOf({ session: { timeoutMinutes: 61 }, limits: { pageRowsMax: 100 } });
  t.same(differingSettings(one, one), []);
  t.same(differingSettings(one, ''), ['session.timeoutMinutes', 'totp.issuer']);
  t.same(differingSettings(one, other), [
    'limits.pageRowsMax',
    'session.timeoutMinutes',
    'totp.issuer',
  ]);
});
