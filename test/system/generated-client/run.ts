// Reads every list of both APIs with Python clients that openapi-python-client generates from
// the documents in docs/generated/: `node test/system/generated-client/run.ts`. Exit code 75: no
// Python to run it, or PyPI did not give it.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Openssl } from '../../simulated/openssl.ts';
import {
  type Api,
  client,
  connect,
  createNetwork,
  createUser,
  logIn,
  management,
} from '../client.ts';
import { type Endings, endsWell, runStep, serveOnce, temporaryDirectory } from '../endings.ts';
import { furnish } from '../furnished.ts';
import { adminPassword, type Serving } from '../process.ts';
import { pythonEnvironment } from '../python-environment.ts';

/** Far more than generating a client takes. */
const commandTimeoutMs = 3 * 60_000;

const password = 'the-password-of-somebody';

await runStep(async (endings: Endings) => {
  const bin = pythonEnvironment('generated-client', join(import.meta.dirname, 'requirements.txt'));
  const directory = temporaryDirectory(endings, 'generated-client-');
  const serving = await serveOnce(endings, directory);
  const admin = await logIn(connect(endings, serving));
  const [service = ''] = await createNetwork(admin, 2);
  await furnish(admin, new Openssl(directory), service);
  await createUser(admin, 'somebody', password);
  await admin.ask('POST', `${client}/sessions`, { serviceId: service, type: 'Dial' });
  let isWell = true;
  for (const base of [client, management]) {
    isWell = (await readsAll({ bin, directory, serving, admin, base })) && isWell;
  }
  return (await endsWell(serving, [adminPassword, password, admin.token])) && isWell;
});

interface Reading {
  readonly bin: string;
  readonly directory: string;
  readonly serving: Serving;
  readonly admin: Api;
  /** The base path of an API. */
  readonly base: string;
}

/** Generates the client of an API and has it read every list. @returns whether it read them all */
async function readsAll({ bin, directory, serving, admin, base }: Reading): Promise<boolean> {
  const name = base === client ? 'client_api' : 'management_api';
  const file = `openapi-${base === client ? 'client' : 'management'}.json`;
  const document = join(import.meta.dirname, '../../../docs/generated', file);
  const where = ['--meta', 'none', '--output-path', join(directory, name)];
  // It warns of content types that are not JSON, for which it generates nothing.
  const generated = run(join(bin, 'openapi-python-client'), [
    'generate',
    '--path',
    document,
    ...where,
  ]);
  if (!generated) return false;
  const order = {
    document,
    package: name,
    base: `${serving.url}${base}`,
    token: admin.token,
    ca: join(serving.home, 'pki/ca.pem'),
  };
  const script = join(import.meta.dirname, 'client.py');
  return run(join(bin, 'python'), ['-B', script], `${JSON.stringify(order)}\n`);

  function run(command: string, args: readonly string[], input = ''): boolean {
    const { status } = spawnSync(command, args, {
      cwd: directory,
      env: { PATH: `${bin}:${process.env['PATH']}`, PYTHONPATH: directory },
      input,
      stdio: ['pipe', 'inherit', 'inherit'],
      timeout: commandTimeoutMs,
    });
    return status === 0;
  }
}
