// `list`, `get`, `create`, `update` and `delete` against a controller.

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { roomOf } from '../../system/process.ts';
import { stage } from './person.ts';

const { person, run } = await stage(t);

/** Kinds of which a test may leave entities, in the order in which they can be deleted. */
const left = ['sp', 'erp', 'serp', 'svc', 'config', 'er', 'identity'];

t.beforeEach(async () => {
  for (const kind of left) {
    const filter = kind === 'identity' ? 'isAdmin = false' : 'isSystem = false';
    const said = await run('delete', kind, '--filter', filter, '--yes');
    if (said.code !== 0) throw new Error(said.err);
  }
});

t.test('a table of identities fits the terminal, and is whole in a pipe', async (t) => {
  const roles = 'printers-north,site-north,hosts';
  t.match(await run('create', 'identity', 'clerk', '--roles', 'staff'), {
    code: 0,
    out: /^created identity clerk \(\S{10}\)\n$/,
  });
  const host = 'north hall printer host';
  t.equal((await run('create', 'id', host, '--role-attributes', roles)).code, 0);
  const ids = (text: string) => text.replaceAll(/\S{10,12}$/gm, 'ID');
  const list = ['list', 'identities', '--columns', 'name,roles,state,online,auth policy'];
  const wide = await person.types(list);
  t.equal(
    wide.out,
    [
      'NAME                     ROLES                            STATE    ONLINE  AUTH POLICY',
      'admin                                                     enabled  no      Default',
      'clerk                    staff                            enabled  no      Default',
      'north hall printer host  hosts,printers-north,site-north  enabled  no      Default',
      '',
    ].join('\n'),
  );
  const narrow = await person.types(['list', 'identities'], { columns: 80 });
  t.ok(narrow.out.split('\n').every((line) => line.length <= 80));
  t.match(ids(narrow.out), /^NAME +ROLES +LOGIN +STATE +ID$/m);
  t.match(narrow.out, /^north hall printer host {2}hosts,printers-no.*… {2}none/m);
  const sensible = await person.types(['list', 'identities'], { columns: 120 });
  t.match(sensible.out, /^NAME +ROLES +LOGIN +STATE +ONLINE +AUTH POLICY +ID$/m);
  const tiny = await person.types(['list', 'identities'], { columns: 20 });
  t.match(tiny.out, /^north h… /m);
});

t.test('names and ids are resolved in the same way everywhere', async (t) => {
  const created = await run('create', 'identity', 'clerk', '-o', 'id');
  const id = created.out.trim();
  await run('create', 'identity', 'mark');
  t.match(await run('get', 'identity', 'clark'), {
    code: 4,
    out: '',
    err: 'edge-control: there is no identity "clark". Similar: clerk, mark.\n',
  });
  t.equal((await run('get', 'identity', id, '-o', 'name')).out, 'identity/clerk\n');
  await run('create', 'identity', id);
  const clash = await run('get', 'identity', id);
  t.equal(clash.code, 4);
  t.match(clash.err, `Write name:${id} or id:${id}.`);
  t.equal((await run('get', 'identity', `id:${id}`, '-o', 'name')).out, 'identity/clerk\n');
  t.equal((await run('get', 'identity', `name:${id}`, '-o', 'name')).out, `identity/${id}\n`);
  const failed = await run('get', 'identity', 'nobody at all', '-o', 'json');
  const { error } = JSON.parse(failed.err) as { error: Record<string, unknown> };
  t.match(error, { code: 'NOT_FOUND', exitCode: 4 });
  for (const name of ['a "quoted" one', '#staff', '@clerk', 'a,b=c', '語 wide', 'x'.repeat(1000)]) {
    t.match(await run('create', 'identity', name), { code: 0 }, name);
    t.match(await run('get', 'identity', name, '-o', 'name'), { code: 0 }, name);
  }
  t.match(await run('create', 'identity', 'evil\u001b[31m'), { code: 1 });
  t.match(await run('list', 'nonsense'), { code: 2, err: /there is no kind "nonsense"/ });
  t.match(await run('list', 'servces'), { code: 2, err: /Did you mean services\?/ });
});

t.test('an id that looks like a flag is written as id:…', async (t) => {
  for (const id of ['-63w5SELEa', '--yes', '_.7Dw5dEL2']) {
    const created = await run(
      'create',
      'router',
      'far',
      `--id=${id}`,
      '--cost',
      '0',
      '--traversal',
    );
    t.match(created, { code: 0, out: `created router far (${id})\n` });
    const word = `id:${id}`;
    t.equal((await run('get', 'router', word, '-o', 'name')).out, 'router/far\n');
    t.match(await run('update', 'router', word, '--cost', '7'), { code: 0, out: /cost: 0 -> 7/ });
    t.equal((await run('get', 'router', 'far', '-o', 'id')).out, `${id}\n`);
    t.match(await run('delete', 'router', word, '--yes'), { code: 0 });
    t.match(await run('get', 'router', word), { code: 4, err: `there is no router "${id}"` });
  }
});

t.test('an update prints what changed, and adds to lists', async (t) => {
  await run('create', 'identity', 'clerk', '--roles', 'staff', '--tag', 'hall=north');
  t.match(await run('update', 'identity', 'clerk', '--roles', '+night,-staff'), {
    code: 0,
    out: 'updated identity clerk\n  roleAttributes: staff -> night\n',
  });
  const tags = await run('update', 'identity', 'clerk', '--tag', 'floor=2', '--tag', 'hall-');
  t.equal(tags.out, 'updated identity clerk\n  tags: {"hall":"north"} -> {"floor":"2"}\n');
  const cleared = await run('update', 'identity', 'clerk', '--roles', '');
  t.equal(cleared.out, 'updated identity clerk\n  roleAttributes: night -> (none)\n');
  const policy = await run(
    'create',
    'sp',
    'staff print',
    '--type',
    'Dial',
    '--identity-roles',
    '@clerk,staff',
    '--service-roles',
    'all',
  );
  t.match(policy, { code: 0 });
  const less = await run('update', 'sp', 'staff print', '--identity-roles=-@clerk,+night');
  t.match(less.out, 'identityRoles: #staff,@clerk -> #night,#staff');
  const auth = ['update', 'auth-policy', 'Default', '--set', 'primary.updb.maxAttempts=7'];
  t.match(await run(...auth), { code: 0, out: /"maxAttempts":7/ });
  t.match(await run('update', 'identity', 'clerk', '--auth-policy', 'Default'), {
    code: 0,
    out: 'updated identity clerk\n',
  });
});

t.test('what is wrong is refused before anything is sent', async (t) => {
  await run('create', 'identity', 'clerk', '--roles', 'staff');
  const file = join(roomOf(t), 'body.yaml');
  writeFileSync(file, 'colour: red\n');
  const twice = join(roomOf(t), 'twice.json');
  writeFileSync(twice, '{"externalId":"a","externalId":"b"}');
  const two = join(roomOf(t), 'two.yaml');
  writeFileSync(two, 'externalId: a\n---\nexternalId: b\n');
  const update = ['update', 'identity', 'clerk'];
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[...update, '--colour', 'red'], /^edge-control: identity has no field "colour". Fields are: /],
    [[...update, '-f', file], /identity has no field "colour"/],
    [[...update, '-f', twice], /Map keys must be unique/],
    [[...update, '-f', two], /must hold one document, not 2/],
    [update, /nothing is to be changed/],
    [[...update, '--roles', '+a,b'], /either each entry begins with \+ or -, or none does/],
    [[...update, '--roles', '@clerk'], /takes role attributes, and "@clerk" names an entity/],
    [[...update, '--roles', 'a,,b'], /has an empty entry/],
    [[...update, '--roles', 'a', '--roles', 'b'], /given twice/],
    [[...update, '--set', 'externalId.x=1'], /externalId has no members/],
    [[...update, '--set', 'appData.__proto__.x=1'], /there is no such member/],
    [[...update, '--tag', '=x'], /must be KEY=VALUE or KEY-/],
    [[...update, '--default-hosting-cost', 'much'], /must be a number/],
    [[...update, '--type', 'User'], /has no field "type"/],
    [['create', 'identity', 'x', '--type', 'Robot'], /must be one of /],
    [['create', 'identity', 'x', '--roles', '+a'], /only an update adds to a list/],
    [['create', 'identity'], /a new identity needs a name/],
    [['delete', 'identity', 'clerk'], /there is nobody to ask: give --yes/],
    [['delete', 'identity', '--yes'], /give names of identities, or --filter/],
    [['list', 'sp', '--role', 'x'], /have no role attributes/],
    [['list', 'identities', '--limit', '-1'], /must be a number of rows/],
    [['list', 'identities', '-o', 'xml'], /-o is "xml" but must be one of /],
    [['list', 'identities', '--columns', 'colour'], /have no column "colour"/],
    [['create', 'session'], /create does not exist for sessions: list, get, delete do/],
    [['list', 'identities', '--home', '/x', '--url', 'https://x'], /exclude each other/],
    [['list', 'identities', '--timeout', 'soon'], /--timeout is "soon"/],
  ];
  for (const [words, message] of cases) {
    const said = await run(...words);
    t.match(said, { code: 2, out: '', err: message }, words.join(' '));
  }
  t.match((await run('get', 'identity', 'clerk')).out, /^roles +staff$/m);
});

t.test('delete asks, counts what goes with it, and takes several', async (t) => {
  for (const name of ['clerk', 'visitor', 'guest']) await run('create', 'identity', name);
  const words = ['delete', 'identity', 'clerk'];
  const no = await person.types(words, { answers: [''] });
  t.match(no, {
    code: 1,
    out: '',
    err: /Delete identity clerk\? \[y\/N\] \n.*nothing was deleted/s,
  });
  const yes = await person.types(words, { answers: ['y'] });
  t.match(yes, { code: 0, out: 'deleted identity clerk\n' });
  const missing = ['delete', 'identity', 'visitor', 'clerk', '--yes'];
  t.match(await run(...missing), { code: 4, out: '' });
  t.match(await run(...missing, '--ignore-missing'), {
    code: 0,
    out: 'deleted identity visitor\n',
    err: /there is no identity "clerk"/,
  });
  const admin = await run('delete', 'identity', 'guest', 'admin', '--yes');
  t.match(admin, { code: 1, out: 'deleted identity guest\n', err: /1 of 2 are left\.\n$/ });
  t.match(await run('delete', 'identity', '--match', 'nobody', '--yes'), {
    out: 'no identity to delete\n',
  });
});

t.test('every kind can be listed in every form', async (t) => {
  const { kindRows } = await import('../../../src/commands/network/kinds/kind-rows.ts');
  for (const { name, plural, short = name } of kindRows) {
    // The other forms do not depend on the kind.
    const forms = name === 'identity' ? ['wide', 'yaml', 'name', 'id'] : [];
    for (const form of ['table', 'json', ...forms]) {
      const said = await run('list', form === 'json' ? plural : short, '-o', form);
      t.match(said, { code: 0, err: '' }, `${name} as ${form}`);
    }
  }
});

t.test('services show how they are reached', async (t) => {
  const data = {
    protocols: ['tcp'],
    addresses: ['wiki.corp.example'],
    portRanges: [
      { low: 80, high: 80 },
      { low: 8000, high: 8010 },
    ],
  };
  const config = ['create', 'config', 'wiki address', '--config-type', 'intercept.v1'];
  t.match(await run(...config, '--data', JSON.stringify(data)), { code: 0 });
  t.match(await run('create', 'svc', 'wiki', '--configs', 'wiki address'), { code: 0 });
  const list = await run('list', 'services', '--columns', 'name,address,hosts');
  t.equal(
    list.out,
    'NAME  ADDRESS                             HOSTS\nwiki  tcp wiki.corp.example:80,8000-8010  0\n',
  );
  t.match((await run('get', 'svc', 'wiki')).out, /^name +wiki\nid +\S+\n/);
});

t.test('questions about access are answered in words, and by yes or no', async (t) => {
  await run('create', 'identity', 'clerk', '--roles', 'staff');
  const data = {
    protocols: ['tcp'],
    addresses: ['printer.hall', '10.1.0.0/16', '*.print'],
    portRanges: [{ low: 9100, high: 9102 }],
  };
  const config = ['create', 'config', 'printer address', '--config-type', 'intercept.v1'];
  await run(...config, '--data', JSON.stringify(data));
  await run('create', 'svc', 'printer', '--configs', 'printer address');
  const refused = await run('can', 'clerk', 'dial', 'printer');
  t.match(refused, {
    code: 3,
    out: /^no: no Dial policy links identity 'clerk' and service 'printer'\n$/,
  });
  for (const address of ['printer.hall:9100', 'tcp://10.1.2.3:9101', 'floor2.print:9102']) {
    const said = await run('explain', 'clerk', address);
    t.match(said, { code: 0, out: /^Dial is refused\.\n- / }, address);
  }
  for (const address of ['printer.hall:80', 'udp://printer.hall:9100', '10.2.0.1:9100']) {
    t.match(
      await run('explain', 'clerk', address),
      { code: 4, err: /none has this address/ },
      address,
    );
  }
  await run(
    'create',
    'sp',
    'staff print',
    '--type',
    'Dial',
    '--identity-roles',
    'staff',
    '--service-roles',
    '@printer',
  );
  await run('create', 'er', 'edge-1');
  await run('create', 'erp', 'all', '--identity-roles', 'all', '--edge-router-roles', 'all');
  await run('create', 'serp', 'all', '--service-roles', 'all', '--edge-router-roles', 'all');
  t.match(await run('can', 'clerk', 'dial', 'printer'), { code: 0, out: /^yes: / });
  t.match(await run('can', 'clerk', 'fly', 'printer'), { code: 2, err: /must be dial or bind/ });
  const json = await run('explain', 'clerk', 'printer', '-o', 'json');
  t.equal((JSON.parse(json.out) as { dial: { isAllowed: boolean } }).dial.isAllowed, true);
});

t.test('what is no field is a verb', async (t) => {
  const jwt = join(roomOf(t), 'guest.jwt');
  writeFileSync(jwt, 'former', { mode: 0o644 });
  t.match(await run('create', 'identity', 'guest', '--enroll', '--out', jwt), {
    code: 0,
    out: /^created identity guest \(\S+\)\nwrote .*guest\.jwt, good until /,
  });
  t.match(readFileSync(jwt, 'utf8'), /^eyJ/);
  t.equal(statSync(jwt).mode & 0o777, 0o600, 'whatever was there before');
  t.match(await run('list', 'enrollments'), { out: /^guest +ott +/m });
  t.match(await run('enroll', 'guest'), { code: 0, out: /^eyJ\S+\n$/, err: /good until / });
  t.match(await run('enroll', 'guest', '--qr'), { code: 0, out: /█/ });
  t.match(await run('enroll', 'nobody'), { code: 4 });
  const nowhere = ['create', 'identity', 'lost', '--out', '/nowhere/lost.jwt'];
  t.match(await run(...nowhere), { code: 2, err: /cannot be written: / });
  await run('create', 'er', 'edge-1');
  t.match(await run('enroll', 'edge-1'), { code: 0, out: /^eyJ\S+\n$/ });
  t.match(await run('re-enroll', 'er', 'edge-1'), { code: 0, out: /^eyJ\S+\n$/ });
  t.match(await run('create', 'svc', 'x', '--enroll'), { code: 2, err: /does not enroll/ });
  const password = ['password', 'guest'];
  const set = await person.types(password, { answers: ['correct horse'] });
  t.match(set, { code: 0, out: 'identity guest logs in as guest by password\n' });
  const again = await person.types(password, { answers: ['battery staple'] });
  t.match(again, { code: 0, out: 'changed the password of identity guest\n' });
  t.notMatch(set.out + set.err, 'correct horse');
  t.match(await run('disable', 'guest', '--for', '2h'), { code: 0, out: /for 2h\n$/ });
  t.match((await run('get', 'identity', 'guest')).out, /^state +disabled$/m);
  t.match(await run('enable', 'guest'), { code: 0 });
  t.match((await run('get', 'identity', 'guest')).out, /^state +enabled$/m);
  t.match(await run('disable', 'guest', '--for', 'ever'), { code: 2, err: /must be a time/ });
  t.match(await run('disable', 'nobody', '--ignore-missing'), { code: 0 });
  t.match(await run('remove-mfa', 'guest'), { code: 0 });
});

t.test('lists are whole unless a limit cuts them, which they say', async (t) => {
  const file = join(roomOf(t), 'many.json');
  const identities = Array.from({ length: 520 }, (_, index) => ({
    name: `user ${String(index).padStart(3, '0')}`,
    roleAttributes: ['many'],
  }));
  writeFileSync(file, JSON.stringify({ identities }));
  t.equal((await run('apply', file, '--yes')).code, 0);
  const all = await run('list', 'identities', '--role', '#many', '-o', 'name');
  t.equal(all.out.split('\n').length, 521);
  t.equal(all.err, '');
  const json = await run('list', 'identities', '--match', 'USER', '-o', 'json');
  const rows = JSON.parse(json.out) as Record<string, unknown>[];
  t.equal(rows.length, 520);
  t.notOk(rows.some((row) => '_links' in row));
  const cut = await run('list', 'identities', '--role', 'many', '--limit', '2', '-o', 'name');
  t.equal(cut.out, 'identity/user 000\nidentity/user 001\n');
  t.equal(cut.err, '2 of 520; --limit 0 shows all\n');
  const none = await run('list', 'svc', '-o', 'json');
  t.equal(none.out, '[]\n');
  const both = await run(
    'list',
    'identities',
    '--filter',
    'isAdmin = false or isAdmin = true',
    '--match',
    'user 01',
    '--sort',
    'name desc',
    '-o',
    'name',
  );
  t.equal(both.out.split('\n')[0], 'identity/user 019');
  t.equal(both.out.split('\n').length, 11);
});
