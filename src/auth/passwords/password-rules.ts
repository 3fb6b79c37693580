// The rules of an auth policy for new passwords (behaviour/login#password-rules).

/** The part of an auth policy that new passwords must satisfy. */
export interface PasswordRules {
  readonly minPasswordLength: number;
  readonly requireMixedCase: boolean;
  readonly requireNumberChar: boolean;
  readonly requireSpecialChar: boolean;
}

/** Bounds that apply under any policy, in characters. */
export interface PasswordBounds {
  readonly passwordCharactersMin: number;
}

/**
 * The reason why `password` may not be set, for a field error; undefined when it may. Characters
 * are code points; letters, cases and digits are Unicode's.
 */
export function passwordProblem(
  rules: PasswordRules,
  password: string,
  bounds: PasswordBounds,
): string | undefined {
  const max = passwordCharactersMax;
  const min = Math.max(bounds.passwordCharactersMin, rules.minPasswordLength);
  // A code point takes at most two units: a longer text need not be counted.
  const length = password.length > 2 * max ? password.length : [...password].length;
  if (length > max) return `must have at most ${max} characters`;
  if (length < min) return `must have at least ${min} characters`;
  if (rules.requireMixedCase && !(/\p{Lu}/u.test(password) && /\p{Ll}/u.test(password))) {
    return 'must have an upper-case and a lower-case letter';
  }
  if (rules.requireNumberChar && !/\p{Nd}/u.test(password)) return 'must have a digit';
  if (rules.requireSpecialChar && !/[^\p{L}\p{Nd}\s]/u.test(password)) {
    return 'must have a character that is neither letter, digit nor white space';
  }
  return undefined;
}

/** Characters of a password (behaviour/login): hashing time grows with them. @bound per request */
export const passwordCharactersMax = 100;
