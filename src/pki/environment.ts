// What the PKI adds to what operations may use of the controller.

import type { X509Certificate } from 'node:crypto';
import type { EnrollmentSubject } from '../declare/environment.ts';
import type { Authority } from './authority/authority.ts';
import type { Issuing } from './authority/issuing.ts';
import type { ApiKey } from './tokens/api-key.ts';
import type { SessionTokens } from './tokens/session-tokens.ts';

/** The part of the PKI. */
export interface PkiEnvironment {
  /** Issues certificates with our issuer. */
  readonly issuing: Issuing;
  readonly sessionTokens: SessionTokens;
  /** Signs an enrollment JWT with the API key (behaviour/enrollment#jwt). */
  signEnrollment(subject: EnrollmentSubject): Promise<string>;
  /** Signs the JWT by which holders of a CA's certificates enroll (behaviour/enrollment). */
  signCaEnrollment(caId: string): Promise<string>;
  /** The key that the API is served with, for uses besides the signing functions. */
  readonly apiKey: ApiKey;
  /** The CAs of this network: every certificate that it issued leads to one of them. */
  readonly trust: Pick<Authority, 'anchors' | 'intermediates' | 'trustDomain'>;
  /** The certificate that serves the API at present; its key signs the enrollment JWTs. */
  readonly serverCertificate: X509Certificate;
  /**
   * Tells clients which network this is (behaviour/enrollment#lasting-jwts). It never ends. A
   * promise until it is signed for the first time with the API key.
   */
  networkJwt(): string | Promise<string>;
}

declare module '../declare/environment.ts' {
  interface Environment extends PkiEnvironment {}
}
