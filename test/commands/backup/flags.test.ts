// The flags of snapshot and restore: their meaning, and the combinations that are refused.

import t from 'tap';
import { restoreOrder, snapshotOrder, type Typed } from '../../../src/commands/backup/flags.ts';

const typed = (flags: Typed['flags'], environment: Typed['environment'] = {}): Typed => ({
  flags,
  environment,
  directory: '/work',
});

t.test('snapshot', async (t) => {
  t.same(snapshotOrder(typed({})), {
    output: undefined,
    withKeys: true,
    url: undefined,
    certificate: undefined,
    configFile: undefined,
  });
  const all = { output: 'b', withoutKeys: true, url: 'https://h:1', cert: 'c', key: '/k' } as const;
  t.same(snapshotOrder(typed({ ...all, config: 'x.json' }, { EDGE_CONFIG: 'y.json' })), {
    output: '/work/b',
    withKeys: false,
    url: 'https://h:1',
    certificate: { certFile: '/work/c', keyFile: '/k' },
    configFile: '/work/x.json',
  });
  t.equal(snapshotOrder(typed({}, { EDGE_CONFIG: 'y.json' })).configFile, '/work/y.json');
  t.equal(snapshotOrder(typed({}, { EDGE_CONFIG: '' })).configFile, undefined);
  const wrong: readonly (readonly [Typed['flags'], RegExp])[] = [
    [{ url: 'http://h' }, /--url is "http:\/\/h" but must be/],
    [{ url: 'https://name:word@h' }, /--url/],
    [{ url: 'https://h/path' }, /--url/],
    [{ cert: 'c' }, /--cert and --key/],
    [{ key: 'k' }, /--cert and --key/],
    [{ withoutKeys: true }, /--without-keys/],
  ];
  for (const [flags, message] of wrong) {
    t.throws(() => snapshotOrder(typed(flags)), { name: 'ConfigProblem', message });
  }
});

t.test('restore', async (t) => {
  t.same(restoreOrder('b', typed({})), {
    file: '/work/b',
    force: false,
    log: undefined,
    toLsn: undefined,
    toTimeMs: undefined,
    pki: undefined,
    newKeys: false,
  });
  const flags = { force: true, log: 'l', toLsn: '12', pki: 'p' } as const;
  t.match(restoreOrder('/b', typed(flags)), {
    file: '/b',
    force: true,
    log: '/work/l',
    toLsn: 12,
    pki: '/work/p',
  });
  const times: readonly (readonly [string, string])[] = [
    ['2026-11-21T14:30:00Z', '2026-11-21T14:30:00.000Z'],
    ['2026-11-21T14:30Z', '2026-11-21T14:30:00.000Z'],
    ['2026-11-21 14:30:00.123456+02:00', '2026-11-21T12:30:00.123Z'],
  ];
  for (const [text, time] of times) {
    t.equal(restoreOrder('b', typed({ toTime: text })).toTimeMs, Date.parse(time), text);
  }
  const wrong: readonly (readonly [Typed['flags'], RegExp])[] = [
    [{ toLsn: '0' }, /--to-lsn is "0" but must be an integer from 1/],
    [{ toLsn: 'x' }, /--to-lsn/],
    [{ toTime: '2026-11-21' }, /--to-time is "2026-11-21" but must be/],
    [{ toTime: '2026-11-21T14:30:00' }, /--to-time/],
    [{ toTime: '2026-13-21T14:30:00Z' }, /--to-time/],
    [{ toTime: '2026-11-21T14:30:00Z', toLsn: '1' }, /exclude each other/],
    [{ pki: 'p', newKeys: true }, /exclude each other/],
  ];
  for (const [flags, message] of wrong) {
    t.throws(() => restoreOrder('b', typed(flags)), { name: 'ConfigProblem', message });
  }
});
