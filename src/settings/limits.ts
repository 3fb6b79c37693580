// The bounds that an operator may set, with the unit in the name and the reason for the number. All
// other bounds are constants beside the code that they bound (`bounds.ts`).

/** One limit. It can be configured as `limits.<name>`, an integer from `least` to `most`. */
export interface Limit {
  readonly default: number;
  /** The scope of the count; absent for a limit that only paces the controller's own work. */
  readonly per?: BoundScope;
  readonly least: number;
  readonly most: number;
  /** The bounded thing, and the reason for the number. */
  readonly why: string;
}

/** The scopes of bounds, the narrowest first. */
export const boundScopes = [
  ...(['request', 'connection', 'session', 'identity', 'address', 'entity'] as const),
  ...(['worker', 'controller'] as const),
];

/** The scope of a bound. A `session` is an API session, a `worker` a TLS worker. */
export type BoundScope = (typeof boundScopes)[number];

const kibibytes = 1024;
const mebibytes = 1024 * kibibytes;

/** The table of limits, with values and reasons. */
export const limitTable = {
  bodyBytesMax: {
    per: 'request',
    default: mebibytes,
    least: kibibytes,
    most: 4 * mebibytes,
    why: 'The body of a request. A larger one is refused with 413, by its declared and by its actual length (behaviour/requests#body-size). Bodies are held in memory before the caller is known.',
  },
  bodiesBytesMax: {
    per: 'controller',
    default: 64 * mebibytes,
    least: 4 * mebibytes,
    most: 1024 * mebibytes,
    why: 'All bodies that are still being received together, and once more all that wait to be handled: 64 of the largest, so that slow senders cannot fill the memory.',
  },
  bodyTimeoutMs: {
    per: 'request',
    default: 10_000,
    least: 100,
    most: 600_000,
    why: 'Time from the headers of a request to the end of its body, after which the connection is closed. 1 MiB in 10 s is 0.8 Mbit/s.',
  },
  headerBytesMax: {
    per: 'request',
    default: 32768,
    least: 8192,
    most: 65536,
    why: 'Request line and headers of a request; larger ones are answered 431. Three bearer tokens of 8 KB fit; the default of uWebSockets.js, 4 KB, would refuse one.',
  },
  handlerTimeoutMs: {
    per: 'request',
    default: 10_000,
    least: 100,
    most: 600_000,
    why: 'Time from the complete request to its answer, after which it is answered 503 TIMEOUT (behaviour/requests#time-limit).',
  },
  connectionsMax: {
    per: 'worker',
    default: 20_000,
    least: 16,
    most: 1_000_000,
    why: 'Open connections per TLS worker besides those of routers; at a start it is reduced to what the limit on file descriptors allows. One more displaces the connection that has been unused longest of the address with most, or is closed at once if all others are needed.',
  },
  connectionsPerAddressMax: {
    per: 'address',
    default: 20_000,
    least: 1,
    most: 1_000_000,
    why: 'Such connections per TLS worker and address (an IPv6 /64 counts as one), as a share of connectionsMax: it is reduced in the same proportion. One more displaces the one of the same address that has been unused longest. A fleet behind one NAT shares an address, so the default allows an address all connections as long as no others want them.',
  },
  controlPendingMax: {
    per: 'worker',
    default: 16_384,
    least: 16,
    most: 1_000_000,
    why: 'Control connections per TLS worker whose hello has not been accepted yet. One more replaces the oldest of the address with most, or is closed at once. 10,000 routers that reconnect at once fit.',
  },
  controlPendingPerAddressMax: {
    per: 'address',
    default: 16_384,
    least: 1,
    most: 1_000_000,
    why: 'The same per TLS worker and address (an IPv6 /64 counts as one); one more is closed at once. A fleet behind one NAT shares an address, so it is no lower than controlPendingMax. Routers whose hello was accepted are not counted.',
  },
  descriptorsReservedMin: {
    per: 'controller',
    default: 200,
    least: 100,
    most: 100_000,
    why: 'File descriptors that are reserved: log, snapshots, threads, listeners and outgoing requests use about 60, and metricsConnectionsMax 32 more. TLS workers have their own. Raise it if you use the direct listener, whose connections are not bounded.',
  },
  handshakesUnfinishedMax: {
    per: 'worker',
    default: 1024,
    least: 1,
    most: 65_536,
    why: 'TLS handshakes in progress per worker, and as many again that wait for their turn. Each waits for its client most of the time and uses about 50 KB. If there are more, the oldest one of the address with the most is dropped.',
  },
  handshakeTimeoutMs: {
    per: 'connection',
    default: 10_000,
    least: 100,
    most: 120_000,
    why: 'Time from the TCP connection to the end of its TLS handshake, including the wait for a turn.',
  },
  silentTimeoutMs: {
    per: 'connection',
    default: 10_000,
    least: 100,
    most: 600_000,
    why: 'Time from the end of the handshake to the first byte, and from the first byte of a request to the end of its headers, after which a silent or slow connection is closed.',
  },
  idleTimeoutMs: {
    per: 'connection',
    default: 60_000,
    least: 1000,
    most: 3_600_000,
    why: 'A connection without a byte in either direction for this long is closed. SDKs poll service-updates every 15 s and should find their connection open.',
  },
  lingerTimeoutMs: {
    per: 'connection',
    default: 5000,
    least: 100,
    most: 60_000,
    why: 'Time that a client has to close a connection after the last byte of the controller.',
  },
  chainCacheBytesMax: {
    per: 'controller',
    default: 16 * mebibytes,
    least: mebibytes,
    most: 1024 * mebibytes,
    why: 'Verified certificate chains of clients that are cached, about 1.5 KB each: enough for 10,000 routers that reconnect at once.',
  },
  writesPerSecondMax: {
    per: 'identity',
    default: 100,
    least: 0,
    most: 1_000_000,
    why: 'Logins and writes per second of an identity that is not an administrator, once writesBurstMax is used up; more are answered 429 with Retry-After. 0 means no limit. Deletions, log-outs, MFA codes, and requests for something that already exists are not counted.',
  },
  writesBurstMax: {
    per: 'identity',
    default: 2000,
    least: 1,
    most: 100_000_000,
    why: 'Logins and writes that such an identity may make at once after a pause: a client that reconnects and dials 2,000 services.',
  },
  permittedWritesPerSecondMax: {
    per: 'identity',
    default: 1000,
    least: 0,
    most: 1_000_000,
    why: 'Writes of the management API per second by a caller that is not an administrator but has the permission, once permittedWritesBurstMax is used up; more are answered 429 with Retry-After. 0 means no limit.',
  },
  permittedWritesBurstMax: {
    per: 'identity',
    default: 20_000,
    least: 1,
    most: 100_000_000,
    why: 'Such writes that may be made at once after a pause: a script that sets up a network of 20,000 entities.',
  },
  filterStepsPerSecondMax: {
    per: 'identity',
    default: 2_000_000,
    least: 0,
    most: 1_000_000_000,
    why: 'Steps (filterStepsMax) per second that the filters of an identity that is not an administrator may take, once filterStepsBurstMax is used up; more are answered 429 with Retry-After. They use at most a tenth of the main thread. 0 means no limit.',
  },
  filterStepsBurstMax: {
    per: 'identity',
    default: 4_000_000,
    least: 1000,
    most: 1_000_000_000,
    why: 'Steps that such filters may take at once after a pause, and thus the most that one of them may take: 40 conditions on 100,000 services.',
  },
  adminFilterStepsPerSecondMax: {
    per: 'identity',
    default: 10_000_000,
    least: 0,
    most: 1_000_000_000,
    why: 'Like filterStepsPerSecondMax, for an administrator, whose name many people and scripts may share: at most half of the main thread.',
  },
  adminFilterStepsBurstMax: {
    per: 'identity',
    default: 100_000_000,
    least: 1000,
    most: 1_000_000_000,
    why: 'Like filterStepsBurstMax, for an administrator: twenty searches through a million records.',
  },
  authenticationsWaitingMax: {
    per: 'controller',
    default: 250,
    least: 1,
    most: 100_000,
    why: 'Authentications that wait for a password hash; if there is one more, the caller with the most is answered 429 (behaviour/requests#overload). User names that logged in from the same address before have a separate queue of the same length. At 25 ms per hash and 2 cores the last one in either queue waits 6 s. The same bound holds for logins, and for requests with a secondary JWT, that wait for the keys of an external JWT signer.',
  },
  writesWaitingMax: {
    per: 'controller',
    default: 4096,
    least: 16,
    most: 1_000_000,
    why: 'Writes that are applied but not yet durable; one more is answered 429. At 10,000 per second this is 0.4 s of work.',
  },
  writeBytesWaitingMax: {
    per: 'controller',
    default: 16 * mebibytes,
    least: 8 * mebibytes,
    most: 1024 * mebibytes,
    why: 'Frames that are appended but not yet durable. Sixteen of the largest fit, so that a dead disk does not fill the memory.',
  },
  stalledWriteAnswerMs: {
    default: 10_000,
    least: 100,
    most: 600_000,
    why: 'A change that was applied but is not durable after this time is answered 503 OUTCOME_UNKNOWN.',
  },
  frameBytesMax: {
    per: 'request',
    default: 4 * mebibytes,
    least: 2 * mebibytes,
    most: 8 * mebibytes,
    why: 'One frame of the log. It fits a body of 1 MiB, its record before packing, and 500 rows of a cascade.',
  },
  segmentBytes: {
    default: 16 * mebibytes,
    least: 8 * mebibytes,
    most: 1024 * mebibytes,
    why: 'One file of the log. Each is filled with zeros in advance, and so is the next one: an idle home takes 32 MiB on disk.',
  },
  visibleServicesCacheBytesMax: {
    per: 'controller',
    default: 32 * mebibytes,
    least: 64 * kibibytes,
    most: 4096 * mebibytes,
    why: 'Heap for the cache of the services that each identity sees, so that a poll of the list evaluates no policies. An identity with 10 services takes 1.1 KB, one with 10,000 takes 320 KB.',
  },
  viewCacheBytesMax: {
    per: 'controller',
    default: 64 * mebibytes,
    least: mebibytes,
    most: 4096 * mebibytes,
    why: 'Cached JSON of records and of references to them. 10,000 services of 850 bytes take 11 MB, references to 100,000 identities 36 MB.',
  },
  drainTimeoutMs: {
    default: 30_000,
    least: 1000,
    most: 600_000,
    why: 'A clean stop that takes longer has failed. In this time, pending requests are answered and the last snapshot is written.',
  },
  snapshotRetryMs: {
    default: 60_000,
    least: 1000,
    most: 86_400_000,
    why: 'Pause after a failed snapshot; nothing is lost, because the log holds all changes.',
  },
  snapshotIntervalMs: {
    per: 'controller',
    default: 60_000,
    least: 0,
    most: 86_400_000,
    why: 'Least time between two snapshots that administrators request; an earlier request is answered 429 (behaviour/database#snapshots).',
  },
  snapshotTimeoutMs: {
    default: 120_000,
    least: 1000,
    most: 3_600_000,
    why: 'The time limit of the snapshot operation, in place of handlerTimeoutMs (behaviour/requests#time-limit).',
  },
  auditStreamsMax: {
    per: 'controller',
    default: 16,
    least: 1,
    most: 1000,
    why: 'Audit feeds at a time; one more is answered 429. Each may hold a page and one of the largest frames in memory.',
  },
  pageRowsDefault: {
    default: 10,
    least: 1,
    most: 100_000,
    why: 'Rows of a page when limit is absent, 0 or below -1 (behaviour/lists#paging).',
  },
  pageRowsMax: {
    per: 'request',
    default: 500,
    least: 1,
    most: 100_000,
    why: 'The most rows of a page that limit can request; -1 still means all (behaviour/lists#paging).',
  },
  answerBytesMax: {
    per: 'request',
    default: 32 * mebibytes,
    least: 8 * mebibytes,
    most: 1024 * mebibytes,
    why: 'One answer. A larger one is refused with the advice to request smaller pages. A page of 500 services under 60 policies with 20 checks each would be 146 MB. A list of 25,000 identities fits.',
  },
  unsentBytesMax: {
    per: 'controller',
    default: 256 * mebibytes,
    least: 8 * mebibytes,
    most: 16 * 1024 * mebibytes,
    why: 'Answers that clients have not read yet, per listener: 8 of the largest. If there is more, the connections that have waited longest are closed.',
  },
  filterStepsMax: {
    per: 'request',
    default: 16_000_000,
    least: 1000,
    most: 1_000_000_000,
    why: 'Steps of the filter of one list, 10 to 60 ns each: a row, a condition on a row, or a record found by reference. The default keeps the main thread busy for up to a second; searching a million rows for a name takes 1 to 5 million steps.',
  },
  heapLivePercentMax: {
    per: 'controller',
    default: 85,
    least: 10,
    most: 95,
    why: 'Share of the heap that is live after a full garbage collection, above which no records are created (429). The rest is needed for garbage, for requests and for the next start.',
  },
  passwordCharactersMin: {
    default: 5,
    least: 5,
    most: 100,
    why: 'Characters of a password, whatever the auth policy says (behaviour/login#limits).',
  },
  sessionCertificatesPerIdentityMax: {
    per: 'identity',
    default: 1000,
    least: 1,
    most: 1_000_000,
    why: 'Certificates issued to the live API sessions of one identity together; one more is answered 429. SDKs request one per API session, and it ends with its API session, so apiSessionsPerIdentityMax of them fit.',
  },
  apiSessionsPerIdentityMax: {
    per: 'identity',
    default: 1000,
    least: 1,
    most: 16_000_000,
    why: 'API sessions of one identity; one more login ends the one that has been idle longest. Hundreds of devices or scripts may share an identity; a client that logs in repeatedly must not fill the memory.',
  },
  sessionsPerApiSessionMax: {
    per: 'session',
    default: 20_000,
    least: 1,
    most: 16_000_000,
    why: 'Sessions of one API session, one per service and type; one more is answered 429. A client that dials and binds 10,000 services has this many.',
  },
  sessionsPerIdentityMax: {
    per: 'identity',
    default: 100_000,
    least: 1,
    most: 16_000_000,
    why: 'Sessions of all API sessions of one identity, including those that are being ended; one more is answered 429. They take about 50 MB.',
  },
  terminatorsPerRouterMax: {
    per: 'entity',
    default: 10_000,
    least: 1,
    most: 1_000_000,
    why: 'Terminators of one router, those of operators included; a router that asks for one more is refused. A host that binds 10,000 services through one router has this many.',
  },
  terminatorsPerIdentityMax: {
    per: 'identity',
    default: 50_000,
    least: 1,
    most: 1_000_000,
    why: 'Terminators that one identity hosts through all routers together; one more is refused. It binds 10,000 services through up to five routers.',
  },
  jwksTimeoutMs: {
    per: 'request',
    default: 5000,
    least: 100,
    most: 9000,
    why: 'Time to fetch the key set of an external JWT signer, including redirects (behaviour/external-jwt#keys); a login may wait for it.',
  },
  externalJwtsKnownMax: {
    per: 'controller',
    default: 100_000,
    least: 2,
    most: 4_000_000,
    why: 'Verified external JWTs that are cached until they expire, at about 400 bytes each, because secondary tokens come with every request.',
  },
  recentLoginsMax: {
    per: 'controller',
    default: 10_000,
    least: 100,
    most: 1_000_000,
    why: 'Pairs of address and user name that are remembered after a login, at about 150 bytes each; if there are more, the pair with the oldest login is forgotten. They have a separate queue for password hashes.',
  },
  inspectorsMax: {
    per: 'controller',
    default: 200,
    least: 1,
    most: 10_000,
    why: 'Attached inspectors; one more is answered 429. 100 of them cost session creates less than a tenth.',
  },
  inspectorBufferBytesMax: {
    per: 'connection',
    default: 128 * kibibytes,
    least: kibibytes,
    most: 16 * mebibytes,
    why: 'Data that an inspector has not read yet. If there is more, transitions are dropped and counted. Two of the largest messages fit.',
  },
  eventSubscribersMax: {
    per: 'controller',
    default: 16,
    least: 1,
    most: 1000,
    why: 'Programs that are connected to the WebSocket of the fabric API; one more is answered 429.',
  },
  eventBufferBytesMax: {
    per: 'connection',
    default: 8 * mebibytes,
    least: 64 * kibibytes,
    most: 256 * mebibytes,
    why: 'Events that such a program has not read yet. With more it is told how many were dropped, and closed.',
  },
  linksMax: {
    per: 'controller',
    default: 250_000,
    least: 1,
    most: 10_000_000,
    why: 'Links between routers that are kept in memory at about 2 KB each. 10,000 routers that each dial 20 others have 200,000. Routers cannot report further ones, which no path then uses.',
  },
  routerModelBytesMax: {
    per: 'entity',
    default: 256 * mebibytes,
    least: kibibytes,
    most: 1024 * mebibytes,
    why: 'The model of the network that one router gets. It names each identity of each service policy: 100 policies over 100,000 identities take 150 MB. Routers get no model that is larger, and the health check `router-model` tells of it (behaviour/control-channel#router-data-model).',
  },
  routerModelLogBytesMax: {
    per: 'controller',
    default: 16 * mebibytes,
    least: kibibytes,
    most: 1024 * mebibytes,
    why: 'The ids of what the last 10,000 changes of that model have touched. A router that was away for longer gets the whole model.',
  },
  revocationsMax: {
    per: 'controller',
    default: 100_000,
    least: 100,
    most: 10_000_000,
    why: 'Revocations of tokens and identities that stand, 300 bytes each; they go when the longest token is dead.',
  },
  apiSessionsMax: {
    per: 'controller',
    default: 4_000_000,
    least: 1000,
    most: 16_000_000,
    why: 'API sessions of all identities together; one more login is answered 429. A million take less than 1 GB.',
  },
  circuitsMax: {
    per: 'controller',
    default: 400_000,
    least: 1,
    most: 16_000_000,
    why: 'Circuits of all routers together; one more is refused, and its router is told to try later. Each takes about 2 KB.',
  },
  circuitsPerRouterMax: {
    per: 'entity',
    default: 100_000,
    least: 1,
    most: 16_000_000,
    why: 'Circuits over one router, as the first, the last or between: several times what a router carries. One more is refused, so that a router cannot take the room of the others.',
  },
  circuitsPerIdentityMax: {
    per: 'identity',
    default: 20_000,
    least: 1,
    most: 16_000_000,
    why: 'Circuits that one identity has dialed; one more is refused. A gateway dials for all of its users as one identity.',
  },
  circuitsPerSessionMax: {
    per: 'entity',
    default: 10_000,
    least: 1,
    most: 16_000_000,
    why: 'Circuits of one session, which is for one service; one more is refused. Each connection of a client is a circuit.',
  },
  routerSeriesMax: {
    per: 'controller',
    default: 200_000,
    least: 1000,
    most: 10_000_000,
    why: 'Series of routers at /metrics/routers, at 60 to 400 bytes each; the report of a router that does not fit is left out. An idle router has some 200, and 40 more per link.',
  },
  usageRowsMax: {
    per: 'controller',
    default: 500_000,
    least: 100,
    most: 16_000_000,
    why: 'Sums of usage by the hour (behaviour/usage#sums-by-the-hour), at about 0.5 KB each in memory. Beyond it the sums of services and identities together are dropped, the oldest first, and then no further ones are kept. 48 hours of 1,000 services, 2,000 identities and 5,000 pairs that carry something each hour are 384,000.',
  },
  routerFramesPerSecondMax: {
    per: 'entity',
    default: 20_000,
    least: 100,
    most: 1_000_000,
    why: 'Frames that are read of one router per second; the router waits until the next one. 4,000 circuits per second through one router take 8,000.',
  },
} as const satisfies Readonly<Record<string, Limit>>;

/** Name of a limit. */
export type LimitName = keyof typeof limitTable;

/** The limits in force. */
export type Limits = Readonly<Record<LimitName, number>>;

/** The limits of an unconfigured controller. */
export const defaultLimits: Limits = Object.freeze(
  Object.fromEntries(
    Object.entries(limitTable).map(([name, limit]) => [name, limit.default]),
  ) as Record<LimitName, number>,
);

/**
 * Integers that `limits` could hold before they became constants of the code. A configuration file
 * that still has one is accepted with a warning; its value is ignored.
 */
export const retiredLimits: ReadonlySet<string> = new Set(
  `
  jsonDepthMax requestTurnMs clientHelloBytesMax clientHelloTimeoutMs handshakesPerTurnMax
  handshakeGraceMs parkAfterMs certificatesMax certificatesBytesMax chainSignaturesMax
  csrBytesMax followUpRowsMax sessionsJudgedMax sessionsJudgedMs lapsesInATurnMax
  orderRowsAtOnceMax orderSliceMs unpackSliceMs unpackRestMs listFindsWaitingMax
  listFindsPerCallerMax inspectRowsAtOnceMax inspectSliceMs inspectLooksWaitingMax
  inspectRelatedMax inspectSomeMax accessMemosMax sendDepthMax deadlineSliceEntriesMax
  deadlineArmAheadMs deadlineRetryMs snapshotSliceMs integritySliceMs integrityResultsMax
  clockWatchMs clockJumpMs clockJumpShownMs longPauseMs metricsConnectionsMax metricsTimeoutMs
  activityFlushRowsMax logReadsWaitingMax logReadFramesMax logReadHistoryFramesMax
  logReadSearchBytesMax logReaderIdleMs auditPageBytes auditGatherMs auditCommentMs
  filterCacheCharactersMax matchedRowsKeptMax filterCharsMax filterDepthMax
  filterConditionsMax filterArrayMax postureResponsesMax postureProcessesMax
  postureProcessCharactersMax heapWatchMs heapCollectMs postureBytesMax postureFlushRowsMax
  postureFlushBytesMax postureSignersMax postureMacAddressesMax postureSessionsShownMax
  failedRequestsMax failedRequestCharactersMax failedRequestsCharactersMax sessionEdgeRoutersMax
  explainPoliciesMax explainEntriesMax explainChecksMax explainRoutersMax explainSessionsMax
  explainApiSessionsMax passwordCharactersMax jwtCharactersMax pemCharactersMax
  identityServiceConfigsMax roleAttributesMax policyRolesMax patternCharactersMax
  schemaInstructionsMax patternStepsMax sessionCertificatesMax tracesMax traceMinutesMax
  jwksRedirectsMax jwksBytesMax jwksKeysMax jwksIntervalMs jwksPauseMaxMs jwksRefreshMs
  jwksFetchesMax challengeCharactersMax lockoutAuthenticatorsMax adminAddressesMax
  mfaWrongCodesMax mfaBarMs mfaBarMsMax mfaAttemptIdentitiesMax socketMessageBytesMax
  socketBufferBytesMax socketIdleTimeoutMs inspectorTicketsMax inspectorTicketMs
  inspectorMessagesMax inspectorFlushMs inspectorRingTransitionsMax inspectorTransitionsMax
  inspectorSendsMax inspectorFiltersMax inspectorFilterStepsMax inspectorActorsMax
`
    .trim()
    .split(/\s+/),
);

/**
 * Checks limits that only make sense together.
 * @returns a sentence for the operator, or undefined when all is well
 */
export function limitsConflict(limits: Limits): string | undefined {
  // A segment holds its header (under 4 KiB) and at least one frame of the largest size.
  if (limits.frameBytesMax + 4 * kibibytes > limits.segmentBytes) {
    return 'limits.segmentBytes must hold a frame of limits.frameBytesMax and 4096 bytes more';
  }
  if (2 * limits.bodyBytesMax > limits.frameBytesMax) {
    return 'limits.frameBytesMax must be at least twice limits.bodyBytesMax';
  }
  if (limits.writeBytesWaitingMax < 2 * limits.frameBytesMax) {
    return 'limits.writeBytesWaitingMax must hold two frames of limits.frameBytesMax';
  }
  if (limits.pageRowsDefault > limits.pageRowsMax) {
    return 'limits.pageRowsDefault must not be above limits.pageRowsMax';
  }
  return undefined;
}
