// Authenticators of the peer: passwords, certificates, who issued them, and second ones.

import t from 'tap';
import { createHasher } from '../../../src/auth/passwords/hasher.ts';
import { printsIn } from '../../../src/migrate/convert/certificate-prints.ts';
import { publicKeyFingerprint, toPem } from '../../../src/pki/x509/pem.ts';
import { type Made, makeCertificate } from '../../simulated/certificates.ts';
import { SimulatedRandom } from '../../simulated/random.ts';
import { entity, flag, nil, type PeerValues, set, text, time } from '../peer/database.ts';
import {
  type Converted,
  converted,
  identity,
  nowMs,
  remarksOn,
  type TestOptions,
} from './converted.ts';

const hash = 'pe11EySk5TaGfaQkIleTx0jncNmcISXyTq+PUdosohE=';
const salt = '/vYPyRcQ9TqmEQ==';

const password = (fields: PeerValues = {}) =>
  entity({
    method: text('updb'),
    identity: text('me'),
    updbUsername: text('username'),
    updbPassword: text(hash),
    updbSalt: text(salt),
    ...fields,
  });

const certificate = (made: Pick<Made, 'pem' | 'fingerprint'>, fields: PeerValues = {}) =>
  entity({
    method: text('cert'),
    identity: text('me'),
    certPem: text(made.pem),
    certFingerprint: text(made.fingerprint),
    isIssuedByNetwork: flag(true),
    publicKeyPrint: text(''),
    unverifiedCertPem: text(''),
    unverifiedCertFingerprint: text(''),
    lastAuthResolvedToRoot: flag(true),
    lastExtendRolledKeys: flag(false),
    isExtendRequested: flag(false),
    isKeyRollRequested: flag(false),
    extendRequestedAt: nil(),
    ...fields,
  });

const people = { me: identity('me'), you: identity('you'), he: identity('he') };

function convertedOf(
  authenticators: Readonly<Record<string, PeerValues>>,
  options: TestOptions = {},
): Converted {
  return converted({ kinds: { identities: people, authenticators } }, options);
}

t.test('a password keeps its hash, which verifies', async (t) => {
  const { record, report } = convertedOf({ pw: password() });
  const phc = '$argon2id$v=19$m=3072,t=1,p=4';
  t.match(record('authenticator', 'pw'), {
    method: 'updb',
    state: 'life:existing',
    identityId: 'me',
    username: 'username',
    passwordHash: `${phc}$/vYPyRcQ9TqmEQ$pe11EySk5TaGfaQkIleTx0jncNmcISXyTq+PUdosohE`,
    isIssuedByNetwork: false,
  });
  t.same(remarksOn({ report }, 'authenticators', 'changed'), []);
  const stored = String(record('authenticator', 'pw')?.['passwordHash']);
  const hasher = createHasher(new SimulatedRandom(1));
  t.equal(await hasher.verify(stored, 'user-Pass-1'), true);
  t.equal(await hasher.verify(stored, 'user-Pass-2'), false);
});

t.test('a password without a whole hash is left out', (t) => {
  const { record, report } = convertedOf({
    a: password({ updbPassword: text('') }),
    b: password({ updbPassword: text('AAAA') }),
    c: password({ updbPassword: text(`${hash}!`) }),
    d: password({ updbSalt: nil() }),
    e: password({ updbUsername: nil() }),
    f: password({ method: text('totp') }),
    g: password({ identity: nil() }),
    h: password({ identity: text('gone'), updbUsername: text('goner') }),
  });
  for (const id of 'abcdefgh') t.equal(record('authenticator', id), undefined, id);
  const noHash = 'Its password hash is not one of 32 bytes.';
  t.match(remarksOn({ report }, 'authenticators', 'leftOut'), [
    `a: ${noHash}`,
    `b: ${noHash}`,
    `c: ${noHash}`,
    'd: The salt of its password hash is missing, or too short or too long.',
    'e: It has no user name.',
    'f: Its method "totp" is not known.',
    'g: It names no identity.',
    'h: Its identityId names the identity "gone", which is not in the home.',
  ]);
  t.end();
});

t.test('a user name that nobody could write is kept and named', (t) => {
  const { record, report } = convertedOf({ pw: password({ updbUsername: text('bob') }) });
  t.match(record('authenticator', 'pw'), { username: 'bob' });
  t.match(remarksOn({ report }, 'authenticators', 'kept'), [
    /^pw: Its username is kept, although it is refused at a write: /,
  ]);
  t.end();
});

const keyType = 'ec-p256';
const root = await makeCertificate({ name: 'root', as: 'authority', keyType, nowMs });
const wanted = { name: 'me', as: 'end', keyType, nowMs, issuer: root } as const;
const [made, next] = [await makeCertificate(wanted), await makeCertificate(wanted)];
const current = 'certificate:current,life:existing';

t.test('certificates of the network', (t) => {
  const { record } = convertedOf({
    cert: certificate(made, {
      lastExtendRolledKeys: flag(true),
      isExtendRequested: flag(true),
      isKeyRollRequested: flag(true),
      extendRequestedAt: time(nowMs - 5),
    }),
  });
  t.match(record('authenticator', 'cert'), {
    method: 'cert',
    state: current,
    identityId: 'me',
    certPem: made.pem,
    fingerprint: made.fingerprint,
    publicKeyPrint: /^[0-9a-f]{64}$/,
    isIssuedByNetwork: true,
    caId: undefined,
    pendingCertPem: undefined,
    lastAuthResolvedToRoot: true,
    lastExtendRolledKeys: true,
    isExtendRequested: true,
    isKeyRollRequested: true,
    extendRequestedAt: nowMs - 5,
  });
  t.end();
});

t.test('certificates with an extension that waits', (t) => {
  const pending = { unverifiedCertPem: text(next.pem), unverifiedCertFingerprint: text('ab') };
  const { record, report } = convertedOf({
    cert: certificate(made, pending),
    half: certificate(next, { identity: text('you'), unverifiedCertFingerprint: text('ab') }),
  });
  t.match(record('authenticator', 'cert'), {
    state: 'certificate:pending,life:existing',
    pendingCertPem: next.pem,
    pendingFingerprint: next.fingerprint,
    pendingPublicKeyPrint: /^[0-9a-f]{64}$/,
  });
  t.match(record('authenticator', 'half'), { state: current, pendingFingerprint: undefined });
  t.same(remarksOn({ report }, 'authenticators', 'changed'), [
    'half: Its pending certificate is missing or cannot be read, and is dropped.',
  ]);
  t.end();
});

t.test('certificates that cannot be read, or say another fingerprint', (t) => {
  const { record, report } = convertedOf({
    none: certificate({ pem: '', fingerprint: '' }),
    other: certificate(made, { identity: text('you'), certFingerprint: text('AB12') }),
    print: certificate({ pem: 'no PEM', fingerprint: 'CD34' }, { identity: text('he') }),
  });
  t.equal(record('authenticator', 'none'), undefined);
  t.match(record('authenticator', 'print'), { certPem: undefined, fingerprint: 'cd34' });
  t.match(record('authenticator', 'other'), { fingerprint: made.fingerprint });
  t.same(remarksOn({ report }, 'authenticators', 'changed'), [
    'other: Its fingerprint was not that of its certificate, and is now.',
    'print: Its certificate cannot be read, and it keeps only the fingerprint.',
  ]);
  t.end();
});

t.test('certificates of a third-party CA, directly or through an intermediate', async (t) => {
  const below = { name: 'below', as: 'authority', keyType, nowMs, issuer: root } as const;
  const intermediate = await makeCertificate(below);
  const leaf = await makeCertificate({ ...wanted, issuer: intermediate });
  const stranger = await makeCertificate({ ...wanted, issuer: undefined });
  const notOurs = { isIssuedByNetwork: flag(false) };
  const chain = toPem([leaf.certificate, intermediate.certificate]);
  const { record } = converted({
    kinds: {
      cas: { theCa: entity({ name: text('ca'), certPem: text(root.pem) }) },
      identities: people,
      authenticators: {
        direct: certificate(made, notOurs),
        chained: certificate({ ...leaf, pem: chain }, { identity: text('you'), ...notOurs }),
        strange: certificate(stranger, { identity: text('he'), ...notOurs }),
      },
    },
  });
  t.match(record('authenticator', 'direct'), { isIssuedByNetwork: false, caId: 'theCa' });
  t.match(record('authenticator', 'chained'), { caId: 'theCa', certPem: chain });
  t.match(record('authenticator', 'strange'), { isIssuedByNetwork: false, caId: undefined });
});

t.test('certificates of a schema that does not say who issued them', (t) => {
  const { isIssuedByNetwork: _, ...unsaid } = certificate(made);
  const authorities = [root.certificate];
  const { record } = convertedOf({ cert: unsaid }, { authorities });
  t.match(record('authenticator', 'cert'), { isIssuedByNetwork: true });
  const stated = certificate(made, { isIssuedByNetwork: flag(false) });
  const { record: other } = convertedOf({ cert: stated }, { authorities });
  t.match(other('authenticator', 'cert'), { isIssuedByNetwork: false });
  t.end();
});

t.test('one that is left out makes no second one of another', (t) => {
  const linked = { me: identity('me', { authenticators: set(['bad', 'good']) }) };
  const authenticators = {
    bad: password({ updatedAt: time(nowMs), updbPassword: text('') }),
    good: password(),
  };
  const { record, book } = converted({ kinds: { identities: linked, authenticators } });
  t.match(record('authenticator', 'good'), { username: 'username' });
  t.same(
    book.json.stops.map(({ what }) => what),
    ['administrator'],
  );
  t.end();
});

t.test('prints are those that OpenSSL computes', async (t) => {
  for (const keyType of ['ec-p256', 'rsa-2048'] as const) {
    const made = await makeCertificate({ name: 'me', as: 'end', keyType, nowMs });
    t.same(printsIn(`text before\n${made.pem}${made.pem}`), {
      fingerprint: made.fingerprint,
      publicKeyPrint: publicKeyFingerprint(made.certificate.publicKey),
    });
    const [begin = '', body = ''] = made.pem.split('\n');
    for (const pem of [begin, `${begin}\n${body}\n-----END CERTIFICATE-----`]) {
      t.equal(printsIn(pem), undefined, 'cut off');
    }
  }
});

t.test('of two of one method, the one stays that was used or changed last', (t) => {
  const at = (ms: number, name: string) =>
    password({ updatedAt: time(ms), updbUsername: text(name) });
  const authenticators = { a: at(nowMs - 10, 'first'), b: at(nowMs - 20, 'second') };
  const stays = (result: Converted) =>
    ['a', 'b'].filter((id) => result.record('authenticator', id) !== undefined);
  const both = { ...people, me: identity('me', { authenticators: set(['a', 'b', 'gone']) }) };
  const changed = converted({ kinds: { identities: both, authenticators } });
  t.same(stays(changed), ['a']);
  t.equal(changed.book.isStopped, true);
  t.match(changed.report.stops, [{ what: 'second-authenticator', isAgreed: false }, {}]);
  t.match(remarksOn(changed, 'authenticators', 'leftOut'), [
    'b: Its identity "me" has another authenticator of the method updb, "a", which was used or ' +
      'changed later.',
  ]);
  const session = entity({
    token: text('2cd2f891-2741-4043-92c0-8a7b906d24e1'),
    identity: text('me'),
    authenticator: text('b'),
    lastActivityAt: time(nowMs - 1),
  });
  const apiSessions = { s: session };
  const used = converted(
    { kinds: { identities: both, authenticators, apiSessions } },
    { agreed: ['second-authenticator', 'administrator'] },
  );
  t.same(stays(used), ['b']);
  t.equal(used.book.isStopped, false);
  const unlinked = convertedOf(authenticators);
  t.same(stays(unlinked), ['a'], 'a link that is missing hides no second one');
  t.match(unlinked.report.stops, [{ what: 'second-authenticator' }, {}]);
  t.end();
});
