// Keys, requests and certificates as others make them: with the openssl command.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Arguments of `openssl req` that make a key. */
const keyWords = {
  'rsa-1024': ['rsa:1024'],
  'rsa-2048': ['rsa:2048'],
  'rsa-4096': ['rsa:4096'],
  'rsa-pss': ['rsa-pss', '-pkeyopt', 'rsa_keygen_bits:2048'],
  'p-256': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'p-384': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  'p-521': ['ec', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  secp256k1: ['ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'],
  ed25519: ['ed25519'],
} as const;

/** A kind of key that openssl makes. */
export type OpensslKey = keyof typeof keyWords;

/** What a certificate or a request shall be. */
export interface OpensslWanted {
  /** As openssl takes it: `/O=Example/CN=name`. */
  readonly subject: string;
  /** A kind of key to make, or the path of one that is there; P-256 when absent. */
  readonly key?: OpensslKey | { readonly path: string };
  /** Lines of an extension file, as `basicConstraints=critical,CA:TRUE`. */
  readonly extensions?: readonly string[];
  /** Digest of the signature; that of the key when absent. */
  readonly digest?: 'md5' | 'sha1' | 'sha256' | 'sha384';
}

/** A certificate with its key. */
export interface OpensslCertificate {
  readonly path: string;
  readonly keyPath: string;
  readonly pem: string;
  readonly der: Buffer;
}

/** Extensions of a CA. */
export const authorityExtensions = [
  'basicConstraints=critical,CA:TRUE',
  'keyUsage=critical,keyCertSign,cRLSign',
] as const;

/** RSA keys, which guard nothing: to make one of 4096 bits takes two seconds of CPU time. */
const keptKeys = join(import.meta.dirname, 'rsa-keys');

const expiredDates = ['20200101000000Z', '20200201000000Z'] as const;

/** Works in one directory; names of files are counted. */
export class Openssl {
  readonly #directory: string;
  readonly #handedOut = new Map<OpensslKey, number>();
  #files = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Runs a command; relative paths are those of the directory. */
  run(...words: readonly string[]): Buffer {
    return execFileSync('openssl', words, { cwd: this.#directory, stdio: 'pipe' });
  }

  /** A certificate request in PEM, and the path of its key. */
  request(wanted: OpensslWanted): { readonly pem: string; readonly keyPath: string } {
    const { subject, key = 'p-256', extensions = [], digest } = wanted;
    const kept = typeof key === 'string' ? this.#keptKey(key) : key.path;
    const keyPath = kept ?? this.#path('key');
    const keyed =
      typeof key === 'string' && kept === undefined
        ? ['-newkey', ...keyWords[key], '-nodes', '-keyout', keyPath]
        : ['-key', keyPath];
    const added = extensions.flatMap((line) => ['-addext', line]);
    const signed = digest === undefined ? [] : [`-${digest}`];
    const words = ['-new', '-utf8', '-subj', subject, ...keyed, ...added, ...signed];
    return { pem: this.run('req', ...words).toString(), keyPath };
  }

  /**
   * A certificate of 30 days from now, or of other `dates`; without `issuer` it signs itself.
   * `isExpired` ended years ago.
   */
  certificate(
    wanted: OpensslWanted & {
      readonly issuer?: OpensslCertificate;
      readonly isExpired?: boolean;
      /** First and last moment, as `20260101000000Z`. */
      readonly dates?: readonly [string, string];
    },
  ): OpensslCertificate {
    const { issuer, isExpired = false, extensions = [], digest } = wanted;
    const { dates = isExpired ? expiredDates : undefined } = wanted;
    const { pem: request, keyPath } = this.request({ ...wanted, extensions: [] });
    const requestPath = this.#write('csr', request);
    const extensionPath = this.#write('ext', extensions.join('\n'));
    const path = this.#path('pem');
    const output = ['-in', requestPath, '-extfile', extensionPath, '-out', path];
    const signed = digest === undefined ? [] : [digest];
    if (dates !== undefined) {
      const signer =
        issuer === undefined
          ? ['-selfsign', '-keyfile', keyPath]
          : ['-cert', issuer.path, '-keyfile', issuer.keyPath];
      const [first, last] = dates;
      const words = ['-batch', '-notext', '-config', this.#configuration(), ...signer];
      words.push('-startdate', first, '-enddate', last);
      this.run('ca', ...words, ...signed.flatMap((name) => ['-md', name]), ...output);
    } else {
      const serial = ['-set_serial', `${this.#files}`];
      const signer =
        issuer === undefined
          ? ['-signkey', keyPath]
          : ['-CA', issuer.path, '-CAkey', issuer.keyPath, ...serial];
      const words = ['-req', '-days', '30', ...signer, ...signed.map((name) => `-${name}`)];
      this.run('x509', ...words, ...output);
    }
    const pem = readFileSync(path, 'utf8');
    const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
    return { path, keyPath, pem, der };
  }

  /** The next key of `rsa-keys/` that this object has not used; undefined where there is none. */
  #keptKey(kind: OpensslKey): string | undefined {
    const number = (this.#handedOut.get(kind) ?? 0) + 1;
    const path = join(keptKeys, `${kind}-${number}.pem`);
    if (!existsSync(path)) return undefined;
    this.#handedOut.set(kind, number);
    return path;
  }

  /** For `openssl ca`, the only command of version 3.0 that takes dates. */
  #configuration(): string {
    const policy = ['commonName', 'organizationName'].map((name) => `${name} = optional`);
    return this.#write(
      'cnf',
      [
        '[ca]',
        'default_ca = all',
        '[all]',
        'policy = any',
        'rand_serial = yes',
        `database = ${this.#write('db', '')}`,
        `new_certs_dir = ${this.#directory}`,
        'default_md = sha256',
        'unique_subject = no',
        'preserve = yes',
        '[any]',
        ...policy,
      ].join('\n'),
    );
  }

  #write(ending: string, text: string): string {
    const path = this.#path(ending);
    writeFileSync(path, text);
    return path;
  }

  #path(ending: string): string {
    this.#files += 1;
    return join(this.#directory, `${this.#files}.${ending}`);
  }
}
