// External id claims: compared with a naive implementation of behaviour/cas#claims, and from real
// certificates.

import t from 'tap';
import {
  type CertifiedNames,
  claimProblem,
  externalIdIn,
} from '../../src/auth/external-jwt/external-id-claim.ts';
import type { AlternativeName } from '../../src/pki/authority/issue.ts';
import { Certificate } from '../../src/pki/x509/certificate.ts';
import {
  claimLocations,
  claimMatchers,
  claimParsers,
  type ExternalIdClaim,
} from '../../src/records/ca.ts';
import * as fc from '../properties.ts';
import { Openssl } from '../simulated/openssl.ts';

const everything: ExternalIdClaim = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};

/** The table of behaviour/cas#claims, step by step. */
function naive({ commonName, alternativeNames }: CertifiedNames, claim: ExternalIdClaim) {
  const { location, matcher, matcherCriteria, parser, parserCriteria, index } = claim;
  const found: string[] = [];
  if (location === 'COMMON_NAME' && commonName !== undefined) found.push(commonName);
  for (const { type, value } of alternativeNames) {
    if (location === 'SAN_EMAIL' && type === 'email') found.push(value);
    if (location === 'SAN_URI' && type === 'url') found.push(value);
  }
  const list: string[] = [];
  for (const value of found) {
    let kept: string | undefined;
    if (matcher === 'ALL') kept = value;
    const cut = matcherCriteria.length;
    if (matcher === 'PREFIX' && value.slice(0, cut) === matcherCriteria) kept = value.slice(cut);
    if (matcher === 'SUFFIX' && value.length >= cut) {
      const start = value.length - cut;
      if (value.slice(start) === matcherCriteria) kept = value.slice(0, start);
    }
    if (matcher === 'SCHEME' && value.includes(':')) {
      const scheme = value.split(':')[0] ?? '';
      // A letter, then letters, digits and three more signs (RFC 3986 §3.1).
      const isScheme = /^[a-z][a-z0-9+.-]*$/i.test(scheme);
      if (isScheme && scheme.toLowerCase() === matcherCriteria.toLowerCase()) kept = value;
    }
    if (kept === undefined) continue;
    if (parser === 'NONE') list.push(kept);
    else for (const piece of kept.split(parserCriteria)) list.push(piece);
  }
  const chosen = list[index];
  return chosen === '' ? undefined : chosen;
}

const word = fc.stringMatching(/^[ab:,-]{0,6}$/);
const criteria = fc.stringMatching(/^[ab:,-]{1,2}$/);
const alternativeName = fc.record({
  type: fc.constantFrom<AlternativeName['type']>('url', 'email', 'dns', 'ip'),
  value: fc.oneof(
    word,
    fc.tuple(fc.constantFrom('a', 'AB', 'b'), word).map((all) => all.join(':')),
  ),
});
const claims = fc
  .record({
    location: fc.constantFrom(...claimLocations),
    matcher: fc.constantFrom(...claimMatchers),
    matcherCriteria: fc.oneof(criteria, fc.constantFrom('a', 'ab', 'B')),
    parser: fc.constantFrom(...claimParsers),
    parserCriteria: criteria,
    index: fc.nat(4),
  })
  .filter((claim) => claimProblem(claim) === undefined);

t.test('agrees with the naive implementation', async () => {
  const names = fc.record({
    commonName: fc.option(word, { nil: undefined }),
    alternativeNames: fc.array(alternativeName, { maxLength: 5 }),
  });
  fc.assert(
    fc.property(names, claims, (some, claim) => {
      const [ours, theirs] = [externalIdIn(some, claim), naive(some, claim)];
      if (ours !== theirs) throw new Error(`${ours} instead of ${theirs}`);
    }),
    { numRuns: 3000 },
  );
});

t.test('from certificates of openssl', async (t) => {
  const openssl = new Openssl(t.testdir());
  const { der } = openssl.certificate({
    subject: '/O=Example/CN=first/CN=u-17, \\"x\\"',
    extensions: [
      'subjectAltName=@names',
      '[names]',
      'URI.1=spiffe://td/a,b/URI:c',
      'DNS.1=URI.example',
      'email.1=\\"Doe, Jane\\"@a.example',
      'URI.2=urn:x:17',
      'email.2=j@b.example',
    ],
  });
  const certificate = new Certificate(der);
  const cases: readonly (readonly [Partial<ExternalIdClaim>, string | undefined])[] = [
    [{}, 'u-17, "x"'],
    [{ index: 1 }, undefined],
    [{ matcher: 'PREFIX', matcherCriteria: 'u-' }, '17, "x"'],
    [{ matcher: 'PREFIX', matcherCriteria: 'U-' }, undefined],
    [{ matcher: 'SUFFIX', matcherCriteria: ', "x"' }, 'u-17'],
    [{ matcher: 'PREFIX', matcherCriteria: 'u-17, "x"' }, undefined],
    [{ parser: 'SPLIT', parserCriteria: '-', index: 1 }, '17, "x"'],
    [{ location: 'SAN_URI' }, 'spiffe://td/a,b/URI:c'],
    [{ location: 'SAN_URI', index: 1 }, 'urn:x:17'],
    [{ location: 'SAN_URI', index: 2 }, undefined],
    [{ location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'URN' }, 'urn:x:17'],
    [{ location: 'SAN_URI', matcher: 'SCHEME', matcherCriteria: 'ur' }, undefined],
    [{ location: 'SAN_EMAIL' }, '"Doe, Jane"@a.example'],
    [{ location: 'SAN_EMAIL', matcher: 'SUFFIX', matcherCriteria: '@b.example' }, 'j'],
    [{ location: 'SAN_EMAIL', parser: 'SPLIT', parserCriteria: '@', index: 3 }, 'b.example'],
  ];
  for (const [claim, expected] of cases) {
    t.equal(
      externalIdIn(certificate, { ...everything, ...claim }),
      expected,
      JSON.stringify(claim),
    );
  }
  const bare = new Certificate(openssl.certificate({ subject: '/O=x' }).der);
  for (const location of claimLocations) {
    t.equal(externalIdIn(bare, { ...everything, location }), undefined, location);
  }
});

t.test('the fields that a claim must have', async (t) => {
  t.equal(claimProblem({ ...everything }), undefined);
  const cases: readonly (readonly [Record<string, unknown>, string, RegExp])[] = [
    [{ location: 'SERIAL' }, 'externalIdClaim.location', /one of COMMON_NAME, SAN_URI, SAN_EMAIL/],
    [{ location: undefined }, 'externalIdClaim.location', /required/],
    [{ location: null }, 'externalIdClaim.location', /required/],
    [{ index: -1 }, 'externalIdClaim.index', /from 0 on/],
    [{ index: 0.5 }, 'externalIdClaim.index', /whole/],
    [{ index: '0' }, 'externalIdClaim.index', /whole/],
    [{ matcher: 'REGEX' }, 'externalIdClaim.matcher', /one of/],
    [{ parser: 'JSON' }, 'externalIdClaim.parser', /one of/],
    [{ matcherCriteria: 1 }, 'externalIdClaim.matcherCriteria', /string/],
    [{ parserCriteria: undefined }, 'externalIdClaim.parserCriteria', /required/],
    [{ matcher: 'SCHEME', matcherCriteria: 'x' }, 'externalIdClaim', /not for the location/],
    [{ matcher: 'PREFIX' }, 'externalIdClaim', /needs matcherCriteria/],
    [{ parser: 'SPLIT' }, 'externalIdClaim', /needs parserCriteria/],
  ];
  for (const [part, field, reason] of cases) {
    t.match(claimProblem({ ...everything, ...part }), { field, reason }, JSON.stringify(part));
  }
  const fit: Record<string, readonly string[]> = {
    COMMON_NAME: ['ALL', 'PREFIX', 'SUFFIX'],
    SAN_EMAIL: ['ALL', 'PREFIX', 'SUFFIX'],
    SAN_URI: ['ALL', 'SCHEME'],
  };
  for (const location of claimLocations) {
    for (const matcher of claimMatchers) {
      const claim = { ...everything, location, matcher, matcherCriteria: 'x' };
      const isFit = fit[location]?.includes(matcher);
      t.equal(claimProblem(claim) === undefined, isFit, `${location} ${matcher}`);
    }
  }
});
