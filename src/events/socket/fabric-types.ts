// The content types of the WebSocket of the fabric API (behaviour/events#the-websocket).

/** The number of each content type by its name. */
export const fabricTypes = {
  ping: 1,
  result: 2,
  heartbeat: 5,
  streamEvents: 10_040,
  event: 10_041,
  toggleTraces: 10_044,
  streamTraces: 10_046,
  inspect: 10_048,
  inspectResponse: 10_049,
} as const;

/** The header of an event that names its type. */
export const eventTypeHeader = 10;

/**
 * Requests to validate something, by name: `ziti fabric validate` waits for an answer of the next
 * number, and then for as many results as it tells.
 */
export const validations = {
  terminators: 10_100,
  'router-links': 10_103,
  'router-sdk-terminators': 10_106,
  'router-data-model': 10_109,
  'identity-connection-statuses': 10_112,
  'router-ert-terminators': 10_115,
  circuits: 10_118,
  'controller-dialers': 10_122,
} as const;
