// `publish` and `unpublish`: one command for an address.

import { t } from 'tap';
import { CommandFailure } from '../../../src/commands/network/command-failure.ts';
import { addressTyped, publicationFile } from '../../../src/commands/network/publication.ts';
import { publicationTyped } from '../../../src/commands/network/publish-command.ts';
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
  t.match(await run(...moved), { out: /^~ config +printer\.hall host +tcp 127\.0\.0\.1:9101\n/ });
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
    code: 2,
    err: /names nothing in identities/,
  });
  const yaml = await run('publish', 'x.example:80', '--to', 'a', '--host-on', 'b', '-o', 'yaml');
  t.match(yaml, { code: 0, out: /^version: 1\nconfigs:\n/ });
});

t.test('what is not fixed is forwarded, and a target may not name it', async (t) => {
  const file = (address: string, target?: string) =>
    publicationFile(
      publicationTyped(address, { to: 'a', hostOn: 'b', ...(target && { target }) }),
    ) as { readonly configs: readonly { readonly data: object }[] };
  t.match(file('udp://*.corp.example,10.0.0.0/8:53').configs[1]?.data, {
    protocol: 'udp',
    forwardAddress: true,
    allowedAddresses: ['*.corp.example', '10.0.0.0/8'],
    port: 53,
  });
  t.match(file('wiki:80,8000-8010', 'localhost').configs[1]?.data, {
    address: 'localhost',
    forwardPort: true,
    allowedPortRanges: [
      { low: 80, high: 80 },
      { low: 8000, high: 8010 },
    ],
  });
  t.throws(() => file('*.corp:80', 'localhost:80'), /may not name a host/);
  t.throws(() => file('wiki:80-90', 'localhost:80'), /may not name a port/);
  for (const text of ['wiki', 'wiki:', 'wiki:0', 'wiki:9-1', 'a b:80', 'http://x:80', ':80']) {
    t.throws(() => addressTyped(text), /must be \[tcp/, text);
  }
  for (const flags of [{}, { to: 'a' }, { hostOn: 'a' }, { to: 'a,', hostOn: 'b' }]) {
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
