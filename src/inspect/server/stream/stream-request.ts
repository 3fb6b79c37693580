// Checks the messages that an inspector sends over its stream.

import type { StreamRequest } from '../../messages.ts';

/** The request in a message, or in words why it is invalid. */
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
