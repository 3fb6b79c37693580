// `export` and `apply` against controller processes: what one controller has, another gets, and
// after that there is nothing to do. `NETWORK_ENTITIES=10000` makes the network as large.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { parse, stringify } from 'yaml';
import { authorityExtensions, Openssl } from '../../simulated/openssl.ts';
import { type Api, connect, createNetwork, type Json, logIn } from '../../system/client.ts';
import { runHere } from '../../system/command-here.ts';
import { furnish } from '../../system/furnished.ts';
import {
  adminPassword,
  type Ended,
  makeHome,
  roomOf,
  runToEnd,
  type Serving,
  serve,
} from '../../system/process.ts';

const entities = Number(process.env['NETWORK_ENTITIES'] ?? 300);
/** Keys of secrets, and the head of every JWT: certificates may hold its letters, but no point. */
const secretKeys = /\b(enrollment)?(jwt|token|password|verificationToken)"?:|eyJ[\w-]+\./i;
/** What a terminal must not be shown. */
const steering = '\u009b2J\u202eb';
/** Of a list: what the tests change. */
type Content = Record<string, Record<string, unknown>[]>;

async function command(to: Serving, words: readonly string[], input?: string) {
  return await runHere(argumentsFor(to, words), environment, input);
}

/** As `command`, as a process. */
async function commandAlone(t: Test, to: Serving, words: readonly string[], input?: string) {
  return await runToEnd(t, argumentsFor(to, words), environment, input);
}

const environment = { EDGE_ADMIN_PASSWORD: adminPassword };

function argumentsFor(to: Serving, [name = '', ...rest]: readonly string[]): string[] {
  return [name, '--home', to.home, '--url', to.url, ...rest];
}

function fileOf(t: Test, name: string, text: string): string {
  const path = join(roomOf(t), name);
  writeFileSync(path, text);
  return path;
}

function ends(t: Test, ended: Ended, code: number, out: RegExp | string = ''): void {
  t.equal(ended.code, code, `${ended.stdout.slice(-2000)}${ended.stderr.slice(-2000)}`);
  if (out !== '') t.match(ended.stdout + ended.stderr, out);
}

/** A network in which everything refers to something by name. */
async function build(t: Test, admin: Api): Promise<void> {
  const [service = ''] = await createNetwork(admin, 2);
  const openssl = new Openssl(roomOf(t));
  await furnish(admin, openssl, service);
  await buildUnset(admin, openssl);
  await admin.create('edge-routers', { name: 'branch', isTunnelerEnabled: true, cost: 7 });
  const signer = (await admin.all('external-jwt-signers'))[0] as { readonly id: string };
  const policy = (await admin.all('auth-policies', 'name = "strict"'))[0] as {
    readonly id: string;
  };
  await admin.ask('PATCH', `/edge/management/v1/auth-policies/${policy.id}`, {
    primary: { extJwt: { allowed: true, allowedSigners: [signer.id] } },
    secondary: { requireExtJwtSigner: signer.id },
  });
  await admin.ask('PATCH', `/edge/management/v1/external-jwt-signers/${signer.id}`, {
    enrollAuthPolicyId: policy.id,
    enrollToTokenEnabled: true,
  });
  const alice = await admin.create('identities', {
    name: 'alice',
    type: 'User',
    isAdmin: false,
    authPolicyId: policy.id,
    externalId: 'alice@corp.example',
    roleAttributes: ['staff', 'admins'],
    appData: { floor: 3 },
    tags: { owner: 'it', [steering]: `one\n${steering}` },
    serviceHostingCosts: { [service]: 10 },
    serviceHostingPrecedences: { [service]: 'required' },
    enrollment: { ott: true },
  });
  const [branch] = (await admin.all('identities', 'name = "branch"')) as { readonly id: string }[];
  await admin.create('service-policies', {
    name: 'by name',
    type: 'Dial',
    semantic: 'AllOf',
    identityRoles: [`@${alice}`, `@${branch?.id}`, '#staff'],
    serviceRoles: [`@${service}`],
    postureCheckRoles: ['#none'],
  });
}

/** Lists that were never set, and such that were set to empty. */
async function buildUnset(admin: Api, openssl: Openssl): Promise<void> {
  const { pem } = openssl.certificate({ subject: '/CN=Bare', extensions: authorityExtensions });
  await admin.create('cas', {
    name: 'bare',
    certPem: pem,
    identityRoles: null,
    isAuthEnabled: false,
    isOttCaEnrollmentEnabled: false,
    isAutoCaEnrollmentEnabled: false,
  });
  const service = { encryptionRequired: true };
  await admin.create('services', { name: 'unset', ...service });
  await admin.create('services', { name: 'empty', ...service, configs: [], roleAttributes: [] });
}

async function unsetOf(t: Test, serving: Serving): Promise<unknown> {
  const admin = await logIn(connect(t, serving));
  const [ca] = await admin.all('cas', 'name = "bare"');
  const services = await admin.all('services', 'name in ["unset", "empty"] sort by name');
  return { ca: ca?.['identityRoles'], services: services.map(listsOf) };
}

const listsOf = ({ configs, roleAttributes }: Json) => ({ configs, roleAttributes });

/** The rest of the entities: services with a config each, and identities. */
function crowd(count: number): object {
  const numbers = Array.from({ length: Math.ceil(count / 3) }, (_, number) => number);
  const attribute = (number: number) => `group-${number % 50}`;
  return {
    configs: numbers.map((number) => ({
      name: `crowd-${number}.host`,
      configType: 'host.v1',
      data: { protocol: 'tcp', address: `host-${number}.example`, port: 80 },
    })),
    services: numbers.map((number) => ({
      name: `crowd-${number}`,
      configs: [`crowd-${number}.host`],
      roleAttributes: [attribute(number)],
    })),
    identities: numbers.map((number) => ({
      name: `user-${number}`,
      roleAttributes: [attribute(number)],
    })),
  };
}

t.setTimeout(600_000);

t.test('what one controller has, another gets', async (t) => {
  const [first, second] = [await serve(t, makeHome(t)), await serve(t, makeHome(t))];
  const admin = await logIn(connect(t, first));
  await build(t, admin);
  const many = fileOf(t, 'crowd.json', JSON.stringify(crowd(entities)));
  const startedMs = performance.now();
  const filled = await command(first, ['apply', many, '--yes']);
  ends(
    t,
    filled,
    0,
    /^\d+ to create, 0 to update, 0 to delete, 0 as they should be\ndone: \d+ changes$/m,
  );
  const filledMs = performance.now();
  const exported = await commandAlone(t, first, ['export']);
  ends(t, exported, 0);
  t.equal(exported.stderr, '', 'nothing but the file');
  t.notOk(secretKeys.test(exported.stdout), 'no secrets');
  t.notMatch(exported.stdout, /[\u0080-\u009f\u202e]/, 'nothing that steers a terminal');
  const exportedMs = performance.now();
  const path = fileOf(t, 'network.yaml', exported.stdout);

  ends(
    t,
    await command(first, ['apply', path, '--dry-run', '--prune']),
    0,
    /^0 to create, 0 to update, 0 to delete/m,
  );
  const dryRun = await command(second, ['apply', path, '--dry-run', '--prune']);
  ends(t, dryRun, 3, /^\+ identities\/alice\n {4}type: "Default"\n/m);
  ends(t, await command(second, ['apply', path]), 2, 'there is nobody to ask, so give --yes');
  const appliedFromMs = performance.now();
  ends(t, await command(second, ['apply', path, '--yes', '--prune']), 0, /^done: \d+ changes$/m);
  const appliedMs = performance.now();
  ends(
    t,
    await command(second, ['apply', path, '--yes', '--prune']),
    0,
    /^0 to create, 0 to update, 0 to delete/m,
  );
  const againMs = performance.now();
  const empty = { configs: [], roleAttributes: [] };
  const unset = { configs: null, roleAttributes: null };
  for (const one of [first, second]) {
    t.same(await unsetOf(t, one), { ca: null, services: [empty, unset] });
  }
  const copy = await command(second, ['export']);
  t.ok(copy.stdout === exported.stdout, 'the copy is exported as the original is');
  const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(1)} s`;
  t.comment(
    `${entities} entities: fill ${seconds(startedMs, filledMs)}, export ${seconds(filledMs, exportedMs)}, ` +
      `apply ${seconds(appliedFromMs, appliedMs)}, apply again ${seconds(appliedMs, againMs)}`,
  );
  await t.test('lists that were never set', (t) => emptyUnset(t, second, path));
  await t.test('in the form of ziti', (t) => exchangeZitiForm(t, first));
  await t.test('changes and deletions', async (t) => {
    await change(t, second, parse(exported.stdout) as Content);
  });
  t.equal((await first.process.stop()).code, 0);
});

/** What the file has as never set becomes empty where something set it meanwhile. */
async function emptyUnset(t: Test, serving: Serving, path: string): Promise<void> {
  const admin = await logIn(connect(t, serving));
  const [config] = await admin.all('configs', 'name = "crowd-0.host"');
  const set = async (list: 'cas' | 'services', name: string, body: object) => {
    const [row] = await admin.all(list, `name = "${name}"`);
    await admin.ask('PATCH', `/edge/management/v1/${list}/${row?.['id']}`, body);
  };
  await set('services', 'unset', { configs: [config?.['id']], roleAttributes: ['new'] });
  await set('services', 'empty', { roleAttributes: ['new'] });
  await set('cas', 'bare', { identityRoles: ['new'] });
  const words = ['apply', path, '--prune'];
  const plan = await command(serving, [...words, '--dry-run']);
  ends(t, plan, 3);
  t.equal(
    plan.stdout.replace(/\d+ as they should be/, 'N as they should be'),
    `~ services/empty
    roleAttributes: ["new"] -> []
~ services/unset
    configs: ["crowd-0.host"] -> []
    roleAttributes: ["new"] -> []
~ certificateAuthorities/bare
    identityRoles: ["new"] -> []
services: 2 to update
certificateAuthorities: 1 to update
0 to create, 3 to update, 0 to delete, N as they should be
`,
  );
  ends(t, await command(serving, [...words, '--yes']), 0, 'done: 3 changes');
  ends(t, await command(serving, [...words, '--dry-run']), 0);
  const empty = { configs: [], roleAttributes: [] };
  t.same(await unsetOf(t, serving), { ca: [], services: [empty, empty] });
}

async function exchangeZitiForm(t: Test, first: Serving): Promise<void> {
  const third = await serve(t, makeHome(t));
  const ziti = await command(first, ['export', '--format', 'ziti']);
  const content = JSON.parse(ziti.stdout) as Content;
  t.notMatch(ziti.stdout, /[\u0080-\u009f\u202e]/);
  t.notOk(secretKeys.test(ziti.stdout) || /"(id|_links|createdAt)":/.test(ziti.stdout));
  const alice = content['identities']?.find(({ name }) => name === 'alice');
  t.match(alice, {
    authPolicy: '@strict',
    typeId: 'Default',
    roleAttributes: ['admins', 'staff'],
  });
  t.notOk(
    content['identities']?.some(({ isDefaultAdmin }) => isDefaultAdmin),
    'no administrator',
  );
  const configured = content['services']?.find(({ name }) => name === 'configured');
  t.same(configured?.['configs'], ['@intercept']);
  t.equal(content['configs']?.[0]?.['configType'], '@host.v1');
  const zitiPath = fileOf(t, 'ziti.json', ziti.stdout);
  const words = ['apply', zitiPath, '--format', 'ziti'];
  ends(t, await command(third, [...words, '--yes']), 0, /^done: \d+ changes$/m);
  ends(t, await command(third, [...words, '--dry-run']), 0);
}

async function change(t: Test, serving: Serving, content: Content): Promise<void> {
  const entry = (section: string, name: string) =>
    content[section]?.find((found) => found['name'] === name) ?? {};
  const without = (section: string, name: string) => {
    content[section] = (content[section] ?? []).filter((found) => found['name'] !== name);
  };
  entry('identities', 'alice')['roleAttributes'] = ['staff'];
  entry('authPolicies', 'strict')['secondary'] = { requireTotp: false };
  entry('postureChecks', 'MFA')['timeoutSeconds'] = 90;
  entry('certificateAuthorities', 'others')['externalIdClaim'] = { index: 1 };
  without('services', 'configured');
  without('configs', 'intercept');
  const path = fileOf(t, 'changed.yaml', stringify(content));
  const plan = await command(serving, ['apply', path, '--dry-run', '--prune']);
  ends(t, plan, 3);
  t.equal(
    plan.stdout.replace(/\d+ as they should be/, 'N as they should be'),
    `~ postureChecks/MFA
    timeoutSeconds: 60 -> 90
~ certificateAuthorities/others
    externalIdClaim.index: 0 -> 1
~ authPolicies/strict
    secondary.requireTotp: true -> false
~ identities/alice
    roleAttributes: ["admins","staff"] -> ["staff"]
- services/configured
- configs/intercept
configs: 1 to delete
services: 1 to delete
postureChecks: 1 to update
certificateAuthorities: 1 to update
authPolicies: 1 to update
identities: 1 to update
0 to create, 4 to update, 2 to delete, N as they should be
`,
  );
  ends(t, await command(serving, ['apply', path, '--yes', '--prune']), 0, 'done: 6 changes');
  ends(
    t,
    await commandAlone(t, serving, ['apply', '-', '--yes', '--prune'], readFileSync(path, 'utf8')),
    0,
  );
  const admin = await logIn(connect(t, serving));
  const [strict] = (await admin.all('auth-policies', 'name = "strict"')) as Json[];
  t.match(
    strict,
    { secondary: { requireTotp: false, requireExtJwtSigner: /./ } },
    'only what is named',
  );
  t.equal((await admin.all('identities', 'isDefaultAdmin = true')).length, 1, 'kept');
  t.equal((await admin.all('identities', 'name = "branch"')).length, 1, 'the router has it');

  entry('postureChecks', 'MFA')['typeId'] = 'MAC';
  entry('configs', 'crowd-0.host')['configType'] = 'host.v2';
  const fixed = fileOf(t, 'fixed.yaml', stringify(content));
  const refused = await command(serving, ['apply', fixed, '--yes']);
  ends(
    t,
    refused,
    2,
    /configs\[\d+\]\.configType \(line \d+\): cannot be changed, it is "host.v1"/,
  );
  t.match(refused.stderr, /postureChecks\[\d+\]\.typeId \(line \d+\): cannot be changed/);
  t.match(refused.stderr, '2 faults; nothing was changed');
}

t.test('what the controller refuses, and what is in use, is said', async (t) => {
  const serving = await serve(t, makeHome(t));
  const bad = fileOf(
    t,
    'bad.yaml',
    'configs:\n  - name: c\n    configType: host.v1\n    data: { port: 1 }\nservices:\n  - { name: s, configs: [c] }\n',
  );
  ends(
    t,
    await command(serving, ['apply', bad, '--yes']),
    1,
    /create configs\/c: .*COULD_NOT_VALIDATE/,
  );
  const missing = fileOf(t, 'missing.yaml', 'services:\n  - { name: s, configs: [c] }\n');
  ends(t, await command(serving, ['apply', missing]), 2, /services\[0\]\.configs\[0\] \(line 2\)/);
  const unknown = fileOf(t, 'unknown.yaml', 'postureChecks:\n  - { name: p, typeId: MOON }\n');
  ends(t, await command(serving, ['apply', unknown]), 2, /typeId \(line 2\): must be one of OS, /);
  ends(t, await command(serving, ['apply', '/nowhere.yaml']), 2, 'cannot be read');
  const nobody = { ...serving, url: 'https://127.0.0.1:1' };
  ends(t, await command(nobody, ['export']), 2, /^edge-control: .* cannot be asked: .*\n$/);
  ends(t, await command(serving, ['export', '--format', 'xml']), 2, 'must be one of yaml');
  const options = { EDGE_ADMIN_PASSWORD: 'not-the-password' };
  const words = ['export', '--home', serving.home, '--url', serving.url];
  const refused = await runHere(words, options);
  ends(t, refused, 2, 'refused to log admin in');
  t.notMatch(refused.stderr, 'not-the-password');
  const pruned = fileOf(
    t,
    'pruned.yaml',
    'services:\n  - { name: s, configs: [c] }\nconfigs: []\n',
  );
  const good = fileOf(
    t,
    'good.yaml',
    'configs:\n  - { name: c, configType: host.v1, data: { protocol: tcp, address: a, port: 1 } }\nservices:\n  - { name: s, configs: [c] }\n',
  );
  ends(t, await command(serving, ['apply', good, '--yes']), 0, 'done: 2 changes');
  ends(
    t,
    await command(serving, ['apply', pruned, '--yes', '--prune']),
    2,
    'names nothing in configs',
  );
});
