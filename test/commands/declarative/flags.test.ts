// The flags of `export` and `apply` that say as whom a controller is asked.

import t from 'tap';
import type { Typed } from '../../../src/commands/backup/flags.ts';
import { exportOrder } from '../../../src/commands/declarative/flags.ts';

const typed = (flags: Typed['flags'], environment: Typed['environment'] = {}): Typed => ({
  flags,
  environment,
  directory: '/work',
});

t.test('a token in place of a login', (t) => {
  const fileOf = (...all: Parameters<typeof typed>) => exportOrder(typed(...all)).tokenFile;
  t.equal(fileOf({}), undefined);
  t.equal(fileOf({ tokenFile: 'a' }), '/work/a');
  t.equal(fileOf({}, { EDGE_TOKEN_FILE: 'b' }), '/work/b');
  t.equal(fileOf({}, { EDGE_TOKEN_FILE: '' }), undefined);
  t.equal(fileOf({ tokenFile: 'a' }, { EDGE_TOKEN_FILE: 'b' }), '/work/a');
  t.equal(fileOf({ jwtFile: 'j' }, { EDGE_TOKEN_FILE: 'b' }), undefined, 'flags count first');
  for (const login of [{ jwtFile: 'j' }, { cert: 'c', key: 'k' }]) {
    t.throws(() => fileOf({ tokenFile: 'a', ...login }), { name: 'ConfigProblem' });
  }
  t.end();
});
