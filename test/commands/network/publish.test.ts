// `publish` and `unpublish`: one command for an address.

import { t } from 'tap';
import { creationProblem } from '../../../src/commands/declarative/creation-check.ts';
import { madeFile } from '../../../src/commands/declarative/file-entries.ts';
import { readNetworkFile } from '../../../src/commands/declarative/network-file.ts';
import { CommandFailure } from '../../../src/commands/network/command-failure.ts';
import {
  addressTyped,
  publicationContent,
  routerPolicyOf,
} from '../../../src/commands/network/publish/publication.ts';
import { publicationTyped } from '../../../src/commands/network/publish/publish-command.ts';
import fc from '../../properties.ts';
import { stage } from './person.ts';

const { person, run } = await stage(t);

const printer = ['publish', 'printer.hall:9100', '--to', 'staff', '--host-on', 'hosts'];

t.test('an address is published once, and taken back whole', async (t) => {
  await run('create', 'identity', 'clerk', '--roles', 'staff');
  await run('create', 'er', 'edge-1', '--roles', 'public');
  const words = [...printer, '--target', '127.0.0.1:9100', '--via', 'public'];
  t.match(await run(...words), { code: 2, out: '', err: /there is nobody to ask: give --yes/ });
  const no = await person.types(words, { answers: ['n'] });
  t.match(no, { code: 1, err: /1 identity will be able to dial it\. Create these 7\?/ });
  t.match(await run('list', 'svc', '-o', 'name'), { out: '' });
  const said = await run(...words, '--yes');
  t.equal(said.code, 0, said.err);
  t.equal(
    said.out,
    [
      '+ config                      printer.hall intercept   tcp printer.hall:9100',
      '+ config                      printer.hall host        tcp 127.0.0.1:9100',
      '+ service                     printer.hall             encrypted',
      '+ service-policy              printer.hall dial        Dial  #staff -> @printer.hall',
      '+ service-policy              printer.hall bind        Bind  #hosts -> @printer.hall',
      '+ service-edge-router-policy  printer.hall routers     @printer.hall over #public',
      '+ edge-router-policy          printer.hall identities  #staff,#hosts over #public',
      'published printer.hall',
      '',
    ].join('\n'),
  );
  t.match(said.err, /note: no identity has #hosts\n/);
  t.match(said.err, /note: nothing hosts it yet/);
  t.equal((await run(...words, '--yes')).out, 'published printer.hall: nothing to do\n');
  t.match(await run('can', 'clerk', 'dial', 'printer.hall:9100'), { code: 0 });
  t.match((await run('list', 'services')).out, /^printer\.hall {2}tcp printer\.hall:9100 {2}0 /m);
  const moved = [...printer, '--target', '127.0.0.1:9101', '--via', 'public', '--yes'];
  t.match(await run(...moved), { out: /^~ config +printer\.hall host +tcp 127\.0\.0\.1:9101$/m });
  await run('create', 'sp', 'mine', '--type', 'Dial', '--service-roles', '@printer.hall');
  t.match(await run('unpublish', 'printer.hall', '--yes'), {
    code: 1,
    err: /service-policy "mine" refers to service "printer\.hall", so nothing was deleted/,
  });
  await run('delete', 'sp', 'mine', '--yes');
  t.match(await run('unpublish', 'printer.hall', '--yes'), {
    code: 0,
    out: 'deleted 7: 4 policies, 1 service, 2 configs\n',
  });
  t.match(await run('unpublish', 'printer.hall', '--yes'), { code: 4 });
  t.match(await run('unpublish', 'printer.hall', '--yes', '--ignore-missing'), { code: 0 });
  t.match(await run('list', 'sp', '-o', 'name'), { out: '' });
});

t.test('a service for SDKs, a guard, and routers that are given already', async (t) => {
  await run('create', 'identity', 'feeder', '--roles', 'feeders');
  await run('create', 'erp', 'all', '--identity-roles', 'all', '--edge-router-roles', 'all');
  const check = ['create', 'pc', 'linux', '--type', 'OS', '--roles', 'managed'];
  const systems = '[{"type":"Linux","versions":[]}]';
  const guard = await run(...check, '--operating-systems', systems);
  t.equal(guard.code, 0, guard.err);
  const words = ['publish', '--name', 'feed', '--to', 'feeders', '--host-on', '@feeder'];
  const said = await run(...words, '--if', 'managed', '--via', 'public', '--yes');
  t.equal(said.code, 0, said.err);
  t.notMatch(said.out, /config/);
  t.match(said.out, /^= edge-router-policy +all +gives #feeders,@feeder #public already$/m);
  t.match(said.out, /Dial {2}#feeders -> @feed if #managed$/m);
  t.match(await run('publish', '--name', 'x', '--to', '@nobody', '--host-on', 'a', '--yes'), {
    code: 4,
    err: /there is no identity "nobody"/,
  });
  const yaml = await run('publish', 'x.example:80', '--to', 'a', '--host-on', 'b', '-o', 'yaml');
  t.match(yaml, { code: 0, out: /^version: 1\nconfigs:\n/ });
});

t.test('what it makes is a file that apply accepts', async (t) => {
  const host = fc.constantFrom('wiki', '*.corp.example', '10.0.0.0/8', '10.1.2.3', '[fd00::1]');
  const port = fc.constantFrom('80', '80,443', '8000-8010', '1-65535');
  const address = fc
    .tuple(fc.constantFrom('', 'udp://'), fc.uniqueArray(host, { minLength: 1 }), port)
    .map(([protocol, hosts, ports]) => `${protocol}${hosts.join(',')}:${ports}`);
  const roles = fc.constantFrom('all', 'staff', '@clerk', 'staff,@clerk', '#a');
  const flags = fc.record(
    {
      to: roles,
      hostOn: roles,
      via: roles,
      if: roles,
      role: fc.constant('x,y'),
      name: fc.constant('n'),
    },
    { requiredKeys: ['to', 'hostOn'] },
  );
  fc.assert(
    fc.property(fc.option(address, { nil: undefined }), flags, (word, given) => {
      const publication = publicationTyped(word, { name: 'n', ...given });
      const edgeRouterPolicies = [routerPolicyOf(publication, publication.to)];
      const content = { ...publicationContent(publication), edgeRouterPolicies };
      const { faults, entries } = readNetworkFile(JSON.stringify(content), 'own');
      const made = madeFile(content).entries;
      t.same(faults, []);
      t.same(made.map(creationProblem).filter(Boolean), []);
      t.same(
        made.map(({ section, name, fields }) => [section.name, name, fields]).toSorted(),
        entries.map(({ section, name, fields }) => [section.name, name, fields]).toSorted(),
      );
    }),
  );
  const long = { to: 'a', hostOn: 'b', name: 'x'.repeat(981) };
  t.throws(() => publicationTyped('wiki:80', long), /may have 980/);
});

t.test('what is not fixed is forwarded, and a target may not name it', async (t) => {
  const file = (address: string, target?: string) => {
    const given = { to: 'a', hostOn: 'b', ...(target !== undefined && { target }) };
    const { configs = [] } = publicationContent(publicationTyped(address, given));
    return configs.map((config) => config['data']);
  };
  t.match(file('udp://*.corp.example,10.0.0.0/8:53')[1], {
    protocol: 'udp',
    forwardAddress: true,
    allowedAddresses: ['*.corp.example', '10.0.0.0/8'],
    port: 53,
  });
  t.match(file('wiki:80,8000-8010', 'localhost')[1], {
    address: 'localhost',
    forwardPort: true,
    allowedPortRanges: [
      { low: 80, high: 80 },
      { low: 8000, high: 8010 },
    ],
  });
  t.match(file('10.1.2.3,wiki:80', ':8080')[1], {
    forwardAddress: true,
    allowedAddresses: ['10.1.2.3', 'wiki'],
    port: 8080,
  });
  t.match(file('[fd00::1]:80', '[::1]:8080')[1], { address: '::1', port: 8080 });
  t.match(file('fd00::/64:80')[1], { allowedAddresses: ['fd00::/64'], port: 80 });
  for (const target of ['', ':', '::1', 'a:b', 'a:0', 'a:65536', 'a b:80', '*.a:80', '[a]:80']) {
    t.throws(() => file('wiki:80', target), /must be HOST:PORT/, target);
  }
  t.throws(() => file('*.corp:80', 'localhost:80'), /may not name a host/);
  t.throws(() => file('wiki:80-90', 'localhost:80'), /may not name a port/);
  for (const text of [
    'wiki',
    'wiki:',
    'wiki:0',
    'wiki:9-1',
    'a b:80',
    'http://x:80',
    ':80',
    '10.0.0.0/33:1',
    'a/8:1',
    'a:b:80',
    '*.:1',
    '*:80',
    'a,,b:1',
  ]) {
    t.throws(() => addressTyped(text), /must be \[tcp/, text);
  }
  for (const flags of [
    {},
    { to: 'a' },
    { hostOn: 'a' },
    { to: 'a,', hostOn: 'b' },
    { to: 'all,a', hostOn: 'b' },
  ]) {
    t.throws(() => publicationTyped('a:1', flags), CommandFailure);
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        return addressTyped(text).hosts.length > 0;
      } catch (error) {
        return error instanceof CommandFailure;
      }
    }),
  );
});

t.test('before it asks, it says what follows', async (t) => {
  const host = 'north hall printer host';
  await run('create', 'identity', host, '--roles', 'places');
  await run('create', 'er', 'edge-2', '--roles', 'public');
  await run('create', 'identity', 'mark', '--roles', 'clerks');
  const routers = ['--identity-roles', 'clerks,places', '--edge-router-roles', 'public'];
  await run('create', 'erp', 'clerks routers', ...routers);
  await run('delete', 'erp', 'all', '--yes');
  const words = ['publish', 'scan.hall:9100', '--to', 'clerks', '--host-on', `@${host}`];
  const whole = [...words, '--target', '127.0.0.1:9100', '--via', 'public'];
  const first = await person.types(whole, { answers: ['y'] });
  t.equal(
    first.out,
    [
      '+ config                      scan.hall intercept  tcp scan.hall:9100',
      '+ config                      scan.hall host       tcp 127.0.0.1:9100',
      '+ service                     scan.hall            encrypted',
      '+ service-policy              scan.hall dial       Dial  #clerks -> @scan.hall',
      '+ service-policy              scan.hall bind       Bind  @north hall printer host -> @scan.hall',
      '+ service-edge-router-policy  scan.hall routers    @scan.hall over #public',
      '= edge-router-policy          clerks routers       gives #clerks #public already',
      'published scan.hall',
      '',
    ].join('\n'),
  );
  t.match(
    first.err,
    [
      "note: no edge router in common with it is online for 'mark'",
      '1 identity will be able to dial it. Create these 6? [y/N] ',
      "note: 'north hall printer host' is not online: nothing hosts it yet. Watch: edge-control watch terminator",
      '',
    ].join('\n'),
  );
  const rival = [
    'publish',
    '*.hall:9000-9200',
    '--to',
    'all',
    '--host-on',
    'host',
    '--name',
    'any',
  ];
  const second = await person.types(rival, { answers: ['n'] });
  t.match(second.err, /^note: no identity has #host$/m);
  t.match(second.err, /^note: service 'scan\.hall' takes the same address for 'mark'$/m);
  t.match(second.err, /^\d+ identities will be able to dial it\. Create these 5\?/m);
  const wider = [...words, '--to', 'clerks,feeders'].filter((_, at) => at !== 2 && at !== 3);
  const third = await person.types([...wider, '--target', '127.0.0.1:9100'], { answers: ['n'] });
  t.match(third.out, /^= config +scan\.hall intercept/m);
  t.match(third.out, /^~ service-policy +scan\.hall dial +Dial {2}#clerks,#feeders/m);
  t.match(third.err, /^1 more identity will be able to dial it\. Make this change\?/m);
  t.match(await run('unpublish', 'scan.hall', '--yes'), { code: 0 });
});

t.test('a publication that changes keeps the routers of everybody', async (t) => {
  await run('create', 'identity', 'night clerk', '--roles', 'night');
  const words = ['publish', 'door.hall:1', '--host-on', 'guards', '--via', 'public', '--yes'];
  await run(...words, '--to', 'day');
  const said = await run(...words, '--to', 'night');
  t.match(
    said.out,
    /^~ edge-router-policy +door\.hall identities {2}#night,#guards over #public$/m,
  );
  t.equal((await run(...words, '--to', 'night')).out, 'published door.hall: nothing to do\n');
  t.match(await run(...words, '--to', 'all'), {
    code: 0,
    out: /^~ edge-router-policy +door\.hall identities {2}#all over #public$/m,
  });
  t.match(await run('unpublish', 'door.hall', '--yes'), { code: 0 });
});

t.test('what somebody else created is neither changed nor taken', async (t) => {
  await run('create', 'svc', 'mine');
  const words = ['publish', 'mine:80', '--to', 'staff', '--host-on', 'hosts', '--yes'];
  t.match(await run(...words), {
    code: 1,
    err: /"mine" exists in services, and this publication did not create it/,
  });
  t.equal((await run('list', 'config', '-o', 'name')).out, '');
  await run('delete', 'svc', 'mine', '--yes');
});

t.test('entities are named by names and ids', async (t) => {
  const id = (await run('create', 'identity', 'id, with a comma', '-o', 'id')).out.trim();
  const words = ['publish', '--name', 'x', '--to', `@id:${id}`, '--host-on', `@${id}`, '--yes'];
  t.match(await run(...words), { code: 0, out: /Dial {2}@id, with a comma -> @x$/m });
  t.match(await run('can', 'id, with a comma', 'bind', 'x'), { code: 3 });
  t.match(await run('unpublish', 'x', '--yes'), { code: 0 });
});
