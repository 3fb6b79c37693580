// Runs schemathesis (PyPI) against a controller of its own: `node test/system/schemathesis/run.ts`.
//
// It sends bodies and parameters that the OpenAPI documents allow, and such that they don't, and
// holds every answer against them. Exit code 0: no finding; 1: findings, or it could not be
// installed; 75: there is no Python to run it.

import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, connect, createNetwork, createUser, logIn, management } from '../client.ts';
import { cheapHashes, type Serving, serve } from '../process.ts';

const root = join(import.meta.dirname, '../../..');
/** Ignored by git; made anew when the requirements change. */
const environment = join(root, '.tap/schemathesis');
const requirements = join(import.meta.dirname, 'requirements.txt');

/** Cases of an operation beside those that its schemas suggest: the run is to take a minute. */
const casesPerOperation = 8;
/** Far more than a run takes on two cores. */
const runTimeoutMs = 5 * 60_000;

/** What sysexits.h calls a failure of the surroundings. */
const noPython = 75;

type Teardown = () => unknown;

/** Stands in for the test that `process.ts` and `client.ts` are handed. */
class Endings {
  readonly #all: Teardown[] = [];

  teardown(done: Teardown): void {
    this.#all.unshift(done);
  }

  async run(): Promise<void> {
    for (const done of this.#all) await done();
  }
}

/** Installs what the requirements name, unless it is there. @returns the exit code of a failure */
function install(): number | undefined {
  const wanted = readFileSync(requirements, 'utf8');
  const mark = join(environment, 'installed.txt');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return undefined;
  rmSync(environment, { recursive: true, force: true });
  if (spawnSync('python3', ['-m', 'venv', '--help']).status !== 0) {
    console.log('skipped: there is no python3 with the module venv');
    return noPython;
  }
  const pip = join(environment, 'bin/pip');
  const steps = [
    () => command('python3', ['-m', 'venv', environment]),
    () => command(pip, ['install', '--quiet', '--disable-pip-version-check', '-r', requirements]),
  ];
  for (const step of steps) {
    if (step().status !== 0) {
      console.log('schemathesis could not be installed from PyPI');
      return 1;
    }
  }
  writeFileSync(mark, wanted);
  return undefined;
}

function command(name: string, args: readonly string[]): SpawnSyncReturns<Buffer> {
  return spawnSync(name, args, { stdio: 'inherit' });
}

/** Ids that the session of the run lives by. */
async function keptIds(admin: Api): Promise<string[]> {
  const identity = await admin.ask('GET', `${management}/current-identity`);
  const { updb } = identity['authenticators'] as { readonly updb: { readonly id: string } };
  return [admin.sessionId, String(identity['id']), String(identity['authPolicyId']), updb.id];
}

async function judge(api: 'client' | 'management', serving: Serving, admin: Api): Promise<boolean> {
  const base = `${serving.url}/edge/${api}/v1`;
  const args = [
    ...['run', `${base}/swagger.json`, '--tls-verify', join(serving.home, 'pki/ca.pem')],
    ...['--header', `zt-session: ${admin.token}`],
    ...['--checks', checks.join(',')],
    ...['--phases', 'coverage,fuzzing,stateful', '--max-examples', String(casesPerOperation)],
    // Log-out is what ends a run.
    ...['--exclude-operation-id', 'deleteCurrentApiSession'],
    ...['--seed', '1', '--generation-database', 'none', '--continue-on-failure'],
    ...['--no-color', '--warnings', 'off'],
  ];
  const kept = (await keptIds(admin)).join(',');
  const child = spawn(join(environment, 'bin/st'), args, {
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

/** Both APIs of a controller with a small network. @returns whether nothing was found */
async function judgeBoth(endings: Endings): Promise<boolean> {
  const home = mkdtempSync(join(tmpdir(), 'schemathesis-'));
  endings.teardown(() => rmSync(home, { recursive: true, force: true }));
  const config = JSON.stringify({ argon2: cheapHashes, tlsWorkers: 1 });
  writeFileSync(join(home, 'config.json'), config, { mode: 0o600 });
  const serving = await serve(endings, home);
  const admin = await logIn(connect(endings, serving));
  await createNetwork(admin, 2);
  await createUser(admin, 'somebody', 'the-password-of-somebody');
  let isClean = true;
  for (const api of ['client', 'management'] as const) {
    isClean = (await judge(api, serving, admin)) && isClean;
  }
  const { code, stderr } = await serving.process.stop();
  const complaints = stderr.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line));
  for (const line of complaints) console.log(line);
  if (code !== 0) console.log(`the controller ended with ${code}`);
  return isClean && code === 0 && complaints.length === 0;
}

async function main(): Promise<number> {
  const failure = install();
  if (failure !== undefined) return failure;
  const endings = new Endings();
  try {
    return (await judgeBoth(endings)) ? 0 : 1;
  } finally {
    await endings.run();
  }
}

process.exitCode = await main();
