// The part of the controller that the PKI provides.

import type { X509Certificate } from 'node:crypto';
import type { Addresses, EnrollmentSubject } from '../declare/operations/environment.ts';
import type { Clock, Random } from '../platform/ports.ts';
import type { Authority } from './authority/authority.ts';
import { createIssuing, type Issuing } from './authority/issuing.ts';
import type { Serving } from './authority/serving.ts';
import {
  isCurrentCaToken,
  signCaToken,
  signEnrollmentToken,
  signNetworkToken,
} from './tokens/enrollment-tokens.ts';
import { createSessionTokens, type SessionTokens } from './tokens/session-tokens.ts';
import type { ApiKey } from './tokens/signer.ts';
import type { TokenKeys } from './tokens/token-keys.ts';

/** The part of the PKI. */
export interface PkiPart {
  /** Issues certificates with our issuer. */
  readonly issuing: Issuing;
  /** The keys that sign tokens of sessions and of the OIDC provider. */
  readonly tokenKeys: TokenKeys;
  readonly sessionTokens: SessionTokens;
  /** Signs an enrollment JWT with the API key (behaviour/enrollment#jwt). */
  signEnrollment(subject: EnrollmentSubject): Promise<string>;
  /** Signs the JWT by which holders of a CA's certificates enroll (behaviour/enrollment). */
  signCaEnrollment(caId: string): string;
  /** Whether such a JWT is of the key and the address of the present. */
  isCurrentCaEnrollment(jwt: string): boolean;
  /** The key that the API is served with, for uses besides the signing functions. */
  readonly apiKey: ApiKey;
  /** The CAs of this network: every certificate that it issued leads to one of them. */
  readonly trust: Pick<Authority, 'anchors' | 'intermediates' | 'trustDomain' | 'controllerId'>;
  /** The certificate that serves the API at present; its key signs the enrollment JWTs. */
  readonly serverCertificate: X509Certificate;
  /**
   * Tells clients which network this is (behaviour/enrollment#lasting-jwts). It never ends. A
   * promise until it is signed for the first time with the API key.
   */
  networkJwt(): string | Promise<string>;
}

/** What the part of the PKI is built from. */
export interface PkiOptions {
  readonly authority: Authority;
  readonly tokenKeys: TokenKeys;
  readonly serving: Serving;
  readonly clock: Clock;
  readonly random: Random;
  readonly addresses: Pick<Addresses, 'url'>;
  /** Where routers reach this controller, or the nodes of its cluster. */
  readonly controlAddresses: () => readonly string[];
  /** Bounds how many signatures are made in the libuv pool at the same time. */
  readonly signatures: { run<T>(sign: () => Promise<T>): Promise<T> };
}

/**
 * Creates the part of the PKI, but for what a renewal of the certificate replaces: that is read of
 * `serving` at each use.
 */
export function createPki(options: PkiOptions): Omit<PkiPart, 'apiKey' | 'serverCertificate'> {
  const { authority, tokenKeys, clock, random, addresses } = options;
  return {
    issuing: createIssuing(authority, clock, random),
    tokenKeys,
    sessionTokens: createSessionTokens(tokenKeys, addresses.url),
    ...enrollmentSigning(options),
    trust: authority,
  };
}

/** The functions that sign with the API's key; in the libuv pool, but for the JWTs of CAs. */
function enrollmentSigning({
  serving,
  addresses: { url },
  controlAddresses,
  signatures,
}: PkiOptions): Pick<
  PkiPart,
  'signEnrollment' | 'signCaEnrollment' | 'isCurrentCaEnrollment' | 'networkJwt'
> {
  let network: { readonly by: ApiKey; readonly jwt: string } | undefined;
  const by = (sign: (signer: ApiKey['signer']) => Promise<string>) =>
    signatures.run(() => sign(serving.apiKey.signer));
  return {
    signEnrollment: (claims) => {
      // Identities have nothing to do on the control channel.
      const controllers = isOfRouter(claims) ? controlAddresses() : [];
      return by((signer) =>
        signEnrollmentToken(signer, { ...claims, issuerUrl: url, controllers }),
      );
    },
    signCaEnrollment: (caId) => signCaToken(serving.apiKey.signer, url, caId),
    isCurrentCaEnrollment: (jwt) =>
      isCurrentCaToken(jwt, serving.server.certificate.publicKey, url),
    networkJwt() {
      const { apiKey } = serving;
      if (network?.by === apiKey) return network.jwt;
      return by(() => signNetworkToken(apiKey.signer, url)).then((jwt) => {
        network = { by: apiKey, jwt };
        return jwt;
      });
    },
  };
}

function isOfRouter({ method }: EnrollmentSubject): boolean {
  return method === 'erott' || method === 'trott';
}
