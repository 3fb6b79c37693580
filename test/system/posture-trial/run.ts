// Tries which posture checks a dial of the stock Go SDK passes, by API session and by OIDC, and one
// of the C SDK by API session, and prints the table of `docs/routers.md`:
// `ROUTER_BIN=/path/to/ziti node test/system/posture-trial/run.ts`; words select types of checks.
// Exit code 75: no `ROUTER_BIN`, no Go or Python to run the SDKs with, or their packages were not
// to be had.

import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type Json, management } from '../client.ts';
import { type Endings, Lacking, runStep } from '../endings.ts';
import { buildGo } from '../openziti-go/build.ts';
import { dialWithin, mustFail } from '../overlay/dials.ts';
import { type MadeUser, until } from '../overlay/network.ts';
import { Overlay } from '../overlay/overlay.ts';
import type { Program } from '../process.ts';
import { pythonEnvironment } from '../python-environment.ts';
import { stockRouters } from '../stock-router/stock-router.ts';

/** A check that this machine passes, and the same check as it does not. */
interface Trial {
  readonly name: string;
  readonly passes: Json;
  readonly fails: Json;
  /** Whether the client needs a second factor, which the package of the C SDK does not offer. */
  readonly isMfa?: true;
}

/** What became of a trial: who refused, or that both was as it should be. */
type Verdict = 'passes' | 'refused' | 'not refused';

/** The SDK reports posture in its own time. */
const reportMs = 20_000;
/** A second factor waits for its next code, and the C SDK looks at its services once a minute. */
const slowMs = 70_000;

await runStep(async (endings) => {
  const binary = process.env['ROUTER_BIN'];
  if (binary === undefined) throw new Lacking('ROUTER_BIN names no router');
  const program = buildGo('./traffic');
  const words = process.argv.slice(2);
  const trials = trialsOf(program).filter(({ name }) => words.length === 0 || words.includes(name));
  const stock = { binary, program };
  const byApiSession = await tryAll(endings, { ...stock, announce: 'management' }, trials);
  const byOidc = await tryAll(endings, { ...stock, announce: 'all' }, trials);
  const user = clientOfC();
  const withoutMfa = trials.filter(({ isMfa }) => isMfa !== true);
  const byC = await tryAll(endings, { ...stock, user, announce: 'management' }, withoutMfa);
  console.log(
    '| check | Go, by API session | Go, by OIDC | C, by API session |\n|---|---|---|---|',
  );
  for (const { name } of trials) {
    console.log(
      `| ${name} | ${[byApiSession, byOidc, byC].map((by) => by.get(name) ?? 'not tried').join(' | ')} |`,
    );
  }
  // What a client does not report is refused; what has lapsed must be.
  return [byApiSession, byOidc, byC].every((by) => ![...by.values()].includes('not refused'));
});

/** The program of the C SDK. @throws Lacking */
function clientOfC(): Program {
  const python = join(import.meta.dirname, '../openziti-python');
  const bin = pythonEnvironment('openziti-python', join(python, 'requirements.txt'));
  return [join(bin, 'python'), '-B', join(import.meta.dirname, 'c-dials.py')];
}

interface Client {
  readonly binary: string;
  readonly program: string;
  /** How the controller announces OIDC. */
  readonly announce: string;
  /** The program that dials, if another than the one that hosts. */
  readonly user?: Program;
}

function trialsOf(program: string): readonly Trial[] {
  const os = (type: string, versions: readonly string[]) => ({
    typeId: 'OS',
    operatingSystems: [{ type, versions }],
  });
  // By the hash, as the report of a process is kept under the id of its check.
  const ofProcess = (hashes: readonly string[]) => ({
    typeId: 'PROCESS',
    process: { osType: 'Linux', path: program, hashes },
  });
  const ofProcesses = (path: string) => ({
    typeId: 'PROCESS_MULTI',
    semantic: 'AllOf',
    processes: [{ osType: 'Linux', path }],
  });
  const domains = (...names: readonly string[]) => ({ typeId: 'DOMAIN', domains: names });
  const mac = (...macAddresses: readonly string[]) => ({ typeId: 'MAC', macAddresses });
  const addresses = Object.values(networkInterfaces()).flatMap((ones) =>
    (ones ?? []).filter(({ internal }) => !internal).map((one) => one.mac),
  );
  const elsewhere = '/nowhere/no-program';
  const mfa = (timeoutSeconds: number) => ({ typeId: 'MFA', timeoutSeconds });
  const trials: Trial[] = [
    { name: 'OS', passes: os('Linux', []), fails: os('Windows', []) },
    { name: 'PROCESS', passes: ofProcess([]), fails: ofProcess(['ab'.repeat(64)]) },
    { name: 'PROCESS_MULTI', passes: ofProcesses(program), fails: ofProcesses(elsewhere) },
  ];
  if (addresses.length > 0) {
    trials.push({ name: 'MAC', passes: mac(...addresses), fails: mac('02:00:00:00:00:ff') });
  }
  // No SDK reports a domain on Linux, so nothing that it might be is known.
  trials.push({ name: 'DOMAIN', passes: domains('localdomain'), fails: domains('elsewhere') });
  const expired = { isMfa: true, fails: mfa(1) } as const;
  trials.push({ name: 'MFA', passes: mfa(-1), ...expired });
  trials.push({ name: 'MFA_WITHIN_AN_HOUR', passes: mfa(3600), ...expired });
  return trials;
}

/** Starts a network whose clients log in as it announces, and tries each check in it. */
async function tryAll(
  endings: Endings,
  { binary, program, announce, user: command }: Client,
  trials: readonly Trial[],
): Promise<ReadonlyMap<string, Verdict>> {
  const overlay = new Overlay(endings, stockRouters(binary), program, {
    oidc: { announce },
    // The C SDK 0.29.3 takes signatures of EC keys for DER, which those of JWTs are not.
    pki: { keyType: command === undefined ? 'ec-p256' : 'rsa-2048' },
  });
  await overlay.open();
  for (const kind of ['edge-router-policies', 'service-edge-router-policies']) {
    const members = kind === 'edge-router-policies' ? 'identityRoles' : 'serviceRoles';
    const all = { name: 'all', semantic: 'AnyOf', [members]: ['#all'], edgeRouterRoles: ['#all'] };
    await overlay.admin.create(kind, all);
  }
  const checks = new Map<string, string>();
  for (const trial of trials) checks.set(trial.name, await createGuarded(overlay, trial));
  const router = await overlay.router('near');
  await overlay.isOnline(router.id, 60_000);
  const host = await overlay.user('host', ['host']);
  const user = await overlay.user('user', ['user'], { ...(command !== undefined && { command }) });
  const verdicts = new Map<string, Verdict>();
  for (const trial of trials) {
    await host.traffic.ask({ do: 'host', service: trial.name });
    if (trial.isMfa === true) await user.traffic.ask({ do: 'mfa' });
    await overlay.terminators(trial.name);
    const path = `${management}/posture-checks/${checks.get(trial.name)}`;
    const verdict = await tryOne(
      user,
      trial,
      trial.isMfa === true || command !== undefined,
      (body) => overlay.admin.ask('PATCH', path, body),
      () => overlay.admin.ask('GET', `${management}/identities/${user.id}/posture-data`),
    );
    console.log(`${announce}: ${trial.name} ${verdict}`);
    verdicts.set(trial.name, verdict);
  }
  await isOfSort(overlay, user, announce === 'all' ? 'jwt' : 'legacy');
  console.log(`the logs of ${announce} are in ${overlay.keepLogs()}`);
  await overlay.close();
  return verdicts;
}

/** A service that the host may host, and the user may dial if the check passes. */
async function createGuarded({ admin }: Overlay, { name, passes }: Trial): Promise<string> {
  await admin.create('services', { name, encryptionRequired: true, roleAttributes: [name] });
  const check = { name, roleAttributes: [name], ...passes };
  const id = await admin.create('posture-checks', check);
  for (const [type, attribute] of [
    ['Bind', 'host'],
    ['Dial', 'user'],
  ] as const) {
    await admin.create('service-policies', {
      name: `${type} ${name}`,
      type,
      semantic: 'AnyOf',
      identityRoles: [`#${attribute}`],
      serviceRoles: [`#${name}`],
      postureCheckRoles: type === 'Dial' ? [`#${name}`] : [],
    });
  }
  return id;
}

async function tryOne(
  user: MadeUser,
  { name, fails }: Trial,
  isSlow: boolean,
  change: (body: Json) => Promise<unknown>,
  told: () => Promise<unknown>,
): Promise<Verdict> {
  try {
    await dialWithin(user, isSlow ? slowMs : reportMs, name);
  } catch (thrown) {
    console.log(String(thrown));
    console.log(`what the controller was told: ${JSON.stringify(await told())}`);
    return 'refused';
  }
  await change(fails);
  const isRefused = async () => {
    const refused = mustFail(() => user.traffic.ask({ do: 'dial', service: name, times: 1 }));
    return await refused.then(
      () => true,
      () => undefined,
    );
  };
  return await until('the dial is refused', reportMs, isRefused).then(
    () => 'passes',
    () => 'not refused',
  );
}

async function isOfSort({ admin }: Overlay, user: MadeUser, sort: string): Promise<void> {
  const sessions = await admin.all('api-sessions', `identity="${user.id}"`);
  const sorts = sessions.map(({ type }) => type);
  if (!sorts.includes(sort)) throw new Error(`its sessions are of the sorts ${sorts.join()}`);
}
