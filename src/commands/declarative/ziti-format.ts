// The form of files that `ziti ops export` writes and `ziti ops import` reads: answers of the API
// with `@name` where they have ids.

import { builtInRecords } from '../../resources/configs/built-in/index.ts';
import { type Fields, isObject, isTold } from './entry.ts';
import type { Present } from './network.ts';
import type { Section } from './sections.ts';

/** Members that no kind has in such a file. */
const neverWritten = ['id', '_links', 'createdAt', 'updatedAt', 'isSystem', 'isUnconfirmed'];

/** Further members of the answers that such a file leaves out, by section. */
const notWritten: Readonly<Partial<Record<Section['name'], string>>> = {
  identities:
    'defaultHostingCost defaultHostingPrecedence hasApiSession serviceHostingPrecedences serviceHostingCosts enrollment authenticators appData sdkInfo envInfo type authPolicyId hasRouterConnection hasEdgeRouterConnection disabled disabledAt disabledUntil',
  edgeRouters:
    'cost fingerprint isVerified isOnline enrollmentToken enrollmentJwt enrollmentCreatedAt enrollmentExpiresAt syncStatus versionInfo certPem supportedProtocols unverifiedCertPem unverifiedFingerprint',
  services: 'config data postureQueries permissions maxIdleTimeMillis',
  configs: 'configTypeId',
  certificateAuthorities: 'verificationToken jwt',
  servicePolicies: 'identityRolesDisplay serviceRolesDisplay postureCheckRolesDisplay',
  serviceEdgeRouterPolicies: 'edgeRouterRolesDisplay serviceRolesDisplay',
  edgeRouterPolicies: 'identityRolesDisplay edgeRouterRolesDisplay',
  externalJwtSigners: 'notBefore notAfter commonName enrollAuthPolicyId',
  postureChecks: 'version',
};

/** Fields that name one entity or several, which such a file writes as `@name`. */
const named = new Set(['configType', 'authPolicy', 'enrollAuthPolicy', 'configs']);

/** An entity as an entry of such a file; undefined if `ziti` leaves it out. */
export function zitiFormOf(section: Section, { name, fields, detail, kept }: Present): unknown {
  if (kept !== undefined || section.name === 'transitRouters') return undefined;
  const left = new Set([...neverWritten, ...(notWritten[section.name] ?? '').split(' ')]);
  const entry: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(detail)) if (!left.has(key)) entry[key] = value;
  // With names for ids. What such a file leaves out of ours, `ziti` would not read either.
  for (const [key, value] of Object.entries(fields)) {
    if (!left.has(key)) entry[key] = prefixed(key, value);
  }
  if (section.fields.includes('roleAttributes')) entry['roleAttributes'] ??= [];
  return { ...entry, name };
}

function prefixed(key: string, value: unknown): unknown {
  if (named.has(key)) return atName(value);
  if (!isObject(value)) return value;
  const { extJwt } = value;
  if (key === 'primary' && isObject(extJwt)) {
    return { ...value, extJwt: { ...extJwt, allowedSigners: atName(extJwt['allowedSigners']) } };
  }
  if (key !== 'secondary') return value;
  return { ...value, requireExtJwtSigner: atName(value['requireExtJwtSigner']) };
}

function atName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(atName);
  return typeof value === 'string' && value !== '' ? `@${value}` : value;
}

const builtInNames = new Set(
  builtInRecords.flatMap(({ kind, record }) =>
    kind === 'configType' && 'name' in record ? [record.name] : [],
  ),
);

/**
 * An entry of such a file in our form, without members that no one can set and nulls that tell
 * nothing (`isTold`). Undefined for what every controller makes for itself.
 */
export function ownFormOf(section: Section, given: unknown): unknown {
  if (!isObject(given)) return given;
  const { name } = given;
  if (isOfController(section, given)) return undefined;
  const fields: Record<string, unknown> = { name };
  for (const key of section.fields) {
    const value = given[key] ?? given[section.renamed[key]?.detail ?? key];
    if (isTold(section, key, value)) fields[key] = unprefixed(key, value);
  }
  return fields;
}

function isOfController(section: Section, given: Fields): boolean {
  const name = String(given['name']);
  if (section.name === 'configTypes') return builtInNames.has(name);
  if (section.name === 'identities') return given['isDefaultAdmin'] === true;
  // The policy of a router with a tunneler, which is made with the router.
  return section.name === 'edgeRouterPolicies' && /^edge-router-.+-system$/.test(name);
}

function unprefixed(key: string, value: unknown): unknown {
  if (named.has(key)) return plainName(value);
  // A type as `ziti` reads it is an object in older answers.
  if (key === 'type' && isObject(value)) return value['name'];
  if (!isObject(value)) return value;
  const { extJwt } = value;
  if (key === 'primary' && isObject(extJwt)) {
    return { ...value, extJwt: { ...extJwt, allowedSigners: plainName(extJwt['allowedSigners']) } };
  }
  if (key !== 'secondary') return value;
  return { ...value, requireExtJwtSigner: plainName(value['requireExtJwtSigner']) };
}

function plainName(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainName);
  return typeof value === 'string' ? value.replace(/^@/, '') : value;
}
