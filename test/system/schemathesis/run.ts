// Runs schemathesis (PyPI) against a controller of its own: `node test/system/schemathesis/run.ts`.
//
// It sends bodies and parameters that the OpenAPI documents allow, and such that they don't, and
// holds every answer against them. Exit code 0: no finding; 1: findings; 75: no Python to run it,
// or PyPI did not give it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type ApiName, apiNames, basePaths } from '../../../src/declare/operations/apis.ts';
import { isNightly } from '../../campaigns.ts';
import { type Api, connect, createNetwork, createUser, logIn, management } from '../client.ts';
import { type Endings, endsWell, runStep, serveOnce, temporaryDirectory } from '../endings.ts';
import { adminPassword, type Serving } from '../process.ts';
import { pythonEnvironment } from '../python-environment.ts';

/** Random cases per operation, beside those that its schemas suggest; 8 take a minute. */
const casesPerOperation = isNightly ? 8 : 1;
/** Far more than a run takes on two cores. */
const runTimeoutMs = 5 * 60_000;

/** Ids that the session of the run lives by. */
async function keptIds(admin: Api): Promise<string[]> {
  const identity = await admin.ask('GET', `${management}/current-identity`);
  const { updb } = identity['authenticators'] as { readonly updb: { readonly id: string } };
  return [admin.sessionId, String(identity['id']), String(identity['authPolicyId']), updb.id];
}

interface Evaluated {
  readonly bin: string;
  readonly serving: Serving;
  readonly admin: Api;
}

async function evaluate(api: ApiName, { bin, serving, admin }: Evaluated): Promise<boolean> {
  const base = serving.url + basePaths[api];
  const args = [
    'run',
    `${base}/swagger.json`,
    '--tls-verify',
    join(serving.home, 'pki/ca.pem'),
    '--header',
    `zt-session: ${admin.token}`,
    '--checks',
    checks.join(','),
    '--phases',
    'coverage,fuzzing,stateful',
    '--max-examples',
    String(casesPerOperation),
    // Log-out is what ends a run.
    '--exclude-operation-id',
    'deleteCurrentApiSession',
    '--seed',
    '1',
    '--generation-database',
    'none',
    '--continue-on-failure',
    '--no-color',
    '--warnings',
    'off',
  ];
  const kept = (await keptIds(admin)).join(',');
  const child = spawn(join(bin, 'st'), args, {
    cwd: serving.home,
    env: {
      PATH: process.env['PATH'],
      SCHEMATHESIS_HOOKS: 'hooks',
      SCHEMATHESIS_KEPT_IDS: kept,
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: runTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const { status } = await admin.call('GET', `${management}/current-identity`);
  if (status !== 200) console.log(`the session of the run was ended by it: ${status}`);
  return code === 0 && status === 200;
}

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

/** All APIs of a controller with a small network. @returns whether nothing was found */
async function evaluateAll(endings: Endings): Promise<boolean> {
  const bin = pythonEnvironment('schemathesis', join(import.meta.dirname, 'requirements.txt'));
  const serving = await serveOnce(endings, temporaryDirectory(endings, 'schemathesis-'));
  const admin = await logIn(connect(endings, serving));
  await createNetwork(admin, 2);
  const password = 'the-password-of-somebody';
  await createUser(admin, 'somebody', password);
  let isClean = true;
  for (const api of apiNames) {
    isClean = (await evaluate(api, { bin, serving, admin })) && isClean;
  }
  return (await endsWell(serving, [adminPassword, password, admin.token])) && isClean;
}

await runStep(evaluateAll);
