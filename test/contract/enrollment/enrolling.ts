// Shared by tests of enrollment: an identity or a router with its token, and functions that use it.

import { X509Certificate } from 'node:crypto';
import type { Answer, CallOptions, Network } from '../../simulated/network.ts';

/** Who is to enroll, and by what. */
export interface Outstanding {
  readonly id: string;
  readonly token: string;
  readonly jwt: string;
}

/** Makes an identity with an enrollment. */
export async function newIdentity(
  network: Network,
  name: string,
  enrollment: Readonly<Record<string, unknown>> = { ott: true },
): Promise<Outstanding> {
  const body = { name, type: 'Default', isAdmin: false, enrollment };
  const id = await network.create('identities', body);
  const path = `M:/identities/${id}`;
  const made = await network.must<{ enrollment: Record<string, Outstanding> }>('GET', path);
  const [found] = Object.values(made.enrollment);
  if (found === undefined) throw new Error(`${name} has no enrollment`);
  return { id, token: found.token, jwt: found.jwt };
}

/** Makes an edge router, which has an enrollment. */
export async function newEdgeRouter(network: Network, name: string): Promise<Outstanding> {
  const id = await network.create('edge-routers', { name });
  const { enrollmentToken, enrollmentJwt } = await network.must<{
    enrollmentToken: string;
    enrollmentJwt: string;
  }>('GET', `M:/edge-routers/${id}`);
  return { id, token: enrollmentToken, jwt: enrollmentJwt };
}

/** Enrolls as SDKs do: the request in PEM, without a session. */
export function enrollWith(
  network: Network,
  token: string,
  request: string | Buffer,
  more: CallOptions = {},
): Promise<Answer> {
  return network.call('POST', `C:/enroll?method=ott&token=${token}`, {
    token: null,
    body: request,
    headers: { 'content-type': 'application/x-pem-file' },
    ...more,
  });
}

/** The certificates of a PEM text. */
export function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}
