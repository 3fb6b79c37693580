// Variables of the environment that look like settings and are none.

import t from 'tap';
import { loadConfig } from '../../src/settings/config.ts';
import { unknownVariables } from '../../src/settings/unknown-variables.ts';

const beginning = 'Variables of the environment that no setting reads have no effect: ';

t.test(
  'an unknown variable is named with the nearest known name, and without its value',
  async (t) => {
    const environment = {
      EDGE_LISTN: 'secret',
      EDGE_CLUSTER_REPLICA: '3',
      EDGE_WHATEVER_ELSE: 'x',
    };
    t.equal(
      unknownVariables(environment),
      `${beginning}EDGE_CLUSTER_REPLICA (did you mean EDGE_CLUSTER_REPLICAS?), EDGE_LISTN (did you mean EDGE_LISTEN?), EDGE_WHATEVER_ELSE.`,
    );
  },
);

t.test('settings, and variables of platforms, tests and benchmarks are known', async (t) => {
  const names = [
    'EDGE_LISTEN',
    'EDGE_HOME',
    'EDGE_CONFIG',
    'EDGE_ADMIN_PASSWORD_FILE',
    'EDGE_CLUSTER_TLS_CA',
    'EDGE_CONTROL',
    'EDGE_CONTROL_PORT',
    'EDGE_CONTROL_PORT_1280_TCP',
    'EDGE_BENCH_PASSWORD',
    'EDGE_TEST_ENTRY',
    'EDGE_SEED',
    'EDGE_URL',
    'EDGY',
    'HOME',
  ];
  t.equal(unknownVariables(Object.fromEntries(names.map((name) => [name, '1']))), undefined);
});

t.test('a platform that sets many is told of ten', async (t) => {
  const names = Array.from({ length: 25 }, (_, index) => `EDGE_QUITE_ANOTHER_THING_${index}`);
  const text = unknownVariables(Object.fromEntries(names.map((name) => [name, ''])));
  t.match(text, /, EDGE_QUITE_ANOTHER_THING_17, 15 more\.$/);
});

t.test('the controller says so once at its start, and refuses nothing', async (t) => {
  const sources = {
    flags: {},
    environment: { EDGE_LISTN: '127.0.0.1:1' },
    directory: '/work',
    cores: 2,
    readFile: () => {
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    },
  };
  t.match(loadConfig(sources).notices, [`${beginning}EDGE_LISTN (did you mean EDGE_LISTEN?).`]);
});
