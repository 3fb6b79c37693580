// A bug in what is shipped names the sources: their maps are beside the bundle.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { controllerEntry } from './process.ts';

/** A bug where a home is made. */
const bug = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  fs.mkdirSync = () => { throw new TypeError('a bug'); };
  syncBuiltinESMExports();
`;

t.test('the stack of an unexpected error', async (t) => {
  const room = t.testdir({ 'bug.mjs': bug });
  const words = ['init', '--home', join(room, 'none/home'), '--admin-user', 'admin'];
  const { stderr, status } = spawnSync(
    process.execPath,
    [`--import=${join(room, 'bug.mjs')}`, controllerEntry, ...words],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], EDGE_ADMIN_PASSWORD: 'only-for-this-test' },
    },
  );
  t.equal(status, 2, stderr);
  t.match(stderr, /^edge-control: TypeError: a bug\n/m);
  t.match(stderr, /at openHome \(\S*snapshots\/home\/open\.[tj]s:\d+:\d+\)\n/);
  t.notMatch(stderr, /dist\/bundle/);
});
