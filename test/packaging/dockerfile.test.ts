// The Dockerfile without a container runtime: what it copies is there and is sent to the builder,
// and what it sets are settings of ours.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { loadConfig } from '../../src/settings/config.ts';
import { copiesOf, environmentOf, readDockerfile, textsOf, wordsOf } from './dockerfile.ts';

const root = join(import.meta.dirname, '../..');
const [build, image] = readDockerfile();
if (build === undefined || image === undefined) throw new Error('the Dockerfile has no two stages');

t.test('what is copied exists, and the builder gets exactly that', async (t) => {
  const copied = [...copiesOf(build), ...copiesOf(image)].map(({ from }) =>
    from.replace(/\/$/, ''),
  );
  for (const path of copied) t.ok(existsSync(join(root, path)), path);
  const ignore = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  t.equal(
    ignore.find((line) => !line.startsWith('#')),
    '*',
  );
  const sent = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  t.same(sent.sort(), [...new Set(copied)].sort());
});

t.test('what the environment sets are settings', async (t) => {
  const { EDGE_HOME, ...environment } = environmentOf(image);
  const config = loadConfig({
    flags: {},
    environment: { EDGE_HOME, ...environment },
    directory: '/',
    cores: 2,
    readFile: () => '{}',
  });
  t.same(config.notices, []);
  const [volume = ''] = wordsOf(image, 'VOLUME');
  t.equal(config.home, `${volume}/home`, 'a directory that the controller makes itself');
  t.same(config.listen, { host: '0.0.0.0', port: 1280 });
  t.match(config.ctrlListen, { host: '0.0.0.0', port: 6262 });
  t.same(textsOf(image, 'EXPOSE'), ['1280 6262']);
  const probe = wordsOf(image, 'HEALTHCHECK').join(' ');
  t.match(config.metrics.listen, { host: '127.0.0.1', port: 9464 });
  t.match(probe, 'http://127.0.0.1:9464/health-checks');
});

t.test('the process is not root and gets the signals', async (t) => {
  const user = Number(textsOf(image, 'USER').at(-1)?.split(':')[0]);
  t.ok(user > 0);
  t.match(textsOf(image, 'RUN').join('\n'), `--uid ${user}`);
  const [program = ''] = wordsOf(image, 'ENTRYPOINT');
  t.equal(program, '/opt/edge-control/bin/edge-control');
  t.match(readFileSync(join(root, 'bin/edge-control'), 'utf8'), /^ +exec "\$node"/m);
});
