// Which CAs a controller is trusted by: what it shows at the first login, and what was agreed to.

import type { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { TLSSocket } from 'node:tls';
import { reasonOf } from '../../../../snapshots/errors.ts';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import { agreed } from '../agreement.ts';
import { CommandFailure } from '../command-failure.ts';
import { fingerprintOf, groupedFingerprint, isRoot } from './fingerprints.ts';

/** A bundle of CAs has a few kilobytes. @bound per request */
const bundleBytesMax = 1024 * 1024;
/** How long a controller may take to tell its CAs. @bound per request */
const caAnswerMsMax = 10_000;

/** What a controller shows to whoever trusts nobody yet. */
interface Shown {
  readonly roots: readonly X509Certificate[];
  /** The certificate of the connection, whose key the controller has. */
  readonly leaf: X509Certificate;
}

/** The roots that the controller at a URL shows, and nobody trusts yet. @throws CommandFailure */
async function rootsShown(url: string): Promise<Shown> {
  const { readKeyMaterial } = await import('../../../pki/import/key-material.ts');
  let certificates: readonly X509Certificate[];
  let leaf: X509Certificate;
  try {
    const bundle = await bundleAt(`${url}/.well-known/est/cacerts`);
    ({ leaf } = bundle);
    const bytes = Buffer.from(
      `-----BEGIN PKCS7-----\n${bundle.text.trim()}\n-----END PKCS7-----\n`,
    );
    const refuse = () => Promise.reject(new Error('it asks for a password'));
    ({ certificates } = await readKeyMaterial({ name: 'the answer', bytes }, refuse));
  } catch (error) {
    throw CommandFailure.unreachable(`${url} does not tell its CAs: ${reasonOf(error)}.`);
  }
  const roots = certificates.filter(isRoot);
  if (roots.length > 0) return { roots, leaf };
  throw CommandFailure.unreachable(`${url} does not tell its CAs: there is no root among them.`);
}

interface Bundle {
  readonly text: string;
  readonly leaf: X509Certificate;
}

/** Reads the CAs without a check of the certificate, as nobody has agreed to them yet. */
function bundleAt(url: string): Promise<Bundle> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(caAnswerMsMax);
    // A connection of its own, as a resumed one would not show the certificate.
    const options = { rejectUnauthorized: false, agent: false, signal };
    const sent = request(url, options, (answer) => {
      const { socket } = answer;
      const leaf = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
      if (answer.statusCode !== 200 || leaf === undefined) {
        answer.resume();
        reject(new Error(`it answers ${answer.statusCode}`));
        return;
      }
      let text = '';
      answer.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > bundleBytesMax) answer.destroy(new Error('the answer is too long'));
      });
      answer.on('end', () => resolve({ text, leaf }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/**
 * The PEM of the roots that a controller tells over a connection which it secures with the key that
 * signed a JWT (behaviour/enrollment#jwt).
 * @param shown how messages name the JWT
 * @throws CommandFailure when another key signed it
 */
export async function rootsOfSigner(
  url: string,
  jwt: string,
  shown: string,
  { clock }: Pick<ProcessContext, 'clock'>,
): Promise<string> {
  const { roots, leaf } = await rootsShown(url);
  const { jwtVerify } = await import('jose');
  try {
    await jwtVerify(jwt, leaf.publicKey, { currentDate: new Date(clock.now()) });
  } catch (error) {
    throw CommandFailure.unreachable(`${url} has not signed ${shown}: ${reasonOf(error)}.`);
  }
  return pemOf(roots);
}

/**
 * The PEM of the roots that a person agrees to, or that have a fingerprint that was typed.
 * @throws CommandFailure when nobody agrees, or can be asked
 */
export async function trustedRoots(
  url: string,
  fingerprint: string | undefined,
  context: ProcessContext,
): Promise<string> {
  if (fingerprint === undefined && !context.answerInput.isTerminal) {
    throw CommandFailure.wrong(
      'there is nobody to ask whether its CA is right: give --ca FILE, --ca-fingerprint, --ca system or --identity FILE.',
    );
  }
  const { roots } = await rootsShown(url);
  if (fingerprint !== undefined) {
    const wanted = normalFingerprint(fingerprint);
    const matching = roots.filter((root) => fingerprintOf(root) === wanted);
    if (matching.length > 0) return pemOf(matching);
    const shown = roots.map(fingerprintOf).join(', ');
    throw CommandFailure.unreachable(`${url} shows another CA: ${shown} instead of ${wanted}.`);
  }
  const { host } = new URL(url);
  for (const root of roots) {
    const name = commonName(root);
    const until = new Date(root.validTo).toISOString().slice(0, 10);
    context.err(`The controller at ${host} shows the CA "${name}", valid until ${until},\n`);
    context.err(`  ${groupedFingerprint(root)}\n`);
  }
  const question = 'Compare it with what "edge-control status" prints there. Trust it? [y/N] ';
  if (await agreed(question, context)) return pemOf(roots);
  throw CommandFailure.failed('the CA is not trusted, and nothing was kept.');
}

function commonName({ subject }: X509Certificate): string {
  return /(?:^|\n)CN=(.*)/.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}

function pemOf(certificates: readonly X509Certificate[]): string {
  return certificates.map((one) => one.toString()).join('');
}

/** Upper case, spaces and colons do not matter. @throws CommandFailure */
function normalFingerprint(typed: string): string {
  const digits = typed
    .replace(/^sha256:/i, '')
    .replaceAll(/[\s:]/g, '')
    .toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digits)) return `SHA256:${digits}`;
  throw CommandFailure.wrong(
    `--ca-fingerprint is ${JSON.stringify(typed)} but must be SHA256: and 64 hexadecimal digits.`,
  );
}
