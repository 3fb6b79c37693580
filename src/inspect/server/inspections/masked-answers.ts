// Masks secrets in what is shown of the controller and its routers (behaviour/fabric#inspections).

import { isSecretName, secretMask } from '../../../errors/errors.ts';
import { withoutSecrets } from '../../../errors/masked-text.ts';

/** Levels of objects and lists that are shown; what is deeper is masked. @bound per request */
const shownLevelsMax = 64;

/**
 * A value as it is shown: JSON objects and lists as such, without their secrets, and anything else
 * as text, in which JWTs and private keys are masked.
 */
export function shownValue(text: string): unknown {
  const first = text.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return withoutSecrets(text);
  try {
    return masked(JSON.parse(text));
  } catch {
    return withoutSecrets(text);
  }
}

/** The same value without its secrets. */
export function masked(value: unknown, level = 0): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (level > shownLevelsMax) return secretMask;
  if (Array.isArray(value)) return value.map((one) => masked(one, level + 1));
  const shown = Object.entries(value).map(([name, inner]) => [
    withoutSecrets(name),
    isEmpty(inner) || !isHidden(name) ? masked(inner, level + 1) : secretMask,
  ]);
  return Object.fromEntries(shown);
}

/** Names of routers for secrets besides those that are known everywhere. */
const isHidden = (name: string) => isSecretName(name) || /^(server_?)?key$/i.test(name);

const isEmpty = (value: unknown) => value === '' || value === null;
