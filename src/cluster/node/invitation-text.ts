// The text of an invitation to a cluster, as one machine prints it and another one is given it
// (behaviour/cluster#operating).

import { Buffer } from 'node:buffer';

/** The facts that the text of an invitation contains. */
export interface InvitationFacts {
  /** Where the nodes of the cluster are reached, `host:port`. */
  readonly addresses: readonly string[];
  /** `SHA256:` and the fingerprint of the root of the cluster's CA. */
  readonly pin: string;
  /** SHA-256 of the public key of the API, in hex: no router's certificate has it. */
  readonly key: string;
  readonly id: string;
  readonly secret: string;
}

/** Longest text: three hundred addresses. @bound per request */
const textLengthMax = 16_384;

const prefix = 'edge-control-invitation-1.';

/** Writes the text. */
export function invitationText(facts: InvitationFacts): string {
  return `${prefix}${Buffer.from(JSON.stringify(facts)).toString('base64url')}`;
}

/** Reads the text; undefined if it is none. */
export function readInvitation(text: string): InvitationFacts | undefined {
  if (!text.startsWith(prefix) || text.length > textLengthMax) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(text.slice(prefix.length), 'base64url').toString());
  } catch {
    return undefined;
  }
  if (typeof read !== 'object' || read === null) return undefined;
  const { addresses, pin, key, id, secret } = read as Partial<
    Record<keyof InvitationFacts, unknown>
  >;
  if (!Array.isArray(addresses) || addresses.length === 0) return undefined;
  if (!addresses.every((address) => typeof address === 'string')) return undefined;
  if (typeof pin !== 'string' || typeof key !== 'string') return undefined;
  if (typeof id !== 'string' || typeof secret !== 'string') return undefined;
  return { addresses, pin, key, id, secret };
}
