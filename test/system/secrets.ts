// Looks for what must stand in no log: passwords, tokens, JWTs, private keys.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What anything secret may look like, whoever it belongs to. */
const forms: readonly RegExp[] = [
  /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/, // a JWT: base64url of `{"`, three parts
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\$argon2id?\$/,
];

/** Secrets that stand in `log`, the first hundred characters around each; none when all is well. */
export function secretsIn(log: string, known: Iterable<string>): string[] {
  const found: string[] = [];
  for (const form of forms) {
    const at = log.search(form);
    if (at >= 0) found.push(around(log, at));
  }
  for (const secret of known) {
    const at = secret === '' ? -1 : log.indexOf(secret);
    if (at >= 0) found.push(around(log, at));
  }
  return found;
}

/** The private keys in a home: each line of their files, without the PEM lines around. */
export function privateKeysIn(home: string): string[] {
  const names = ['root', 'intermediate', 'server', 'token', 'node'];
  const paths = names.map((name) => join(home, 'pki', `${name}.key`)).filter(existsSync);
  const sealing = join(home, 'pki', 'sealing.key');
  // One line of hexadecimal digits, without any around.
  const sealed = existsSync(sealing) ? [readFileSync(sealing, 'utf8').trim()] : [];
  return [...paths.flatMap(keyLines), ...sealed];
}

/** The lines of a private key in a PEM file, without those around. */
export function keyLines(path: string): string[] {
  return readFileSync(path, 'utf8').trim().split('\n').slice(1, -1);
}

function around(log: string, at: number): string {
  return log.slice(Math.max(0, at - 50), at + 50);
}
