// Where each installed package comes from: the registry alone, in one version, by its hash.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';

const root = join(import.meta.dirname, '../..');
const registry = 'https://registry.npmjs.org/';

interface LockedPackage {
  readonly version?: string;
  /** npm may leave it out for packages of the registry, as name and version say where they are. */
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** Says why the source of a package is not acceptable; undefined if it is. */
function faultOf({ version, resolved, integrity, link, inBundle }: LockedPackage) {
  if (link === true) return 'is a directory of this machine';
  if (version === undefined || !exactVersion.test(version)) return `has the version ${version}`;
  if (resolved !== undefined && !resolved.startsWith(registry)) return `is from ${resolved}`;
  // The hash of the package that it is a part of covers it.
  if (inBundle === true) return undefined;
  // 64 bytes in base64.
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '')) return `has the hash ${integrity}`;
  return undefined;
}

const exactVersion = /^\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/;

t.test('the lock names packages of the registry by their hashes', async (t) => {
  const { lockfileVersion, packages } = readJson('package-lock.json') as Lock;
  t.equal(lockfileVersion, 3);
  const installed = Object.entries(packages).filter(([place]) => place !== '');
  t.ok(installed.length > 10);
  const faults = installed.flatMap(([place, locked]) => {
    const fault = faultOf(locked);
    return fault === undefined ? [] : [`${place} ${fault}`];
  });
  t.same(faults, []);
});

t.test('each dependency of ours is one version', async (t) => {
  const { dependencies, devDependencies } = readJson('package.json') as Readonly<
    Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>
  >;
  for (const [name, wanted] of Object.entries({ ...dependencies, ...devDependencies })) {
    // `npm:NAME@VERSION` installs a package under another name.
    t.match(wanted.replace(/^npm:(?:@[^@/]+\/)?[^@/]+@/, ''), exactVersion, name);
  }
});

t.test('what a controller runs on is not marked as a tool of development', async (t) => {
  const { packages } = readJson('package-lock.json') as Lock;
  for (const name of Object.keys(packages['']?.dependencies ?? {})) {
    t.notOk(packages[`node_modules/${name}`]?.dev, name);
  }
});

t.test('packages from elsewhere are found', async (t) => {
  const integrity = `sha512-${'A'.repeat(86)}==`;
  const good = { version: '1.0.0', integrity };
  t.equal(faultOf(good), undefined);
  t.equal(faultOf({ ...good, resolved: `${registry}a/-/a-1.0.0.tgz` }), undefined);
  const foreign: readonly LockedPackage[] = [
    { ...good, resolved: 'git+ssh://git@github.com/a/b.git#0123456' },
    { ...good, resolved: 'https://example.org/a-1.0.0.tgz' },
    { ...good, resolved: 'http://registry.npmjs.org/a/-/a-1.0.0.tgz' },
    { ...good, integrity: 'sha1-AAAA' },
    { ...good, version: 'file:../a' },
    { version: '1.0.0' },
    { resolved: '../a', link: true },
  ];
  for (const locked of foreign) t.type(faultOf(locked), 'string', JSON.stringify(locked));
});
