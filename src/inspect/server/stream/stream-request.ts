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
  const { type, ...fields } = message as Readonly<Record<string, unknown>>;
  switch (type) {
    case 'pause':
    case 'resume':
      return { type };
    case 'filter': {
      const { filter } = fields;
      return typeof filter === 'string' ? { type, filter } : 'filter must be a text';
    }
    case 'map': {
      const { isWanted, serviceId } = fields;
      if (typeof isWanted !== 'boolean') return 'isWanted must be true or false';
      if (typeof serviceId !== 'string') return 'serviceId must be a text';
      return { type, isWanted, serviceId };
    }
    default:
      return 'type must be filter, pause, resume or map';
  }
}
