// Masks secrets in texts that come from outside, such as the messages of routers.

import { secretMask } from './errors.ts';

/** A text in which JWTs and private keys are masked, in time in proportion to its length. */
export function withoutSecrets(text: string): string {
  if (!text.includes('eyJ') && !text.includes('PRIVATE KEY')) return text;
  return text.replace(jwt, secretMask).replace(privateKey, secretMask);
}

const jwt = /\beyJ[\w-]{1,8192}\.[\w-]{1,8192}\.[\w-]{1,8192}/g;
const privateKey =
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]{0,16384}(-----END[A-Z ]{0,30}-----)?/g;
