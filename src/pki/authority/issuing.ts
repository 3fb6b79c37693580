// Creates the certificates that a running controller issues (behaviour/certificates#issued).

import type { X509Certificate } from 'node:crypto';
import { errorCodes } from '../../errors/error-codes.ts';
import { ApiError } from '../../errors/errors.ts';
import type { Clock, Random } from '../../platform/ports.ts';
import type { Certificate } from '../x509/certificate.ts';
import { certificateSigner, commonNameOnly, writeCertificate } from '../x509/certificate-writer.ts';
import { type CertificateRequest, csrError } from '../x509/csr.ts';
import { fingerprint, toPem } from '../x509/pem.ts';
import type { Authority } from './authority.ts';
import type { AlternativeName, ExtendedUsage } from './issue.ts';
import { backdatingMs } from './own-ca.ts';

/** A certificate with the parts that its holder receives. */
export interface Issued {
  readonly certificate: X509Certificate;
  /** SHA-1 of the DER in lower-case hex. */
  readonly fingerprint: string;
  /** PEM, the new certificate first, the root left out. */
  readonly chainPem: string;
  /** PEM of the roots that clients trust. */
  readonly caPem: string;
}

/** The subject of a session certificate. */
export interface SessionCertificateOwner {
  readonly identityId: string;
  readonly apiSessionId: string;
  /** Id of the session certificate's own record. */
  readonly id: string;
}

/**
 * Issues with the controller's issuer. Each call takes one private-key operation on the caller's
 * stack; nothing is cached.
 */
export interface Issuing {
  /** For an identity that enrolls by a one-time token; names only the identity. */
  identityClient(request: CertificateRequest, identityId: string): Issued;
  /** For the holder of `current`, whose alternative names it copies. */
  extended(request: CertificateRequest, current: NamedCertificate): Issued;
  /**
   * The certificate by which a router authenticates.
   * @param field the name of the request in errors, as in `readCertificateRequest`.
   * @throws ApiError COULD_NOT_PROCESS_CSR when the common name is not the id of the router, or
   *   another one of this network is named.
   */
  routerClient(request: CertificateRequest, routerId: string, field: string): Issued;
  /**
   * The certificate of a router's listeners.
   * @throws ApiError COULD_NOT_PROCESS_CSR when another one of this network is named.
   */
  routerServer(request: CertificateRequest, routerId: string, field: string): Issued;
  /**
   * For one API session; expires with it or after 12 hours (behaviour/api-sessions#certificates).
   */
  session(request: CertificateRequest, owner: SessionCertificateOwner): Issued;
  /** As `session`, for tokens that are bound to it: a client may renew them for months. */
  boundSession(request: CertificateRequest, owner: SessionCertificateOwner): Issued;
}

/** The part of a certificate that an extension keeps. */
export type NamedCertificate = Pick<Certificate, 'alternativeNames'>;

const hourMs = 3600 * 1000;
const clientLifetimeMs = 365 * 24 * hourMs;
const sessionLifetimeMs = 12 * hourMs;

/** Issuing by the CA of a running controller. */
export function createIssuing(
  authority: Pick<Authority, 'trustDomain' | 'issuer' | 'anchors'>,
  clock: Pick<Clock, 'now'>,
  random: Random,
): Issuing {
  const { trustDomain, issuer, anchors } = authority;
  const signer = certificateSigner(issuer);
  const caPem = toPem(anchors);
  const spiffe = (path: string): AlternativeName[] => [
    { type: 'url', value: `spiffe://${trustDomain}/${path}` },
  ];

  function issue(content: {
    readonly request: CertificateRequest;
    readonly subject?: Buffer;
    readonly names: readonly AlternativeName[];
    readonly lifetimeMs?: number;
    readonly usage?: ExtendedUsage;
  }): Issued {
    const { request, subject = request.subject, names, lifetimeMs = clientLifetimeMs } = content;
    const nowMs = clock.now();
    const certificate = writeCertificate(
      {
        subject,
        publicKey: request.publicKey,
        alternativeNames: names,
        notBeforeMs: nowMs - backdatingMs,
        notAfterMs: nowMs + lifetimeMs,
        use: { as: 'end', extendedUsages: [content.usage ?? 'clientAuth'] },
      },
      signer,
      random,
    );
    const chainPem = toPem([certificate, ...issuer.chain]);
    return { certificate, fingerprint: fingerprint(certificate), chainPem, caPem };
  }

  function ofSession(
    request: CertificateRequest,
    { identityId, apiSessionId, id }: SessionCertificateOwner,
    lifetimeMs: number,
  ): Issued {
    const path = `identity/${identityId}/apiSession/${apiSessionId}/apiSessionCertificate/${id}`;
    const subject = commonNameOnly(identityId);
    return issue({ request, subject, names: spiffe(path), lifetimeMs });
  }

  return {
    identityClient: (request, identityId) =>
      issue({ request, names: spiffe(`identity/${identityId}`) }),
    extended: (request, current) => issue({ request, names: current.alternativeNames }),
    routerClient: (request, routerId, field) => {
      if (request.commonName !== routerId) throw commonNameError();
      return issue({ request, names: namesOfRouter(request, routerId, trustDomain, field) });
    },
    routerServer: (request, routerId, field) => {
      const names = namesOfRouter(request, routerId, trustDomain, field);
      return issue({ request, names, usage: 'serverAuth' });
    },
    session: (request, owner) => ofSession(request, owner, sessionLifetimeMs),
    boundSession: (request, owner) => ofSession(request, owner, clientLifetimeMs),
  };
}

/** Wrapped, because routers check the outer code (behaviour/certificates#router-common-name). */
function commonNameError(): ApiError {
  const code = 'EDGE_ROUTER_ENROLL_COMMON_NAME_INVALID';
  const { message } = errorCodes[code];
  return new ApiError('COULD_NOT_PROCESS_CSR', { cause: { code, message } });
}

/**
 * The names that a router requests. Routers identify identities and sessions of this network by
 * SPIFFE names, so a router gets only its own SPIFFE name.
 */
function namesOfRouter(
  { alternativeNames }: CertificateRequest,
  routerId: string,
  trustDomain: string,
  field: string,
): readonly AlternativeName[] {
  const network = `spiffe://${trustDomain}/`;
  const own = `${network}router/${routerId}`;
  for (const { type, value } of alternativeNames) {
    if (type !== 'url' || value === own || value.startsWith(`${own}/`)) continue;
    if (`${value}/`.toLowerCase().startsWith(network)) {
      throw csrError(field, 'it asks for the SPIFFE name of another one of this network');
    }
  }
  return alternativeNames;
}
