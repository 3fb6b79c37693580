// The real Hasher: Argon2id in the libuv pool.

import type { Hasher, Random } from '../../platform/ports.ts';
import { formatPhc, hashBytes, saltBytes } from './password-hash.ts';

/** Hashes with salts from `random`. The native library is loaded at the first call. */
export function createHasher(random: Random): Hasher {
  return {
    hash: async (password, parameters) => {
      const argon2 = await load();
      const salt = random.bytes(saltBytes);
      const hash = await argon2.hash(password, {
        type: argon2.argon2id,
        memoryCost: parameters.memoryKib,
        timeCost: parameters.timeCost,
        parallelism: parameters.parallelism,
        hashLength: hashBytes,
        salt,
        // The library's own text has the parameters in an order that the reference implementation
        // refuses.
        raw: true,
      });
      return formatPhc(parameters, salt, hash);
    },
    verify: async (phc, password) => (await load()).verify(phc, password),
  };
}

let loading: Promise<typeof import('argon2')> | undefined;

/** Takes 10 ms, which an ordinary start need not wait for. */
function load(): Promise<typeof import('argon2')> {
  loading ??= import('argon2');
  return loading;
}
