// Where the peer's configuration says that a certificate or a key is.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Findings } from './findings.ts';
import type { Section } from './section.ts';

/** A certificate, a bundle of them, or a key. */
export type KeySource = {
  /** Where the configuration names it, such as `identity.server_cert`. */
  readonly place: string;
} & (
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'text'; readonly pem: string }
  /** A module of hardware or of software holds it, and does not give it away. */
  | { readonly from: 'module'; readonly scheme: string }
);

/** A certificate with its key. */
export interface PairSources {
  /** Where the configuration names the pair, such as `web[0].identity`. */
  readonly place: string;
  readonly certificate: KeySource | undefined;
  readonly key: KeySource | undefined;
}

/** A section `identity`. */
export interface IdentitySources {
  /** `identity`, or `web[0].identity` for a listener of its own. */
  readonly place: string;
  /** What the controller shows as a client; its name has the trust domain. */
  readonly client: KeySource | undefined;
  /** What the listeners serve with. */
  readonly server: PairSources;
  /** The bundle of CAs. */
  readonly ca: KeySource | undefined;
  /** Certificates for browsers, of public CAs. */
  readonly alternatives: readonly (KeySource | undefined)[];
}

/** How texts become sources. */
export interface SourceContext {
  /** Relative paths start here: the directory of the configuration. */
  readonly directory: string;
  readonly findings: Findings;
}

/** Reads a section `identity`. */
export function identitySources(section: Section, context: SourceContext): IdentitySources {
  const source = (name: string, text: string | undefined) =>
    text === undefined ? undefined : keySource(section.pathOf(name), text, context);
  const hasServer = section.peekText('server_cert') !== undefined;
  const client = source('cert', hasServer ? section.peekText('cert') : section.text('cert'));
  const [serverCert, serverKey] = ['server_cert', 'server_key'].map((name) =>
    source(name, section.text(name)),
  );
  const key = serverKey ?? source('key', section.text('key'));
  return {
    place: section.path,
    client,
    server: { place: section.path, certificate: serverCert ?? client, key },
    ca: source('ca', section.text('ca')),
    alternatives: section.sections('alt_server_certs').map((alternative) => {
      const text = alternative.peekText('server_cert');
      if (text === undefined) return undefined;
      return keySource(alternative.pathOf('server_cert'), text, context);
    }),
  };
}

const schemeForm = /^([a-z][a-z0-9+.-]+):/i;

/** The source that a text names; undefined, and a refusal, for one that names none. */
export function keySource(
  place: string,
  text: string,
  { directory, findings }: SourceContext,
): KeySource | undefined {
  const scheme = schemeForm.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { place, from: 'file', path: resolve(directory, text) };
  const rest = text.slice(scheme.length + 1);
  if (scheme === 'pem') return { place, from: 'text', pem: rest.replace(/^\/\//, '') };
  if (scheme !== 'file') return { place, from: 'module', scheme };
  try {
    if (/^(\/\/)?\//.test(rest)) return { place, from: 'file', path: fileURLToPath(text) };
  } catch {
    // The sentence below says it.
  }
  findings.refuse(`${place} must be the address of a file on this machine, such as file:///PATH.`);
  return undefined;
}

/** What messages call a source: its place in the configuration, and its path. */
export function sourceName(source: KeySource): string {
  switch (source.from) {
    case 'file':
      return `${source.place} (${source.path})`;
    case 'text':
      return `${source.place} (in the configuration itself)`;
    case 'module':
      return `${source.place} (${source.scheme}:)`;
  }
}
