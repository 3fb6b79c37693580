// What a client makes of an enrollment JWT before it trusts anybody, in the steps of the stock
// SDKs.

import { execFileSync } from 'node:child_process';
import type { X509Certificate } from 'node:crypto';
import { connect as connectTls } from 'node:tls';
import { jwtVerify } from 'jose';
import { Agent, request } from 'undici';

/** What a client knows by a JWT and by the address in it. */
export interface Believed {
  readonly url: string;
  /** Id of the identity or router. */
  readonly subject: string;
  /** Claim `em`. */
  readonly method: string;
  readonly token: string;
  /** PEM of the CAs that the controller names, which holds the key that signed the JWT. */
  readonly ca: string;
  /** What the address shows. */
  readonly leaf: X509Certificate;
}

/** Checks a JWT against the leaf of the address in it. @throws when that did not sign it */
export async function believe(jwt: string): Promise<Believed> {
  const [, claims = ''] = jwt.split('.');
  const { iss: url } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string };
  const leaf = await leafAt(url);
  const { payload } = await jwtVerify(jwt, leaf.publicKey, { issuer: url });
  return {
    url,
    leaf,
    ca: await authoritiesAt(url),
    subject: String(payload.sub),
    method: String(payload['em']),
    token: String(payload.jti),
  };
}

/** The certificate that an address shows to whoever trusts nobody. */
async function leafAt(url: string): Promise<X509Certificate> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const at = { host: hostname, port: Number(port), rejectUnauthorized: false };
    const socket = connectTls(at, () => {
      const leaf = socket.getPeerX509Certificate();
      if (leaf === undefined) reject(new Error(`${url} shows no certificate`));
      else resolve(leaf);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g;

/** `/.well-known/est/cacerts`, fetched without trust and read by openssl. @returns PEM */
async function authoritiesAt(url: string): Promise<string> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const { statusCode, headers, body } = await request(`${url}/.well-known/est/cacerts`, {
    dispatcher,
  });
  const bundle = Buffer.from(await body.text(), 'base64');
  await dispatcher.close();
  const type = headers['content-type'];
  if (statusCode !== 200 || type !== 'application/pkcs7-mime') {
    throw new Error(`cacerts: ${statusCode} ${type}`);
  }
  const words = ['pkcs7', '-inform', 'DER', '-print_certs'];
  const printed = execFileSync('openssl', words, { input: bundle, stdio: 'pipe' }).toString();
  return (printed.match(certificate) ?? []).join('');
}
