// The identity file that enrollments write and SDKs read: address, CAs, certificate and key.

import { fileURLToPath } from 'node:url';
import { isObject } from '../../declarative/entry.ts';
import { CommandFailure } from '../command-failure.ts';

/** The parts of an identity file that a login needs. */
export interface IdentityFile {
  readonly urls: readonly string[];
  /** PEM. */
  readonly ca: string | undefined;
  readonly certificate: { readonly cert: string; readonly key: string };
}

/**
 * Reads an identity file. @param read the text of a file
 * @throws CommandFailure for one that holds no certificate and key
 */
export function readIdentityFile(path: string, read: (path: string) => string): IdentityFile {
  const content = parsed(path, read(path));
  const { id } = content;
  const part = (name: string) => {
    const value = isObject(id) ? id[name] : undefined;
    return typeof value === 'string' && value !== '' ? pemOf(value, read) : undefined;
  };
  const [cert, key, ca] = [part('cert'), part('key'), part('ca')];
  if (cert === undefined || key === undefined) {
    throw CommandFailure.wrong(`${path} is no identity file: it has no certificate and key.`);
  }
  const several = Array.isArray(content['ztAPIs']) ? content['ztAPIs'] : [content['ztAPI']];
  const urls = several
    .flatMap((url) => (typeof url === 'string' && URL.canParse(url) ? [new URL(url)] : []))
    .filter(({ protocol }) => protocol === 'https:')
    .map(({ origin }) => origin);
  if (urls.length === 0) throw CommandFailure.wrong(`${path} names no controller (ztAPI).`);
  return { urls: [...new Set(urls)], ca, certificate: { cert, key } };
}

function parsed(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(text);
    if (isObject(content)) return content;
  } catch {
    // Said below, as for any other content.
  }
  throw CommandFailure.wrong(`${path} is no identity file: it holds no JSON object.`);
}

/** A value is the PEM itself, or names a file with it. */
function pemOf(value: string, read: (path: string) => string): string {
  if (value.startsWith('pem:')) return value.slice('pem:'.length);
  return read(value.startsWith('file:') ? fileURLToPath(value) : value);
}
