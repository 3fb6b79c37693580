// `access` and `explain`: who may use what, and why.

import { join } from 'node:path';
import { t } from 'tap';
import { Person, stage } from './person.ts';

const { person, run, serving } = await stage(t);
const ca = join(serving.home, 'pki/ca.pem');

async function made(...words: string[]): Promise<void> {
  const said = await run(...words);
  if (said.code !== 0) throw new Error(said.err);
}

t.before(async () => {
  const host = 'north hall printer host';
  await made('create', 'identity', 'clerk', '--roles', 'staff');
  await made('create', 'identity', host, '--roles', 'hosts');
  await made('create', 'identity', 'visitor');
  await made('create', 'er', 'edge-1', '--roles', 'public');
  await made('create', 'er', 'edge-2');
  const data =
    '{"protocols":["tcp"],"addresses":["printer.hall"],"portRanges":[{"low":9100,"high":9100}]}';
  await made('create', 'config', 'printer', '--config-type', 'intercept.v1', '--data', data);
  await made('create', 'svc', 'printer', '--roles', 'printers', '--configs', 'printer');
  const policy = ['--service-roles', 'printers', '--identity-roles'];
  await made('create', 'sp', 'staff print', '--type', 'Dial', ...policy, 'staff');
  await made('create', 'sp', 'hosts print', '--type', 'Bind', ...policy, 'hosts');
  const routers = ['--edge-router-roles', 'public'];
  await made('create', 'erp', 'staff routers', '--identity-roles', 'staff,hosts', ...routers);
  await made('create', 'serp', 'all', '--service-roles', 'all', '--edge-router-roles', 'all');
});

t.test('a service shows who may use it, and an identity what it may use', async (t) => {
  t.equal(
    (await run('access', 'service', 'printer')).out,
    [
      'IDENTITY                 MAY   BY POLICY    ROUTERS ONLINE  STATE',
      'clerk                    dial  staff print  0 of 1          enabled',
      'north hall printer host  bind  hosts print  0 of 1          enabled',
      '',
    ].join('\n'),
  );
  t.equal(
    (await run('access', 'identity', 'clerk')).out,
    [
      'SERVICE  ADDRESS                MAY   BY POLICY    ROUTERS ONLINE  HOSTS  POSTURE',
      'printer  tcp printer.hall:9100  dial  staff print  0 of 1          0      passes',
      '',
    ].join('\n'),
  );
  t.equal(
    (await run('access', 'er', 'edge-1')).out,
    [
      'IDENTITY                 SERVICE  MAY   BY POLICY    ROUTERS ONLINE  HOSTS  STATE',
      'clerk                    printer  dial  staff print  0 of 1          0      enabled',
      'north hall printer host  printer  bind  hosts print  0 of 1          0      enabled',
      '',
    ].join('\n'),
  );
  const none = await run('access', 'identity', 'visitor', '-o', 'json');
  t.equal(none.out, '[]\n');
  t.match((await run('access', 'er', 'edge-2')).out, /^IDENTITY .*STATE\n$/);
});

t.test('pairs come in the forms of a list', async (t) => {
  const json = await run('access', 'service', 'printer', '-o', 'json');
  t.match(JSON.parse(json.out), [
    {
      identity: { name: 'clerk', disabled: false },
      service: { name: 'printer', address: 'tcp printer.hall:9100' },
      may: 'dial',
      policies: [{ name: 'staff print' }],
      routers: { total: 1, online: 0 },
      hosts: 0,
      posture: 'passes',
    },
    { identity: { name: 'north hall printer host' }, may: 'bind' },
  ]);
  t.match((await run('access', 'service', 'printer', '-o', 'yaml')).out, /^- identity:\n/);
  t.match((await run('access', 'svc', 'printer', '-o', 'wide')).out, /STATE {4}HOSTS {2}POSTURE\n/);
  const two = ['access', 'service', 'printer', '--columns', 'may,identity', '--no-headers'];
  t.equal((await run(...two)).out, 'dial  clerk\nbind  north hall printer host\n');
  const narrow = await person.types(['access', 'service', 'printer'], { columns: 60 });
  t.ok(narrow.out.split('\n').every((line) => line.length <= 60));
});

t.test('a wrong question is refused before anything is sent', async (t) => {
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['nonsense', 'x'], 2, /there is no kind "nonsense"/],
    [['config', 'printer'], 2, /access does not exist for configs: it takes identity, service/],
    [['service', 'printer', '-o', 'name'], 2, /access lists pairs, which have no name/],
    [['service', 'printer', '--columns', 'colour'], 2, /pairs have no column "colour"/],
    [['service', 'printr'], 4, /there is no service "printr"\. Similar: printer\./],
  ];
  for (const [words, code, message] of cases) {
    t.match(await run('access', ...words), { code, out: '', err: message }, words.join(' '));
  }
});

t.test('who lacks a right gets exit code 5', async (t) => {
  await made('create', 'identity', 'reader', '--permissions', 'identity,service');
  await person.types(['password', 'reader'], { answers: ['correct horse'] });
  const other = new Person(t);
  const login = ['login', serving.url, '--user', 'reader', '--ca', ca];
  const said = await other.types(login, { answers: ['correct horse'] });
  t.equal(said.code, 0, said.err);
  t.match(await other.types(['access', 'identity', 'clerk']), { code: 5, out: '' });
  const rights = 'identity,service,config,router,terminator,service-policy,edge-router-policy';
  const all = `${rights},service-edge-router-policy`;
  await made('update', 'identity', 'reader', '--permissions', all);
  for (const words of [
    ['identity', 'clerk'],
    ['service', 'printer'],
    ['er', 'edge-1'],
  ]) {
    const { out } = await run('access', ...words);
    t.match(await other.types(['access', ...words]), { code: 0, out }, words.join(' '));
  }
});

t.test('several policies are one row, and checks are evaluated for an identity', async (t) => {
  const systems = '[{"type":"Linux","versions":[]}]';
  await made(
    'create',
    'pc',
    'linux',
    '--type',
    'OS',
    '--roles',
    'managed',
    '--operating-systems',
    systems,
  );
  const policy = ['create', 'sp', '--type', 'Dial', '--service-roles', '@printer'];
  const all = ['--identity-roles', '@clerk,#staff', '--semantic', 'AllOf'];
  await made(...policy, 'also', ...all);
  const both = await run('access', 'identity', 'clerk', '--columns', 'by policy,posture');
  t.match(both.out, /^(also, staff print|staff print, also) {2}passes$/m);
  const guard = ['--identity-roles', '@visitor', '--posture-check-roles', 'managed'];
  await made(...policy, 'guarded', ...guard);
  const guarded = await run('access', 'identity', 'visitor');
  t.match(guarded.out, /^printer .* guarded +none +0 +fails$/m);
  const wide = await run('access', 'svc', 'printer', '-o', 'wide');
  t.match(wide.out, /^visitor +dial {2}guarded +none +enabled +0 +unknown$/m);
  await made('delete', 'sp', 'also', 'guarded', '--yes');
  await made('delete', 'pc', 'linux', '--yes');
});

t.test('an explanation ends with the one command that would help', async (t) => {
  t.equal(
    (await run('explain', 'visitor', 'printer.hall:9100')).out,
    [
      'Dial is refused.',
      "- No Dial policy links identity 'visitor' and service 'printer': policy 'staff print' " +
        'selects the service by #printers but not the identity, which lacks #staff.',
      "- No edge router policy selects identity 'visitor', so it has no edge router.",
      "- Identity 'visitor' has no API session: it has to log in. Without one, MFA checks fail.",
      'Try: edge-control update identity visitor --roles +staff',
      '',
    ].join('\n'),
  );
  const tried = async (...words: string[]) => {
    const { out } = await run('explain', ...words);
    return /^Try: edge-control (.*)$/m.exec(out)?.[1];
  };
  t.equal(await tried('clerk', 'printer'), 'enroll edge-1 --out edge-1.jwt');
  await made('disable', 'clerk');
  t.equal(await tried('clerk', 'printer'), 'enable clerk');
  await made('enable', 'clerk');
  await made('create', 'svc', "wiki's", '--roles', 'pages');
  t.equal(
    await tried('visitor', "wiki's"),
    "create sp 'visitor wiki'\\''s' --type Dial --identity-roles @visitor --service-roles '@wiki'\\''s'",
  );
  await made('create', 'sp', 'a', '--type', 'Dial', '--service-roles', 'pages');
  t.equal(await tried('visitor', "wiki's"), 'update sp a --identity-roles +@visitor');
  await made('update', 'sp', 'a', '--identity-roles', 'x,y');
  t.equal(await tried('visitor', "wiki's"), undefined, 'either attribute would do');
  await made('update', 'sp', 'a', '--semantic', 'AllOf');
  t.equal(await tried('visitor', "wiki's"), 'update identity visitor --roles +x,+y');
  await made('update', 'identity', 'visitor', '--roles', 'x,y');
  t.equal(
    await tried('visitor', "wiki's"),
    "create erp 'visitor routers' --identity-roles @visitor --edge-router-roles @edge-1,@edge-2",
  );
  await made('create', 'erp', 'visitor routers', '--identity-roles', '@visitor');
  t.equal(await tried('visitor', "wiki's"), undefined, 'the policy waits for routers');
  await made('delete', 'erp', 'visitor routers', '--yes');
  await made('delete', 'sp', 'a', '--yes');
  await made('delete', 'svc', "wiki's", '--yes');
  await made('update', 'identity', 'visitor', '--roles', '');
});

t.test('--all adds policies, checks and routers as tables', async (t) => {
  const { out, code } = await run('explain', 'visitor', 'printer', '--all');
  t.equal(code, 0);
  t.match(out, /^- No Bind policy links /m);
  t.match(
    out,
    [
      '',
      'POLICY       TYPE                 IDENTITY      SERVICE    ROUTERS  POSTURE',
      'staff print  Dial                 lacks #staff  #printers           passes',
      'hosts print  Bind                 lacks #hosts  #printers           passes',
      'all          service-edge-router                #all       2',
      '',
      'ROUTER  STATE         USABLE BY',
      'edge-1  not enrolled  service',
      'edge-2  not enrolled  service',
      '',
    ].join('\n'),
  );
  await made('create', 'pc', 'mfa', '--type', 'MFA', '--roles', 'managed');
  const guard = ['--identity-roles', '@visitor', '--service-roles', '@printer'];
  await made('create', 'sp', 'g', '--type', 'Dial', ...guard, '--posture-check-roles', 'managed');
  const guarded = await run('explain', 'visitor', 'printer', '--all');
  t.match(guarded.out, /^CHECK {2}POLICY {2}TYPE {2}RESULT {2}WHY\nmfa {4}g {7}MFA {3}fails {3}/m);
  t.notMatch(guarded.out, 'Try: ', 'posture is the business of the endpoint');
  await made('delete', 'sp', 'g', '--yes');
});
