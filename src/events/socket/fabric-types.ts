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
