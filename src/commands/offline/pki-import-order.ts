// The flags of the command `pki import`, and their meaning.

import { resolve } from 'node:path';
import { standardInput } from '../../settings/setting-type.ts';

/** Flags besides those of settings, in commander's notation, with their descriptions. */
export const pkiImportFlags: readonly (readonly [flag: string, doc: string])[] = [
  ['--key <file>', 'The private key, where FILE holds none.'],
  ['--ca <file>', 'The certificate of the CA, where FILE does not hold it.'],
  ['--password-file <file>', 'A file with the password of FILE, or - for standard input.'],
  ['--force', 'Replace the files of an earlier import.'],
];

/** Notes for operators, shown with the help. */
export const pkiImportHelp = `
FILE is PKCS#12 (.p12, .pfx), PKCS#7 (.p7b, certificates only) or PEM, with its certificates in any
order. The certificate with its chain, the key and the CA are written to the files that the settings
pki.serverCert, pki.serverKey and pki.ca name. Without these settings they are written into
<home>/pki, and the command prints the settings. Everything is checked before anything is written.

A password that FILE needs is requested at a terminal, or else read from standard input.`;

/** The meaning of the flags; paths are absolute. */
export interface PkiImportOrder {
  readonly file: string;
  readonly key: string | undefined;
  readonly ca: string | undefined;
  /** `-` stands for standard input. */
  readonly passwordFile: string | undefined;
  readonly force: boolean;
}

/** Reads the flags. */
export function pkiImportOrder(
  file: string,
  flags: Readonly<Record<string, string | true | undefined>>,
  directory: string,
): PkiImportOrder {
  const path = (key: string) => {
    const value = flags[key];
    return typeof value === 'string' ? resolve(directory, value) : undefined;
  };
  const isPiped = flags['passwordFile'] === standardInput;
  return {
    file: resolve(directory, file),
    key: path('key'),
    ca: path('ca'),
    passwordFile: isPiped ? standardInput : path('passwordFile'),
    force: flags['force'] === true,
  };
}
