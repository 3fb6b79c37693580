// How a value of the peer's configuration is shown in a report: on one line, shortened, and without
// what may be a secret.

import { isSecretName, secretMask } from '../../errors/errors.ts';
import { withoutSecrets } from '../../errors/masked-text.ts';
import { printable } from '../../platform/printable.ts';
import type { FileValue } from './controller-file.ts';

/** Characters of a value that are shown. @bound */
const shownValueCharactersMax = 200;

/** Characters of a value that are searched for secrets. @bound */
const searchedValueCharactersMax = 4000;

/**
 * A value as text.
 * @param name the key of the value, which may say that it is a secret
 */
export function maskedValue(name: string, value: FileValue): string {
  if (value === null) return 'null';
  if (isSecretName(name)) return secretMask;
  if (typeof value === 'object') return Array.isArray(value) ? '[]' : '{}';
  const text = String(value);
  if (text.length > searchedValueCharactersMax) return `a text of ${text.length} characters`;
  const shown = printable(withoutSecrets(withoutCredentials(text)));
  if (shown.length <= shownValueCharactersMax) return shown;
  return `${shown.slice(0, shownValueCharactersMax)}…`;
}

/** An address of a key: the PIN of a module may stand in it, or the key itself. */
const keyAddress = /^\s*(pem|pkcs11|engine|parsec|tpm2?|keychain):/i;

function withoutCredentials(text: string): string {
  const [, kind] = keyAddress.exec(text) ?? [];
  if (kind !== undefined) return `${kind}:${secretMask}`;
  if (text.includes('-----BEGIN ')) return secretMask;
  return text
    .replace(/\/\/[^/\s@]*@/g, `//${secretMask}@`)
    .replace(/[^\s/@]*:[^\s/@]*@/g, `${secretMask}@`)
    .replace(/([?&;][^=&;\s]*=)[^&;\s]*/g, `$1${secretMask}`);
}
