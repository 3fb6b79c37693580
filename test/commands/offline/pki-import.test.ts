// The command `pki import`: where it writes, what it says, and what it leaves as it was.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import { openAuthority } from '../../../src/pki/authority/authority.ts';
import { pkiFileBytesMax } from '../../../src/pki/authority/files.ts';
import { keyToPem, toPem } from '../../../src/pki/x509/pem.ts';
import type { TreeDisk } from '../../../src/platform/ports.ts';
import { readTextFile } from '../../../src/platform/text-file.ts';
import { pkiContext } from '../../pki/context.ts';
import {
  type ForeignPair,
  foreignPair,
  forgePkcs12,
  issuedBeside,
  selfSigned,
} from '../../pki/foreign-pair.ts';
import { LookingContext } from './looking.ts';

const rsa = await foreignPair('rsa-2048');
const ec = await foreignPair();

interface Given {
  /** Typed at a terminal, or piped in. */
  readonly password?: string;
  readonly disk?: TreeDisk;
}

/** Runs the command; `questions` are what it asked at the terminal. */
async function run(words: readonly string[], { password, disk = nodeDisk }: Given = {}) {
  const questions: string[] = [];
  const looking = new LookingContext(disk, {});
  const context = Object.assign(looking, {
    readFile: readTextFile,
    secretInput: {
      isTerminal: true,
      ask: async (question: string) => {
        questions.push(question);
        if (password === undefined) throw new Error('nothing was typed');
        return password;
      },
    },
  });
  const code = await runCommandLine(['pki', 'import', ...words], context);
  return { code, stdout: looking.stdout, stderr: looking.stderr, questions };
}

/** A directory with the files of a pair, and the place for a home. */
function place(t: Test, pair: ForeignPair = ec) {
  const directory = t.testdir();
  const home = join(directory, 'home');
  const put = (name: string, content: string | Buffer): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  const configure = (settings: object): void => {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(join(home, 'config.json'), JSON.stringify(settings));
  };
  return { directory, home, put, configure, pem: put('all.pem', pemOf(pair)) };
}

function pemOf({ root, certificate, intermediate, key }: ForeignPair): string {
  return toPem([root, intermediate, certificate]) + keyToPem(key);
}

const host = ['--advertise', 'edge.example.com:1280'];

t.test('into a new home, which then starts with it', async (t) => {
  const { home, put } = place(t);
  const file = put('edge.p12', forgePkcs12(rsa, 'secret'));
  const done = await run([file, '--home', home, ...host], { password: 'secret' });
  t.match(done, { code: 0, stderr: /^$/, questions: [`Password of ${file}: `] });
  const pki = join(home, 'pki');
  const validTo = rsa.certificate.validToDate.toISOString();
  t.equal(
    done.stdout,
    `imported     CN=edge.example.com, valid until ${validTo}
certificate  ${pki}/imported-server.pem, with 1 intermediate
key          ${pki}/imported-server.key
CA           ${pki}/imported-ca.pem, CN=Foreign Root
Put this into ${home}/config.json, and start the controller again:
{
  "pki": {
    "serverCert": "pki/imported-server.pem",
    "serverKey": "pki/imported-server.key",
    "ca": "pki/imported-ca.pem"
  }
}
`,
  );
  for (const name of nodeDisk.list(pki)) t.equal(statSync(join(pki, name)).mode & 0o777, 0o600);
  t.equal(statSync(home).mode & 0o777, 0o700);
  t.equal(statSync(pki).mode & 0o777, 0o700);

  const authority = await openAuthority(
    pkiContext(home, {
      serverCert: join(pki, 'imported-server.pem'),
      serverKey: join(pki, 'imported-server.key'),
      ca: join(pki, 'imported-ca.pem'),
    }),
  );
  t.equal(toPem(authority.server.chain), toPem([rsa.certificate, rsa.intermediate]));
  t.ok(authority.server.key.equals(rsa.key));
  t.same(authority.notices, []);
});

t.test('where the settings say, and a renewal over it', async (t) => {
  const { directory, home, put, configure, pem } = place(t);
  const pki = { serverCert: 'tls/chain.pem', serverKey: '../key.pem', ca: 'tls/ca.pem' };
  configure({ advertise: 'edge.example.com:1280', pki });
  mkdirSync(join(home, 'tls'));
  const words = ['--home', home];
  const first = await run([pem, ...words]);
  t.match(first, { code: 0, stderr: /^$/, questions: [] });
  t.match(first.stdout, /\nThe next start uses it\.\n$/);
  const text = (path: string) => readFileSync(join(home, path), 'utf8');
  t.equal(text(pki.serverCert), toPem([ec.certificate, ec.intermediate]));
  t.equal(text(pki.serverKey), keyToPem(ec.key));
  t.equal(text(pki.ca), toPem([ec.root]));
  t.notOk(existsSync(join(home, 'pki')));

  t.match(await run([pem, ...words]), { code: 0, stderr: /^$/ }, 'the same content is no obstacle');

  const renewed = await issuedBeside(ec, { notAfterMs: Date.now() + 800 * 86_400_000 });
  // Authorities seldom send their root again.
  const next = put('next.pem', toPem([renewed, ec.intermediate]));
  const refusal = await run([next, '--key', pem, ...words]);
  t.match(refusal, { code: 2, stdout: '' });
  t.equal(
    refusal.stderr,
    `edge-control: ${home}/tls/chain.pem is there already: replace it with --force.\n`,
  );
  t.equal(text(pki.serverCert), toPem([ec.certificate, ec.intermediate]));

  // This process stands for a controller that runs.
  writeFileSync(join(home, 'lock'), holderText());
  const forced = await run([next, '--key', pem, ...words, '--force']);
  t.match(forced, { code: 0, stderr: /^$/ });
  t.match(
    forced.stdout,
    `or at once after kill -HUP ${process.pid} if it runs without a terminal.\n`,
  );
  t.equal(text(pki.serverCert), toPem([renewed, ec.intermediate]));
  t.equal(text(pki.ca), toPem([ec.root]));

  const other = put('other.pem', pemOf(rsa));
  const otherCa = await run([other, ...words, '--force']);
  t.match(otherCa.stdout, /\nStart the controller again, because the CA is another one\.\n$/);
  t.equal(text(pki.ca), toPem([rsa.root]));
  t.same(nodeDisk.list(join(home, 'tls')), ['ca.pem', 'chain.pem']);
  t.same(
    nodeDisk.list(directory).filter((name) => name.endsWith('.new')),
    [],
  );
});

/** The lock of this process (snapshots/home/lock.ts). */
function holderText(): string {
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stat = readFileSync(`/proc/${process.pid}/stat`, 'utf8');
  const startTicks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return JSON.stringify({ pid: process.pid, startTicks, bootId });
}

t.test('a setting that names no file, and one file for two settings', async (t) => {
  const { home, put, configure, pem } = place(t);
  const advertise = 'edge.example.com:1280';
  configure({ advertise, pki: { serverCert: 'chain.pem', serverKey: 'tls', ca: 'ca.pem' } });
  mkdirSync(join(home, 'tls'));
  t.match(await run([pem, '--home', home, '--force']), {
    code: 2,
    stderr: `edge-control: tls: ${home}/tls cannot be read: it is a directory.\n`,
  });
  t.same(nodeDisk.list(home), ['config.json']);

  configure({ advertise, pki: { serverCert: 'tls/one', serverKey: 'tls/one', ca: 'ca.pem' } });
  const nameless = await issuedBeside(ec, { subject: '' });
  const file = put('nameless.pem', pemOf({ ...ec, certificate: nameless }));
  const done = await run([file, '--home', home]);
  t.equal(done.code, 0);
  t.match(done.stdout, /^imported {5}DNS:edge\.example\.com, valid until/);
  const one = join(home, 'tls/one');
  const text = toPem([nameless, ec.intermediate]) + keyToPem(ec.key);
  t.equal(readFileSync(one, 'utf8'), text);
  const settings = { serverCert: one, serverKey: one, ca: join(home, 'ca.pem') };
  const authority = await openAuthority(pkiContext(home, settings));
  t.ok(authority.server.key.equals(ec.key));
});

t.test('the key and the CA in files of their own', async (t) => {
  const { home, put } = place(t);
  const leaf = put('leaf.pem', ec.certificate.toString());
  const key = put('leaf.key', keyToPem(ec.key));
  const ca = put('ca.pem', toPem([ec.intermediate, ec.root]));
  const words = ['--home', home, ...host];
  const without = await run([leaf, '--key', key, ...words]);
  t.match(without, {
    code: 2,
    stderr:
      'edge-control: The CA CN=Foreign Intermediate, which issued CN=edge.example.com, is missing: name a file with its certificate by --ca.\n',
  });
  t.match(await run([leaf, '--ca', ca, ...words]), {
    code: 2,
    stderr: `edge-control: There is no private key in ${leaf} and ${ca}: name its file by --key.\n`,
  });
  t.notOk(existsSync(home), 'a refusal makes nothing');
  t.match(await run([leaf, '--key', key, '--ca', ca, ...words]), { code: 0, stderr: /^$/ });
  const text = (name: string) => readFileSync(join(home, 'pki', name), 'utf8');
  t.equal(text('imported-server.pem'), toPem([ec.certificate, ec.intermediate]));
  t.equal(text('imported-ca.pem'), toPem([ec.root]));

  t.test('a CA that is no root', async (t) => {
    const named = put('intermediate.pem', ec.intermediate.toString());
    const other = join(home, '../other');
    const done = await run([leaf, '--key', key, '--ca', named, '--home', other, ...host]);
    t.match(done, { code: 0, stderr: /^$/ });
    t.match(done.stdout, /, CN=Foreign Intermediate\n/);
  });
});

t.test('beside an issuer of the operator, the CA stays', async (t) => {
  const { home, put, configure, pem } = place(t);
  const pki = { issuerCert: 'issuer.pem', issuerKey: 'issuer.key', ca: 'ca.pem' };
  configure({ pki });
  writeFileSync(join(home, 'ca.pem'), toPem([rsa.root]));
  const words = ['--home', home, ...host];
  t.match(await run([pem, ...words, '--force']), {
    code: 2,
    stderr: `edge-control: The CA CN=Foreign Root, which issued CN=Foreign Intermediate, is missing: add its certificate to ${home}/ca.pem, which pki.issuerCert needs, too.\n`,
  });
  const file = put('rsa.pem', pemOf(rsa));
  const done = await run([file, ...words]);
  t.match(done, { code: 0, stderr: /^$/ });
  t.match(done.stdout, /"ca": "ca\.pem"/);
  t.equal(readFileSync(join(home, 'ca.pem'), 'utf8'), toPem([rsa.root]));
});

t.test('where the password comes from', async (t) => {
  const { home, put } = place(t);
  const file = put('edge.p12', forgePkcs12(rsa, 'secret'));
  const words = [file, '--home', home, ...host];
  const good = put('good', 'secret\n');
  t.match(await run([...words, '--password-file', good]), { code: 0, questions: [] });
  const wrong = await run([...words, '--password-file', put('wrong', 'other')]);
  t.match(wrong, {
    code: 2,
    stderr: /^edge-control: The password does not open .*edge\.p12: it is/,
  });
  t.match(await run([...words, '--password-file', `${good}-2`]), {
    code: 2,
    stderr: 'edge-control: The password cannot be read: there is no such file.\n',
  });
  t.match(await run(words), {
    code: 2,
    stderr: 'edge-control: The password cannot be read: nothing was typed.\n',
  });
});

t.test('what is refused before anything is written', async (t) => {
  const { directory, home, put, configure, pem } = place(t);
  const cases: readonly (readonly [string, RegExp])[] = [
    [join(directory, 'none.p12'), /none\.p12 cannot be read: there is no such file\.\n$/],
    [directory, /cannot be read: it is a directory\.\n$/],
    [
      put('large', Buffer.alloc(pkiFileBytesMax + 1)),
      /cannot be read: it may have at most 1048576/,
    ],
    [put('text', 'x'), /text is not PEM, PKCS#12 or PKCS#7\.\n$/],
  ];
  for (const [file, message] of cases) {
    t.match(await run([file, '--home', home, ...host]), { code: 2, stderr: message });
  }
  const misnamed = await run([pem, '--home', home, '--advertise', 'other.example.com:1280']);
  t.match(misnamed, {
    code: 2,
    stderr: /does not name the advertised host other\.example\.com: it/,
  });
  t.notOk(existsSync(home));

  const foreign = await run([pem, '--home', directory, ...host]);
  t.match(foreign, { code: 2, stderr: /^edge-control: The home .* holds files of somebody else/ });

  configure({ pki: { serverCert: 'chain.pem' } });
  t.match(await run([pem, '--home', home, ...host]), {
    code: 2,
    stderr: 'edge-control: pki.serverCert is given without pki.serverKey.\n',
  });
});

t.test('a host that only this machine knows may be missing', async (t) => {
  const { home, pem } = place(t);
  const done = await run([pem, '--home', home]);
  t.equal(done.code, 0);
  t.match(
    done.stdout,
    'The certificate does not name localhost, which clients are given: set advertise to a host that it names (DNS:edge.example.com).\n',
  );
});

t.test('a full disk leaves the former pair as it was', async (t) => {
  const { home, put, pem } = place(t);
  const words = ['--home', home, ...host, '--force'];
  await run([pem, ...words]);
  const before = nodeDisk.list(join(home, 'pki'));
  const full: TreeDisk = {
    ...nodeDisk,
    open: (path, mode) => {
      if (mode !== 'create' || !path.endsWith('.key.new')) return nodeDisk.open(path, mode);
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    },
  };
  const failed = await run([put('rsa.pem', pemOf(rsa)), ...words], { disk: full });
  t.match(failed, {
    code: 75,
    stdout: '',
    stderr: /server\.key cannot be written: the disk is full/,
  });
  t.same(nodeDisk.list(join(home, 'pki')), before);
  const chain = readFileSync(join(home, 'pki/imported-server.pem'), 'utf8');
  t.equal(chain, toPem([ec.certificate, ec.intermediate]));
});

t.test('a name of a certificate steers no terminal', async (t) => {
  const { home, put } = place(t);
  const certificate = await selfSigned(ec.key, { subject: 'CN=a\u202eb' });
  const { code, stderr } = await run([
    put('odd.pem', certificate.toString() + keyToPem(ec.key)),
    '--home',
    home,
    ...host,
  ]);
  t.equal(code, 2);
  t.notMatch(stderr, /\u202e/);
});
