// The types of events, which subscriptions and settings name.

/** The types of events, as subscriptions name them (behaviour/events#types). */
export const eventTypes = [
  'alert',
  'apiSession',
  'authentication',
  'circuit',
  'cluster',
  'connect',
  'entityChange',
  'entityCount',
  'link',
  'metrics',
  'router',
  'sdk',
  'service',
  'session',
  'terminator',
  'usage',
] as const;
