// What an inspector may ask over its stream, checked.

import type { StreamRequest } from './contract.ts';

/** The request that a message is, or in words why it is none. */
export function streamRequestOf(text: string): StreamRequest | string {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return 'a message must be JSON';
  }
  if (typeof message !== 'object' || message === null) return 'a message must be an object';
  const { type, filter } = message as { readonly type?: unknown; readonly filter?: unknown };
  switch (type) {
    case 'pause':
    case 'resume':
      return { type };
    case 'filter':
      return typeof filter === 'string' ? { type, filter } : 'filter must be a text';
    default:
      return 'type must be filter, pause or resume';
  }
}
