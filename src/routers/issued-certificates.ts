// The two certificates of a router, issued for its requests (behaviour/certificates#routers).

import type { Issued } from '../pki/authority/issuing.ts';
import { readCertificateRequest } from '../pki/x509/csr.ts';
import type { RoutersEnvironment } from './context.ts';

/** A request with the name that errors give it. */
export interface NamedRequest {
  readonly field: string;
  readonly csr: string;
}

/** Certificates that were issued to one router. */
export interface IssuedPair {
  /** By which it authenticates. */
  readonly client: Issued;
  /** Of its listeners. */
  readonly server: Issued;
}

/**
 * Issues both, or none.
 * @throws ApiError COULD_NOT_PROCESS_CSR
 */
export function issueRouterCertificates(
  { issuing }: Pick<RoutersEnvironment, 'issuing'>,
  routerId: string,
  asked: { readonly client: NamedRequest; readonly server: NamedRequest },
): IssuedPair {
  const read = ({ csr, field }: NamedRequest) => readCertificateRequest(csr, field);
  const [client, server] = [read(asked.client), read(asked.server)];
  return {
    client: issuing.routerClient(client, routerId, asked.client.field),
    server: issuing.routerServer(server, routerId, asked.server.field),
  };
}
