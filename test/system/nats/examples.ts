// The configurations of NATS in examples/cluster are right in the eyes of a real server, and a node
// may do with them what it needs.

import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../endings.ts';
import { makeOwnFiles } from '../openssl.ts';
import { natsServerBinary } from './binary.ts';
import type { Check } from './check.ts';

const examples = join(import.meta.dirname, '../../../examples/cluster');

/** What the examples promise. */
export const exampleChecks: readonly Check[] = [
  {
    name: 'examples: a server takes the configurations of examples/cluster',
    body: async ({ endings }) => {
      const directory = temporaryDirectory(endings, 'edge-control-examples-');
      makeOwnFiles(directory);
      cpSync(join(directory, 'root.pem'), join(directory, 'ca.pem'));
      cpSync(join(examples, 'accounts.conf'), join(directory, 'accounts.conf'));
      const configuration = readFileSync(join(examples, 'nats.conf'), 'utf8');
      const file = join(directory, 'nats.conf');
      writeFileSync(file, configuration.replaceAll('/etc/nats/', `${directory}/`));
      const { status, stderr } = spawnSync(natsServerBinary(), ['-t', '-c', file], {
        env: { NATS_NAME: 'n1' },
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
      assert.match(stderr, /configuration file .* is valid/);
    },
  },
];
