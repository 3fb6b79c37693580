// The external id claim of a CA: the part of a certificate that names its identity (behaviour/cas).

import type { AlternativeName } from '../../pki/authority/issue.ts';
import {
  claimLocations,
  claimMatchers,
  claimParsers,
  type ExternalIdClaim,
} from '../../records/ca.ts';

/** The names of a certificate that a claim may look at. */
export interface CertifiedNames {
  readonly commonName: string | undefined;
  readonly alternativeNames: readonly AlternativeName[];
}

/** The field and the reason that make a claim invalid. */
export interface ClaimProblem {
  readonly field: string;
  readonly reason: string;
}

/**
 * The external id that a certificate yields; undefined for none: nothing located or matched, an
 * index beyond the list, an empty string.
 */
export function externalIdIn(names: CertifiedNames, claim: ExternalIdClaim): string | undefined {
  const { parser, parserCriteria, index } = claim;
  const values = located(names, claim.location).flatMap((value) => {
    const matched = match(value, claim);
    if (matched === undefined) return [];
    return parser === 'SPLIT' ? matched.split(parserCriteria) : [matched];
  });
  return values[index] || undefined;
}

/**
 * The problem of a claim as a whole, after a patch was merged with the stored claim
 * (behaviour/cas#claim-validation); undefined when nothing is. All six parts must be there;
 * criteria may be empty where nothing reads them.
 */
export function claimProblem(claim: Readonly<Record<string, unknown>>): ClaimProblem | undefined {
  for (const [name, isFit, reason] of parts) {
    const value = claim[name];
    const field = `externalIdClaim.${name}`;
    if (value === undefined || value === null) return { field, reason: 'is required' };
    if (!isFit(value)) return { field, reason };
  }
  const { location, matcher, matcherCriteria, parser, parserCriteria } = claim;
  const refuse = (reason: string): ClaimProblem => ({ field: 'externalIdClaim', reason });
  if (matcher !== 'ALL' && (matcher === 'SCHEME') !== (location === 'SAN_URI')) {
    return refuse(`the matcher ${matcher} is not for the location ${location}`);
  }
  if (matcher !== 'ALL' && matcherCriteria === '') {
    return refuse(`the matcher ${matcher} needs matcherCriteria`);
  }
  if (parser === 'SPLIT' && parserCriteria === '') {
    return refuse('the parser SPLIT needs parserCriteria');
  }
  return undefined;
}

const oneOf = (allowed: readonly unknown[]) => (value: unknown) => allowed.includes(value);

const isText = (value: unknown) => typeof value === 'string';

const isIndex = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

const parts: readonly (readonly [string, (value: unknown) => boolean, string])[] = [
  ['location', oneOf(claimLocations), `must be one of ${claimLocations.join(', ')}`],
  ['index', isIndex, 'must be a whole number from 0 on'],
  ['matcher', oneOf(claimMatchers), `must be one of ${claimMatchers.join(', ')}`],
  ['matcherCriteria', isText, 'must be a string'],
  ['parser', oneOf(claimParsers), `must be one of ${claimParsers.join(', ')}`],
  ['parserCriteria', isText, 'must be a string'],
];

function located(
  { commonName, alternativeNames }: CertifiedNames,
  location: ExternalIdClaim['location'],
): readonly string[] {
  if (location === 'COMMON_NAME') return commonName === undefined ? [] : [commonName];
  const type = location === 'SAN_URI' ? 'url' : 'email';
  return alternativeNames.filter((name) => name.type === type).map(({ value }) => value);
}

/** The rest of a value that matches; undefined for one that does not. */
function match(value: string, { matcher, matcherCriteria }: ExternalIdClaim): string | undefined {
  switch (matcher) {
    case 'ALL':
      return value;
    case 'PREFIX':
      return value.startsWith(matcherCriteria) ? value.slice(matcherCriteria.length) : undefined;
    case 'SUFFIX':
      return value.endsWith(matcherCriteria)
        ? value.slice(0, value.length - matcherCriteria.length)
        : undefined;
    case 'SCHEME':
      return hasScheme(value, matcherCriteria) ? value : undefined;
  }
}

/** Schemes are equal in any case (RFC 3986 §3.1). */
function hasScheme(uri: string, scheme: string): boolean {
  const found = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1];
  return found?.toLowerCase() === scheme.toLowerCase();
}
