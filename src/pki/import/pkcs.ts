// Reads PKCS#12 and PKCS#7 with node-forge, because Node reads neither. It is loaded nowhere else,
// and only when a file needs it.

import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { asn1, pkcs12 } from 'node-forge';
import { StartProblem } from '../../errors/errors.ts';
import { PkiProblem } from '../problem.ts';
import { refuseManyRounds, wrongPassword } from './protection.ts';

type Forge = typeof import('node-forge');

/** A file that was read. */
export interface NamedBytes {
  /** What messages call it. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** The content of a file. */
export interface PkcsContent {
  readonly keys: KeyObject[];
  /** DER of each certificate; nothing has looked at it yet. */
  readonly certificates: Buffer[];
}

/**
 * Reads a file in DER or BER.
 * @param ask gives the password of PKCS#12, if the empty one does not open it
 * @throws PkiProblem for a file of another form, a damaged one, a wrong password, and protection
 *   that the library does not know; what `ask` throws
 */
export async function readPkcs(
  { name, bytes }: NamedBytes,
  ask: () => Promise<string>,
): Promise<PkcsContent> {
  const { default: forge } = await import('node-forge');
  try {
    const whole = forge.asn1.fromDer(bytes.toString('latin1'));
    const [first] = childrenOf(whole);
    if (first?.type === forge.asn1.Type.OID) {
      return { keys: [], certificates: certificatesIn(forge, whole) };
    }
    if (first?.type === forge.asn1.Type.INTEGER) {
      return contentOf(forge, await opened(forge, name, whole, ask));
    }
  } catch (error) {
    if (error instanceof StartProblem) throw error;
    throw new PkiProblem(
      `${name} is damaged, or protected in a way that is not known here: convert it to PEM with openssl.`,
      { cause: error },
    );
  }
  throw new PkiProblem(`${name} is not PEM, PKCS#12 or PKCS#7.`);
}

/** Empty for an element that is not constructed. */
function childrenOf({ value }: asn1.Asn1): asn1.Asn1[] {
  return typeof value === 'string' ? [] : value;
}

function derOf(forge: Forge, element: asn1.Asn1): Buffer {
  return Buffer.from(forge.asn1.toDer(element).getBytes(), 'latin1');
}

/**
 * The certificates of a `SignedData` (RFC 5652 §5.1). The library's own reader of PKCS#7 knows
 * certificates with RSA keys only.
 */
function certificatesIn(forge: Forge, whole: asn1.Asn1): Buffer[] {
  const { CONTEXT_SPECIFIC } = forge.asn1.Class;
  const [, wrapped] = childrenOf(whole);
  const [signedData] = wrapped === undefined ? [] : childrenOf(wrapped);
  const parts = signedData === undefined ? [] : childrenOf(signedData);
  const set = parts.find(({ tagClass, type }) => tagClass === CONTEXT_SPECIFIC && type === 0);
  return set === undefined ? [] : childrenOf(set).map((certificate) => derOf(forge, certificate));
}

/** Opens a `PFX` (RFC 7292 §4). Many files have the empty password, in one of its two forms. */
async function opened(
  forge: Forge,
  name: string,
  pfx: asn1.Asn1,
  ask: () => Promise<string>,
): Promise<pkcs12.Pkcs12Pfx> {
  const [, , mac] = childrenOf(pfx);
  if (mac === undefined) {
    throw new PkiProblem(
      `${name} has no checksum for its password: convert it to PEM with openssl.`,
    );
  }
  refuseManyRounds(derOf(forge, mac), name);
  const open = (password?: string) => openedBy(forge, pfx, password);
  const content = open('') ?? open() ?? open(await ask());
  if (content === undefined) throw wrongPassword(name);
  return content;
}

/** Undefined for a wrong password. */
function openedBy(
  forge: Forge,
  pfx: asn1.Asn1,
  password: string | undefined,
): pkcs12.Pkcs12Pfx | undefined {
  try {
    return forge.pkcs12.pkcs12FromAsn1(pfx, true, password);
  } catch (error) {
    if (error instanceof Error && error.message.includes('MAC could not be verified')) {
      return undefined;
    }
    if (password === undefined || !/[^\0-\x7f]/.test(password)) throw error;
  }
  // The checksum was right. It takes the password as UTF-16 (RFC 7292 appendix B.1), but PBES2
  // takes it as UTF-8, which the library leaves to its caller.
  const unchecked = { ...pfx, value: childrenOf(pfx).slice(0, 2) };
  const utf8 = Buffer.from(password, 'utf8').toString('latin1');
  return forge.pkcs12.pkcs12FromAsn1(unchecked, true, utf8);
}

/** The library parses RSA, and hands on the elements of what it does not know, such as EC. */
function contentOf(forge: Forge, { safeContents }: pkcs12.Pkcs12Pfx): PkcsContent {
  const { pki } = forge;
  const content: PkcsContent = { keys: [], certificates: [] };
  for (const { type, key, cert, asn1 } of safeContents.flatMap(({ safeBags }) => safeBags)) {
    if (type === pki.oids['certBag']) {
      content.certificates.push(derOf(forge, cert ? pki.certificateToAsn1(cert) : asn1));
    } else if (key) {
      const der = derOf(forge, pki.privateKeyToAsn1(key));
      content.keys.push(createPrivateKey({ key: der, format: 'der', type: 'pkcs1' }));
    } else {
      const der = derOf(forge, asn1);
      content.keys.push(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    }
  }
  return content;
}
