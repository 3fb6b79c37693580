// Uses the stock command line `ziti` as people do every day, logged in by OIDC with tokens of a few
// seconds: `ROUTER_BIN=/path/to/ziti node test/system/ziti-login/run.ts`. Exit code 75: no
// `ROUTER_BIN`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { connect, logIn, management } from '../client.ts';
import {
  type Endings,
  endsWell,
  Lacking,
  runStep,
  serveOnce,
  temporaryDirectory,
} from '../endings.ts';
import { adminPassword } from '../process.ts';
import { ZitiCommand } from '../ziti-fabric/ziti-command.ts';

/** Lifetime of access tokens. */
const accessTokenSeconds = 5;

await runStep(async (endings) => {
  const binary = process.env['ROUTER_BIN'];
  if (binary === undefined) throw new Lacking('ROUTER_BIN names no binary of OpenZiti');
  return await everyDay(endings, binary);
});

async function everyDay(endings: Endings, binary: string): Promise<boolean> {
  const directory = temporaryDirectory(endings, 'edge-control-ziti-');
  const config = { oidc: { accessTokenMinutes: accessTokenSeconds / 60 } };
  const serving = await serveOnce(endings, directory, config);
  const admin = await logIn(connect(endings, serving));
  const home = temporaryDirectory(endings, 'edge-control-ziti-home-');
  const ziti = new ZitiCommand(endings, binary, home);
  await ziti.logIn(serving);
  const kept = readFileSync(join(home, '.config/ziti/ziti-cli.json'), 'utf8');
  expect(/"type": *"oidc"/.test(kept), 'the login is of the type oidc');
  await ziti.must('edge', 'create', 'identity', 'desk', '-a', 'all');
  await setTimeout(2 * accessTokenSeconds * 1000);
  const { stdout } = await ziti.must('edge', 'list', 'identities', 'name = "desk"', '-j');
  expect(stdout.includes('"desk"'), 'the login renews by itself after two lifetimes of its token');
  const rows = await admin.all('identities');
  const desk = String(rows.find(({ name }) => name === 'desk')?.['id']);
  await ziti.must('edge', 'create', 'revocation', 'identity', desk);
  const found = await admin.ask('GET', `${management}/revocations/${desk}`);
  expect(found['type'] === 'IDENTITY', 'a revocation of an identity');
  const sessions = await admin.all('api-sessions');
  const own = sessions.filter(({ type }) => type === 'jwt');
  expect(own.length === 1, `one session by OIDC, which all commands shared: ${own.length}`);
  await ziti.mustFail(
    /./,
    'edge',
    'login',
    serving.url,
    '-u',
    'admin',
    '-p',
    'wrong-password',
    '-y',
  );
  return await endsWell(serving, [adminPassword]);
}

function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not so: ${what}`);
  console.log(what);
}
