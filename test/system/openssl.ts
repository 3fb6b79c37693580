// Certificates as an operator makes them: with the openssl command.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a CA and of a server certificate it issued for localhost and 127.0.0.1. */
export interface OwnFiles {
  readonly ca: string;
  readonly serverCert: string;
  readonly serverKey: string;
  /** A key of nobody's certificate. */
  readonly otherKey: string;
}

/** Makes them in `directory`: an EC root, and below it an EC server certificate. */
export function makeOwnFiles(directory: string): OwnFiles {
  const at = (name: string) => join(directory, name);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const root = ['-x509', '-days', '2', '-subj', '/CN=Own Root', '-keyout', 'root.key'];
  openssl(directory, 'req', ...newKey, ...root, '-out', 'root.pem');
  const leaf = ['-subj', '/CN=Own Server', '-keyout', 'server.key', '-out', 'server.csr'];
  openssl(directory, 'req', ...newKey, ...leaf);
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  issueOwnServer(directory);
  return {
    ca: at('root.pem'),
    serverCert: at('server.pem'),
    serverKey: at('server.key'),
    otherKey: at('root.key'),
  };
}

/** Makes the certificate of a router that nobody has enrolled. @returns its file */
export function makeRouterCertificate(directory: string, id: string): string {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-days', '2', '-subj', `/CN=${id}`, '-keyout', `${id}.key`, '-out', `${id}.pem`];
  openssl(directory, 'req', ...key, '-x509', ...names);
  return join(directory, `${id}.pem`);
}

/** Puts another server certificate in the place of the one that was made there. */
export function issueOwnServer(directory: string): void {
  const issuer = ['-CA', 'root.pem', '-CAkey', 'root.key', '-CAcreateserial'];
  const output = ['-days', '2', '-extfile', 'names', '-out', 'server.pem'];
  openssl(directory, 'x509', '-req', '-in', 'server.csr', ...issuer, ...output);
}

/** Names are relative to the directory, because openssl refuses paths of 256 characters. */
function openssl(directory: string, ...words: string[]): void {
  execFileSync('openssl', words, { cwd: directory, stdio: 'pipe' });
}
