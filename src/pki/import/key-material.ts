// Reads keys and certificates from a file of another authority: PEM, PKCS#12 or PKCS#7. The file
// may be damaged or made by anybody, so each certificate passes our strict reader.

import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { PkiProblem } from '../problem.ts';
import { Certificate } from '../x509/certificate.ts';
import { readCertificates } from '../x509/certificate-text.ts';
import { DerProblem, DerReader, derTag, wholeElement } from '../x509/der.ts';
import { type NamedBytes, readPkcs } from './pkcs.ts';
import { refuseManyRounds, wrongPassword } from './protection.ts';

/** All keys and certificates of one or several files, in their order. */
export interface KeyMaterial {
  readonly keys: readonly KeyObject[];
  readonly certificates: readonly X509Certificate[];
}

/**
 * Reads all of a file.
 * @param ask gives the password; called only for a file that needs one
 * @throws PkiProblem for a file of another form, a damaged one, a wrong password, and protection
 *   that is not known; what `ask` throws
 */
export async function readKeyMaterial(
  file: NamedBytes,
  ask: () => Promise<string>,
): Promise<KeyMaterial> {
  const { name, bytes } = file;
  if (!isDer(bytes)) return await readPem(name, bytes.toString('latin1'), ask);
  const { keys, certificates } = await readPkcs(file, ask);
  return { keys, certificates: certificates.map((der) => fromDer(der, name)) };
}

/** A sequence of 128 bytes or more. A text may begin with the digit 0, which is the same tag. */
function isDer([tag, length = 0]: Buffer): boolean {
  return tag === derTag.sequence && length >= 0x80;
}

/** A header line holds single hyphens (RFC 1421 §4.6). */
const pemBlock = /-----BEGIN ([A-Z0-9 ]{1,64})-----([^-]*(?:-(?!----)[^-]*)*)-----END \1-----/g;

async function readPem(
  name: string,
  text: string,
  ask: () => Promise<string>,
): Promise<KeyMaterial> {
  const blocks = [...text.matchAll(pemBlock)];
  const begun = text.split('-----BEGIN ').length - 1;
  if (begun === 0) throw new PkiProblem(`${name} is not PEM, PKCS#12 or PKCS#7.`);
  if (blocks.length < begun) {
    throw new PkiProblem(`${name} holds a PEM block that is cut off or damaged.`);
  }
  const keys: KeyObject[] = [];
  const certificates: X509Certificate[] = [];
  for (const [block, label = '', content = ''] of blocks) {
    if (label === 'CERTIFICATE') {
      certificates.push(fromPem(block, name));
    } else if (label === 'PKCS7' || label === 'CMS') {
      const read = await readPkcs({ name, bytes: Buffer.from(content, 'base64') }, ask);
      certificates.push(...read.certificates.map((der) => fromDer(der, name)));
    } else if (label.endsWith('PRIVATE KEY')) {
      keys.push(await privateKey({ name, block, label, content }, ask));
    } else if (!label.endsWith(' PARAMETERS')) {
      throw new PkiProblem(`${name} holds a PEM block of the kind ${label}.`);
    }
  }
  return { keys, certificates };
}

function fromDer(der: Buffer, name: string): X509Certificate {
  const base64 = der.toString('base64');
  return fromPem(`-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----`, name);
}

function fromPem(block: string, name: string): X509Certificate {
  const read = readCertificates(block, Number.POSITIVE_INFINITY);
  if ('unreadable' in read) throw new PkiProblem(`${name} ${read.reason}.`);
  const [certificate] = read.certificates;
  try {
    new Certificate(certificate.raw);
  } catch (error) {
    if (!(error instanceof DerProblem)) throw error;
    throw new PkiProblem(`${name} holds a certificate that cannot be used: ${error.message}.`);
  }
  return certificate;
}

interface KeyBlock {
  readonly name: string;
  readonly block: string;
  readonly label: string;
  readonly content: string;
}

async function privateKey(
  { name, block, label, content }: KeyBlock,
  ask: () => Promise<string>,
): Promise<KeyObject> {
  const isPkcs8 = label === 'ENCRYPTED PRIVATE KEY';
  const damaged = `${name} holds a private key that cannot be read.`;
  if (isPkcs8) {
    try {
      refuseManyRounds(algorithmOf(Buffer.from(content, 'base64')), name);
    } catch (error) {
      throw error instanceof DerProblem ? new PkiProblem(damaged, { cause: error }) : error;
    }
  }
  const isEncrypted = isPkcs8 || content.includes('Proc-Type: 4,ENCRYPTED');
  const passphrase = isEncrypted ? await ask() : undefined;
  try {
    return createPrivateKey({ key: block, format: 'pem', passphrase });
  } catch (error) {
    throw isEncrypted ? wrongPassword(name) : new PkiProblem(damaged, { cause: error });
  }
}

/** The protection of an `EncryptedPrivateKeyInfo` (RFC 5958 §3). @throws DerProblem */
function algorithmOf(der: Buffer): Buffer {
  return new DerReader(wholeElement(der, derTag.sequence).content).next(derTag.sequence).whole;
}
