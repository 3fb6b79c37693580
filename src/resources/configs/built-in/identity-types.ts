// All identity types.

import { deepFrozen } from './frozen.ts';

/** See behaviour/identities#types: the id is the name; no other types exist. */
export const builtInIdentityTypes = deepFrozen([
  { id: 'Default', name: 'Default' },
  { id: 'Router', name: 'Router' },
]);
