// Commands that create one entity of each kind that can be created.

import { makeCertificate } from '../../simulated/certificates.ts';

/** One of them. */
export interface Creation {
  readonly kind: string;
  /** The name of the entity; empty for kinds without names. */
  readonly name: string;
  /** What follows `create KIND`. */
  readonly words: readonly string[];
  /** Standard input, for a command with `-f -`. */
  readonly body?: object;
}

/** The parts of an auth policy that lets people log in by password. */
export const anyLogin = {
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: false, allowedSigners: [] },
    updb: {
      allowed: true,
      minPasswordLength: 5,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
      maxAttempts: 0,
      lockoutDurationMinutes: 0,
    },
  },
  secondary: { requireTotp: false },
};

/**
 * Creations in an order in which the entities name each other. Deletions go the other way.
 * @param prefix a word before each name, so that several of them can be there
 * @param named the word before the names of the entities that they name
 */
export async function creationsOf(prefix: string, named = prefix): Promise<Creation[]> {
  const at = (kind: string) => `${named} ${kind}`;
  const one = (kind: string, words: readonly string[] = [], body?: object): Creation => {
    const input = body === undefined ? {} : { body };
    const name = `${prefix} ${kind}`;
    return { kind, name, words: [name, ...words, ...(body ? ['-f', '-'] : [])], ...input };
  };
  const { pem } = await makeCertificate({
    name: prefix,
    as: 'authority',
    keyType: 'ec-p256',
    nowMs: Date.now(),
  });
  const identities = ['--identity-roles', `@${at('identity')}`];
  const services = ['--service-roles', `@${at('service')}`];
  const routers = ['--edge-router-roles', `@${at('edge-router')}`];
  const hosting = ['--service', at('service'), '--router', at('edge-router')];
  return [
    one('identity', ['--roles', 'staff', '--enroll', '--tag', 'hall=north']),
    one('auth-policy', [], anyLogin),
    one('ca', ['--cert-pem', pem], {
      identityRoles: ['partners'],
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
    }),
    one('config-type', ['--schema', '{"type":"object"}']),
    one('config', ['--config-type', at('config-type'), '--data', '{"open":true}']),
    one('service', ['--configs', at('config'), '--roles', 'printers']),
    one('edge-router', ['--roles', 'public']),
    one('transit-router'),
    one('router', ['--id', `${prefix}-router`, '--cost', '0', '--traversal']),
    one('edge-router-policy', [...identities, ...routers]),
    one('service-edge-router-policy', [...services, ...routers]),
    one('service-policy', ['--type', 'Dial', ...identities, ...services]),
    one('posture-check', ['--type', 'DOMAIN', '--domains', 'corp.example']),
    one('external-jwt-signer', [], {
      issuer: `https://${prefix}.example.com`,
      audience: 'edge',
      enabled: true,
      jwksEndpoint: `https://${prefix}.example.com/keys`,
    }),
    {
      kind: 'terminator',
      name: '',
      words: [...hosting, '--binding', 'edge', '--address', 'hosted:1'],
    },
    {
      kind: 'revocation',
      name: '',
      words: ['--id', crypto.randomUUID(), '--type', 'JTI'],
    },
  ];
}
