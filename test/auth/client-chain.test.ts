// The verification of client certificates: real chains in any order, and malicious chains.

import { X509Certificate } from 'node:crypto';
import t, { type Test } from 'tap';
import { ClientChains, isWithinDates } from '../../src/auth/certificates/client-chain.ts';
import type { ClientCa, OwnAuthorities } from '../../src/auth/certificates/issuing-cas.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import {
  authorityExtensions,
  Openssl,
  type OpensslCertificate,
  type OpensslKey,
} from '../simulated/openssl.ts';

const openssl = new Openssl(t.testdir());

interface Line {
  readonly root: OpensslCertificate;
  readonly upper: OpensslCertificate;
  readonly lower: OpensslCertificate;
  readonly leaf: OpensslCertificate;
}

function authority(
  name: string,
  issuer?: OpensslCertificate,
  wanted: { readonly key?: OpensslKey; readonly more?: readonly string[] } = {},
): OpensslCertificate {
  const { key = 'p-256', more = [] } = wanted;
  const extensions = [...authorityExtensions, ...more];
  return openssl.certificate({
    subject: `/CN=${name}`,
    key,
    extensions,
    ...(issuer === undefined ? {} : { issuer }),
  });
}

function leafOf(
  issuer: OpensslCertificate,
  extensions: readonly string[] = ['extendedKeyUsage=clientAuth'],
): OpensslCertificate {
  return openssl.certificate({ subject: '/CN=leaf', issuer, extensions });
}

function line(name: string, keys: readonly OpensslKey[] = []): Line {
  const [rootKey = 'p-256', upperKey = 'p-256', lowerKey = 'p-256', leafKey = 'p-256'] = keys;
  const root = authority(`${name} root`, undefined, { key: rootKey });
  const upper = authority(`${name} upper`, root, { key: upperKey });
  const lower = authority(`${name} lower`, upper, { key: lowerKey });
  const extensions = ['extendedKeyUsage=clientAuth', 'subjectAltName=URI:urn:x,email:a@b'];
  const leaf = openssl.certificate({
    subject: '/CN=leaf',
    key: leafKey,
    issuer: lower,
    extensions,
  });
  return { root, upper, lower, leaf };
}

const ours = line('ours');
const theirs = line('theirs');
const foreign = line('foreign');

function read({ pem }: OpensslCertificate): X509Certificate {
  return new X509Certificate(pem);
}

function ownOf({ root, upper, lower }: Omit<Line, 'leaf'>): OwnAuthorities {
  const chain = [lower, upper].map(read);
  return {
    anchors: [read(root)],
    intermediates: chain,
    issuer: { certificate: read(lower), chain },
  };
}

function ca(id: string, ...certificates: readonly OpensslCertificate[]): ClientCa {
  const certPem = certificates.map(({ pem }) => pem).join('');
  return { id, certPem, isAuthEnabled: true, isTrusted: true };
}

/** A table of CAs whose changes a test makes. */
class Cas {
  revision = 1;
  list: readonly ClientCa[];

  constructor(...list: readonly ClientCa[]) {
    this.list = list;
  }

  all(): readonly ClientCa[] {
    return this.list;
  }

  set(...list: readonly ClientCa[]): void {
    this.list = list;
    this.revision += 1;
  }
}

function evaluate(cas: Cas = new Cas(), limits = {}, bounds = {}): ClientChains {
  return new ClientChains(ownOf(ours), cas, { ...defaultLimits, ...limits }, bounds);
}

function shown(...certificates: readonly OpensslCertificate[]): Buffer[] {
  return certificates.map(({ der }) => der);
}

const own = { by: 'own', isImproper: false };
const improper = { by: 'own', isImproper: true };

function vouched(
  t: Test,
  chains: ClientChains,
  chain: readonly Buffer[],
  expected: unknown,
  name = 'evaluated',
) {
  const evaluated = chains.evaluate(chain);
  t.ok(evaluated, name);
  if (expected === undefined) t.equal(evaluated?.issuingCa, undefined, name);
  else t.match(evaluated?.issuingCa, expected as object, name);
}

t.test(
  'our own chain, with intermediates in any order and unrelated certificates beside them',
  async (t) => {
    const { root, upper, lower, leaf } = ours;
    const orders = [
      [upper, lower],
      [lower, upper],
      [root, upper, lower],
      [upper, foreign.root, lower],
    ];
    for (const order of orders) {
      vouched(t, evaluate(), shown(leaf, ...order), {
        ...own,
        isIssuedByUs: true,
        allowsClients: true,
      });
    }
  },
);

t.test('our own without the intermediates is improper', async (t) => {
  const { upper, lower, leaf } = ours;
  vouched(t, evaluate(), shown(leaf), { ...improper, isIssuedByUs: true });
  vouched(t, evaluate(), shown(leaf, lower), improper, 'up to an intermediate of ours');
  vouched(t, evaluate(), shown(leaf, upper), improper, 'a gap');
});

t.test('the contents of the leaf', async (t) => {
  const { leaf } = ours;
  const { fingerprint, validFromDate, validToDate } = read(leaf);
  t.same(evaluate().evaluate(shown(leaf))?.leaf, {
    subject: 'CN=leaf',
    commonName: 'leaf',
    alternativeNames: [
      { type: 'url', value: 'urn:x' },
      { type: 'email', value: 'a@b' },
    ],
    fingerprint: fingerprint.replaceAll(':', '').toLowerCase(),
    validFromMs: validFromDate.getTime(),
    validToMs: validToDate.getTime(),
  });
});

t.test('a certificate by a CA above our issuer is our own, but cannot be extended', async (t) => {
  const leaf = leafOf(ours.upper);
  vouched(t, evaluate(), shown(leaf, ours.upper), { ...own, isIssuedByUs: false });
  vouched(t, evaluate(), shown(leaf), { ...improper, isIssuedByUs: false });
});

/** A network whose bundle holds what stands below its root, and an issuer of before. */
const former = authority('ours former', ours.root);
const bundled: OwnAuthorities = {
  ...ownOf(ours),
  anchors: [former, ours.lower, ours.root, ours.upper].map(read),
};
const byBundle = (cas: Cas = new Cas()) => new ClientChains(bundled, cas, defaultLimits);

t.test('CAs of the bundle below a root: what they issued may be ours', async (t) => {
  const { root, upper, lower, leaf } = ours;
  const byFormer = leafOf(former);
  const ofFormer = { isIssuedByUs: false, mayBeOfFormerIssuer: true };
  vouched(t, byBundle(), shown(byFormer, former), { ...own, ...ofFormer });
  vouched(t, byBundle(), shown(byFormer), { ...improper, ...ofFormer }, 'it sent no CA');
  vouched(t, byBundle(), shown(leafOf(upper), upper), { ...own, ...ofFormer }, 'above the issuer');
  vouched(t, byBundle(), shown(leaf, lower, upper), { ...own, isIssuedByUs: true });
  vouched(t, byBundle(), shown(leaf), { ...improper, isIssuedByUs: true });
  vouched(t, evaluate(), shown(byFormer, former), { mayBeOfFormerIssuer: false }, 'none of ours');

  const neither = { ...own, isIssuedByUs: false, mayBeOfFormerIssuer: false };
  vouched(t, byBundle(), shown(leafOf(root)), neither, 'the root may have signed for others');
  const below = authority('below', former);
  vouched(t, byBundle(), shown(leafOf(below), below, former), neither, 'not in the bundle');
});

t.test('a bundle without its root, and third parties beside a bundle', async (t) => {
  const without = { ...bundled, anchors: [former, ours.upper].map(read) };
  const chains = new ClientChains(without, new Cas(), defaultLimits);
  const byFormer = leafOf(former);
  vouched(t, chains, shown(byFormer), { ...own, mayBeOfFormerIssuer: true });
  vouched(t, chains, shown(leafOf(ours.root)), undefined, 'the root is not ours');
  const cas = new Cas(ca('c', theirs.lower), ca('d', former));
  const { leaf, lower } = theirs;
  const evaluated = byBundle(cas).evaluate(shown(leaf, lower))?.issuingCa;
  t.match(evaluated, { by: 'ca', caId: 'c' });
  t.notOk(evaluated !== undefined && 'mayBeOfFormerIssuer' in evaluated);
  vouched(t, byBundle(cas), shown(byFormer), { by: 'own' }, 'both ours and of a third party');
});

t.test('an ended CA of the bundle does not stand in the way of its renewed one', async (t) => {
  const wanted = { subject: '/CN=ended', issuer: ours.root, extensions: authorityExtensions };
  const ended = openssl.certificate({ ...wanted, isExpired: true });
  const renewed = openssl.certificate({ ...wanted, key: { path: ended.keyPath } });
  const leaf = leafOf(ended);
  const anchors = [ended, ours.root].map(read);
  const chains = new ClientChains({ ...bundled, anchors }, new Cas(), defaultLimits);
  const endMs = Date.UTC(2020, 1, 1);
  vouched(t, chains, shown(leaf), { ...improper, validToMs: endMs });
  vouched(t, chains, shown(leaf, ended), { ...own, validToMs: endMs });
  vouched(t, chains, shown(leaf, renewed), own);
  const { validToMs = 0 } = chains.evaluate(shown(leaf, renewed))?.issuingCa ?? {};
  t.ok(validToMs > endMs, 'the one that the client sent counts');
});

t.test('third-party CAs count when trusted and enabled', async (t) => {
  const { root, upper, lower, leaf } = theirs;
  const cas = new Cas();
  const chains = evaluate(cas);
  const chain = shown(leaf, lower, upper);
  vouched(t, chains, chain, undefined, 'unknown');
  cas.set({ ...ca('c', root), isTrusted: false });
  vouched(t, chains, chain, undefined, 'not trusted');
  cas.set({ ...ca('c', root), isAuthEnabled: false });
  vouched(t, chains, chain, undefined, 'switched off');
  cas.set(ca('c', root));
  vouched(t, chains, chain, { by: 'ca', caId: 'c', allowsClients: true });
  vouched(t, chains, shown(leaf, upper, lower), { by: 'ca', caId: 'c' }, 'another order');
  vouched(t, chains, shown(leaf), undefined, 'a gap');
  vouched(t, chains, shown(foreign.leaf, lower, upper), undefined, 'foreign');
  cas.set({ ...ca('c', root), isAuthEnabled: false });
  vouched(t, chains, chain, undefined, 'switched off again');
  cas.set();
  vouched(t, chains, chain, undefined, 'deleted');
});

t.test('further certificates of a CA complete the path but are no trust anchors', async (t) => {
  const { root, upper, lower, leaf } = theirs;
  vouched(t, evaluate(new Cas(ca('c', root, upper, lower))), shown(leaf), { caId: 'c' });
  vouched(t, evaluate(new Cas(ca('c', foreign.root, root))), shown(leaf, lower, upper), undefined);
});

t.test('of several CAs above, the nearest', async (t) => {
  const { root, upper, lower, leaf } = theirs;
  const chain = shown(leaf, lower, upper);
  const all = [ca('root', root), ca('lower', lower), ca('upper', upper)];
  const cas = new Cas(...all);
  vouched(t, evaluate(cas), chain, { caId: 'lower' });
  t.equal(evaluate().caOf(chain, all)?.caId, 'lower');
  t.equal(
    evaluate().caOf(
      chain,
      all.filter(({ id }) => id !== 'lower'),
    )?.caId,
    'upper',
  );
  t.equal(evaluate().caOf(chain, [ca('foreign', foreign.root)]), undefined);
  const off = { ...ca('root', root), isAuthEnabled: false, isTrusted: false };
  t.equal(evaluate().caOf(chain, [off])?.caId, 'root', 'whatever it is enabled for');
  t.equal(evaluate().caOf([], all), undefined);
  t.equal(evaluate().caOf([Buffer.from('x')], all), undefined);
});

t.test('a certificate by itself, of ours or under one of the CAs given', async (t) => {
  const { root, leaf } = theirs;
  const direct = leafOf(root);
  const given = [{ ...ca('root', root), isAuthEnabled: false }];
  t.match(evaluate().issuingCaOf([ours.leaf.der], given), { by: 'own', isIssuedByUs: true });
  t.match(evaluate().issuingCaOf([direct.der], given), { by: 'ca', caId: 'root' });
  t.equal(evaluate().issuingCaOf([leaf.der], given), undefined, 'what stands between is not known');
  t.equal(evaluate(new Cas(ca('root', root))).issuingCaOf([direct.der], []), undefined);
  t.equal(evaluate().issuingCaOf([Buffer.from('x')], given), undefined);
});

t.test('every kind of key', async (t) => {
  const kinds: readonly (readonly OpensslKey[])[] = [
    ['rsa-2048', 'rsa-4096', 'rsa-2048', 'rsa-2048'],
    ['p-384', 'p-256', 'p-384', 'p-384'],
    ['p-521', 'rsa-2048', 'p-256', 'rsa-2048'],
  ];
  for (const keys of kinds) {
    const { root, upper, lower, leaf } = line(keys.join(), keys);
    const chains = evaluate(new Cas(ca('c', root)));
    vouched(t, chains, shown(leaf, lower, upper), { caId: 'c' }, keys.join());
  }
});

t.test('dates are handed on, those of the whole path', async (t) => {
  const expired = openssl.certificate({ subject: '/CN=x', issuer: ours.lower, isExpired: true });
  const evaluated = evaluate().evaluate(shown(expired, ours.lower, ours.upper));
  t.match(evaluated?.issuingCa, own, 'an ended leaf is still ours');
  const endMs = Date.UTC(2020, 1, 1);
  t.equal(evaluated?.leaf.validToMs, endMs);
  t.equal(evaluated?.issuingCa?.validToMs, endMs);

  const oldCa = openssl.certificate({
    subject: '/CN=old',
    extensions: authorityExtensions,
    isExpired: true,
  });
  const leaf = leafOf(oldCa);
  const under = evaluate(new Cas(ca('old', oldCa))).evaluate(shown(leaf));
  t.match(
    under?.issuingCa,
    { caId: 'old', validToMs: endMs },
    'a CA that ended ends what is below',
  );
  t.ok((under?.leaf.validToMs ?? 0) > endMs);
  const dates = { validFromMs: 5, validToMs: 7 };
  t.same(
    [4, 5, 7, 8].map((nowMs) => isWithinDates(dates, nowMs)),
    [false, true, true, false],
  );

  const key = { path: oldCa.keyPath };
  const renewed = openssl.certificate({ subject: '/CN=old', key, extensions: authorityExtensions });
  const both = new Cas(ca('old', oldCa), ca('new', renewed));
  vouched(t, evaluate(both), shown(leaf), { caId: 'new' }, 'the one that is valid longer');
  const root = authority('renewed root');
  const signed = openssl.certificate({
    subject: '/CN=old',
    key,
    extensions: authorityExtensions,
    issuer: root,
  });
  const chain = shown(leaf, oldCa, signed);
  vouched(t, evaluate(new Cas(ca('root', root))), chain, { caId: 'root' }, 'past the ended one');
});

t.test('usages: reported, and demanded along the whole path', async (t) => {
  const cas = new Cas(ca('c', theirs.root));
  const cases = [
    [['extendedKeyUsage=serverAuth'], false],
    [['extendedKeyUsage=serverAuth,clientAuth'], true],
    [['extendedKeyUsage=critical,anyExtendedKeyUsage'], true],
    [[], true],
  ] as const;
  for (const [extensions, allowsClients] of cases) {
    const leaf = leafOf(theirs.root, extensions);
    vouched(t, evaluate(cas), shown(leaf), { caId: 'c', allowsClients }, extensions.join());
  }
  const keyUsages = [
    ['keyUsage=critical,digitalSignature', true],
    ['keyUsage=keyAgreement', true],
    ['keyUsage=nonRepudiation,keyEncipherment', false],
    ['keyUsage=critical,keyCertSign,cRLSign', false],
  ] as const;
  for (const [usage, allowsClients] of keyUsages) {
    const leaf = leafOf(theirs.root, [usage, 'extendedKeyUsage=clientAuth']);
    vouched(t, evaluate(cas), shown(leaf), { caId: 'c', allowsClients }, usage);
  }
  const damaged = leafOf(theirs.root, ['2.5.29.15=DER:0500']);
  t.equal(evaluate(cas).evaluate(shown(damaged)), undefined, 'a key usage that is no bit string');
  const servers = authority('servers', theirs.root, { more: ['extendedKeyUsage=serverAuth'] });
  const leaf = leafOf(servers);
  vouched(t, evaluate(cas), shown(leaf, servers), { caId: 'c', allowsClients: false });
});

t.test('a certificate that may not sign others is no issuer', async (t) => {
  const { root } = theirs;
  const cas = new Cas(ca('c', root));
  const refused: readonly (readonly [string, readonly string[]])[] = [
    ['a leaf', ['basicConstraints=critical,CA:FALSE']],
    ['nothing said', ['keyUsage=critical,keyCertSign']],
    ['no keyCertSign', ['basicConstraints=critical,CA:TRUE', 'keyUsage=digitalSignature']],
    ['names bound', [...authorityExtensions, 'nameConstraints=permitted;DNS:example.com']],
    ['not understood', [...authorityExtensions, '1.2.3.4=critical,DER:0500']],
  ];
  for (const [name, extensions] of refused) {
    const middle = openssl.certificate({ subject: `/CN=${name}`, extensions, issuer: root });
    vouched(t, evaluate(cas), shown(leafOf(middle), middle), undefined, name);
  }
  const last = authority('last', root, { more: [] });
  const bound = openssl.certificate({
    subject: '/CN=bound',
    extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0'],
    issuer: root,
  });
  vouched(t, evaluate(cas), shown(leafOf(bound), bound), { caId: 'c' }, 'pathlen 0, a leaf below');
  const below = authority('below', bound);
  vouched(t, evaluate(cas), shown(leafOf(below), below, bound), undefined, 'pathlen 0, a CA below');
  const odd = leafOf(last, ['1.2.3.4=critical,DER:0500']);
  vouched(t, evaluate(cas), shown(odd, last), undefined, 'a leaf that is not understood');
});

t.test('weak signatures and keys of issuers', async (t) => {
  const weak = openssl.certificate({
    subject: '/CN=weak',
    key: 'rsa-1024',
    extensions: authorityExtensions,
  });
  vouched(t, evaluate(new Cas(ca('c', weak))), shown(leafOf(weak)), undefined, '1024 bits');
  const root = authority('rsa', undefined, { key: 'rsa-2048' });
  for (const digest of ['md5', 'sha1', 'sha384'] as const) {
    const leaf = openssl.certificate({ subject: '/CN=x', key: 'rsa-2048', issuer: root, digest });
    const expected = digest === 'sha384' ? { caId: 'c' } : undefined;
    vouched(t, evaluate(new Cas(ca('c', root))), shown(leaf), expected, digest);
  }
});

t.test('equal names, another key', async (t) => {
  const impostor = line('ours');
  vouched(t, evaluate(), shown(impostor.leaf, impostor.lower, impostor.upper), undefined);
  vouched(t, evaluate(), shown(impostor.leaf), undefined);
  const mixed = shown(ours.leaf, impostor.lower, impostor.upper, ours.lower, ours.upper);
  vouched(t, evaluate(), mixed, own, 'the right ones are found among them');
  const cas = new Cas(ca('impostor', impostor.root), ca('c', line('theirs').root));
  vouched(t, evaluate(cas), shown(theirs.leaf, theirs.lower, theirs.upper), undefined);
  vouched(t, evaluate(cas), shown(impostor.leaf, impostor.upper, impostor.lower), {
    caId: 'impostor',
  });
});

t.test('chains that loop or fan out end', async (t) => {
  const self = authority('self');
  const again = openssl.certificate({
    subject: '/CN=self',
    key: { path: self.keyPath },
    extensions: authorityExtensions,
  });
  vouched(t, evaluate(), shown(leafOf(self), self, again), undefined, 'signed by itself');
  const a = authority('a');
  const b = openssl.certificate({ subject: '/CN=b', extensions: authorityExtensions, issuer: a });
  const loop = openssl.certificate({
    subject: '/CN=a',
    key: { path: a.keyPath },
    extensions: authorityExtensions,
    issuer: b,
  });
  vouched(t, evaluate(), shown(leafOf(b), b, loop), undefined, 'signed by each other');

  const fakes = Array.from({ length: 7 }, () => authority('ours lower'));
  const real = shown(ours.leaf, ...fakes.slice(0, 5), ours.lower, ours.upper);
  vouched(t, evaluate(), real, own, 'found among false ones');
  const strict = evaluate(new Cas(), {}, { chainSignaturesMax: 4 });
  vouched(t, strict, shown(ours.leaf, ...fakes), undefined, 'gives up after chainSignaturesMax');
});

t.test('bounds and garbage', async (t) => {
  const chains = evaluate();
  const { leaf, lower, upper } = ours;
  t.equal(chains.evaluate([]), undefined);
  t.equal(
    chains.evaluate(Array.from({ length: 100 }, () => leaf.der)),
    undefined,
    'a chain of 100',
  );
  t.equal(chains.evaluate(Array.from({ length: 9 }, () => leaf.der)), undefined, 'certificatesMax');
  const short = evaluate(new Cas(), {}, { certificatesBytesMax: 8192 });
  t.equal(short.evaluate([leaf.der, Buffer.alloc(8192)]), undefined, 'certificatesBytesMax');
  for (const der of [Buffer.alloc(0), leaf.der.subarray(1), leaf.der.subarray(0, -1)]) {
    t.equal(chains.evaluate([der, lower.der]), undefined);
  }
  t.equal(
    chains.evaluate([Buffer.concat([leaf.der, Buffer.from([0])])]),
    undefined,
    'a byte behind',
  );
  const junk = [leaf.der, Buffer.from('junk'), upper.der, lower.der.subarray(0, 99), lower.der];
  vouched(t, chains, junk, own, 'unreadable intermediates are passed over');
  vouched(t, evaluate(new Cas({ ...ca('c'), certPem: 'no PEM' })), shown(leaf), improper);
});

t.test(
  'a verdict is kept for a connection, for the same chain, and until a CA changes',
  async (t) => {
    const cas = new Cas(ca('c', theirs.root));
    const chains = evaluate(cas);
    const chain = shown(theirs.leaf, theirs.lower, theirs.upper);
    const first = chains.evaluate(chain);
    t.equal(chains.evaluate(chain), first, 'the same connection');
    t.equal(chains.evaluate(chain.map((der) => Buffer.from(der))), first, 'another connection');
    t.not(chains.evaluate(shown(theirs.leaf, theirs.upper, theirs.lower)), first, 'another chain');
    cas.set({ ...ca('d', theirs.root) });
    t.match(chains.evaluate(chain)?.issuingCa, { caId: 'd' });

    const small = evaluate(cas, { ...defaultLimits, chainCacheBytesMax: 1 });
    const kept = small.evaluate(chain);
    t.equal(small.evaluate(chain), kept, 'the connection keeps it anyhow');
    small.evaluate(shown(foreign.leaf));
    small.evaluate(shown(foreign.lower));
    t.not(small.evaluate([...chain]), kept, 'chainCacheBytesMax');
  },
);
