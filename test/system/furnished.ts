// One of each thing that an administrator can make, so that no list is empty when a strict client
// reads it.

import { authorityExtensions, type Openssl } from '../simulated/openssl.ts';
import type { Api } from './client.ts';

/** The service with a config, and the address that it gives. */
export const furnished = {
  service: 'configured',
  address: { host: 'printer.hall', port: 9100 },
} as const;

const processOf = { osType: 'Linux', path: '/sbin/agent', hashes: ['00ff'] };

/** What each type of posture check looks for. */
const postureChecks = {
  OS: { operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }] },
  DOMAIN: { domains: ['corp.example'] },
  MAC: { macAddresses: ['00:00:5e:00:53:01'] },
  PROCESS: { process: { ...processOf, signerFingerprint: 'ab'.repeat(20) } },
  PROCESS_MULTI: { semantic: 'AnyOf', processes: [processOf] },
  MFA: { timeoutSeconds: 60, promptOnWake: true, promptOnUnlock: false },
};

/** Makes them, `furnished` among them, beside the network of `createNetwork` and its `service`. */
export async function furnish(admin: Api, openssl: Openssl, service: string): Promise<void> {
  const { host, port } = furnished.address;
  const configs = [
    await admin.create('configs', {
      name: 'intercept',
      configTypeId: 'g7cIWbcGg',
      data: {
        protocols: ['tcp'],
        addresses: [host],
        portRanges: [{ low: port, high: port }],
      },
    }),
  ];
  await admin.create('services', {
    name: furnished.service,
    encryptionRequired: true,
    configs,
  });
  const router = await admin.create('routers', { name: 'transit' });
  await admin.create('terminators', {
    service,
    router,
    binding: 'transport',
    address: 'tcp:printer:9100',
  });
  for (const [typeId, sought] of Object.entries(postureChecks)) {
    await admin.create('posture-checks', { name: typeId, typeId, ...sought });
  }
  const { pem } = openssl.certificate({
    subject: '/CN=Root of others',
    extensions: authorityExtensions,
  });
  await admin.create('cas', {
    name: 'others',
    certPem: pem,
    identityRoles: ['others'],
    isAuthEnabled: true,
    isOttCaEnrollmentEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    externalIdClaim: {
      location: 'COMMON_NAME',
      index: 0,
      matcher: 'ALL',
      matcherCriteria: '',
      parser: 'NONE',
      parserCriteria: '',
    },
  });
  await admin.create('external-jwt-signers', {
    name: 'provider',
    issuer: 'https://idp.example',
    audience: 'edge',
    enabled: true,
    certPem: pem,
  });
  await admin.create('auth-policies', strictPolicy);
}

const strictPolicy = {
  name: 'strict',
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: false, allowedSigners: [] },
    updb: {
      allowed: true,
      lockoutDurationMinutes: 0,
      maxAttempts: 5,
      minPasswordLength: 5,
      requireMixedCase: false,
      requireNumberChar: false,
      requireSpecialChar: false,
    },
  },
  secondary: { requireTotp: true, requireExtJwtSigner: null },
};
