// The state of an API session in words, where its name alone would mislead.

import { stateInWords } from '../../../auth/factors.ts';
import { apiSessionKind } from '../../../records/api-session.ts';
import type { InspectEnvironment } from '../context.ts';

/**
 * The member `stateInWords` of an API session each of whose requests needs a JWT; nothing for
 * another one, and for records of other kinds (behaviour/api-sessions#state-in-words).
 */
export function sessionWords(
  { store }: InspectEnvironment,
  kind: string,
  id: string,
): { readonly stateInWords?: string } {
  const session = kind === apiSessionKind.kind ? store.table(apiSessionKind).peek(id) : undefined;
  const words = session && stateInWords({ store }, session.record);
  return words === undefined ? {} : { stateInWords: words };
}
