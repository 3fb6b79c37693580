// Every bound of the controller, with its unit in its name and the reason for its number.

/**
 * One bound. Another value may be configured as `limits.<name>`, an integer from `least` to `most`.
 */
export interface Bound {
  readonly default: number;
  readonly least: number;
  readonly most: number;
  /** What it bounds and why by this number. */
  readonly why: string;
}

const kibibytes = 1024;
const mebibytes = 1024 * kibibytes;

/** The table: what is bounded, by how much, and why. */
export const bounds = {
  bodyBytesMax: {
    default: mebibytes,
    least: kibibytes,
    most: 4 * mebibytes,
    why: 'Request body, refused with 413 by declared and by actual length (behaviour §1.4). It is held in memory before anybody has logged in.',
  },
  bodiesBytesMax: {
    default: 64 * mebibytes,
    least: 4 * mebibytes,
    most: 1024 * mebibytes,
    why: 'All bodies together that are still on their way, and again all that wait for a turn of the event loop or for consequences: 64 of the largest. Slow senders must not fill the memory.',
  },
  bodyTimeoutMs: {
    default: 10_000,
    least: 100,
    most: 600_000,
    why: 'From the headers of a request to the end of its body: a half-sent one is closed. 1 MiB in 10 s is 0.8 Mbit/s.',
  },
  jsonDepthMax: {
    default: 32,
    least: 8,
    most: 256,
    why: 'Nesting of JSON bodies. What the API itself defines is far flatter; config data and schemas of config types bring their own.',
  },
  headerBytesMax: {
    default: 32768,
    least: 8192,
    most: 65536,
    why: 'Request line and headers of a request, answered 431. Three bearer tokens of 8 KB fit; the 4 KB that uWebSockets.js defaults to refuse one.',
  },
  requestTurnMs: {
    default: 2,
    least: 1,
    most: 1000,
    why: 'Requests that arrive together are handled for so long a turn of the event loop, then timers and durable answers have theirs; the longest pause under 64 connections is half of what it is without.',
  },
  handlerTimeoutMs: {
    default: 10_000,
    least: 100,
    most: 600_000,
    why: 'From the whole request to its answer, else 503 TIMEOUT (behaviour §1.6.7).',
  },
  connectionsMax: {
    default: 20_000,
    least: 16,
    most: 1_000_000,
    why: 'Open connections per TLS worker; at a start it is reduced to what the limit on file descriptors allows. For one more, a connection without a finished handshake makes room, or it is closed at once.',
  },
  connectionsPerAddressMax: {
    default: 20_000,
    least: 1,
    most: 1_000_000,
    why: 'Open connections per TLS worker and address (an IPv6 /64 counts as one); one more is closed at once. A fleet behind one NAT shares an address, so it is no lower than connectionsMax.',
  },
  descriptorsReservedMin: {
    default: 200,
    least: 100,
    most: 100_000,
    why: 'File descriptors that connections may not use: log, snapshots, threads, listeners and outgoing requests take some 60, and metricsConnectionsMax 32 more. TLS workers have theirs beside it. Raise it with the direct listener, whose connections are not bounded.',
  },
  clientHelloBytesMax: {
    default: 16 * kibibytes,
    least: 2 * kibibytes,
    most: 128 * kibibytes,
    why: 'The first message of a TLS client, which is held until it is whole. With post-quantum key shares it has under 3 KB.',
  },
  clientHelloTimeoutMs: {
    default: 3000,
    least: 100,
    most: 120_000,
    why: 'From the first byte of a connection to its whole ClientHello, which is one or two segments: enough for both to be lost and sent again.',
  },
  handshakesUnfinishedMax: {
    default: 1024,
    least: 1,
    most: 65_536,
    why: 'TLS handshakes in progress per worker, and again those that wait for their turn. Each waits for its client most of the time and holds some 50 KB. When there are more, the oldest of the address with most of them is dropped.',
  },
  handshakesPerTurnMax: {
    default: 8,
    least: 1,
    most: 1024,
    why: 'Handshakes that a worker begins per turn of its event loop, at 0.3 ms each: a storm of reconnects must not hold up the connections that are open.',
  },
  handshakeGraceMs: {
    default: 2000,
    least: 0,
    most: 120_000,
    why: 'A connection younger than this never makes room for another: time for the round trips of a handshake over a slow path.',
  },
  handshakeTimeoutMs: {
    default: 10_000,
    least: 100,
    most: 120_000,
    why: 'From the TCP connection to the end of its handshake, waiting included.',
  },
  silentTimeoutMs: {
    default: 10_000,
    least: 100,
    most: 600_000,
    why: 'From the end of the handshake to the first byte, and from the first byte of a request to the end of its headers: connections that never speak, or crawl, are closed.',
  },
  idleTimeoutMs: {
    default: 60_000,
    least: 1000,
    most: 3_600_000,
    why: 'A connection without a byte in either direction is closed. SDKs poll service-updates every 15 s and should find theirs open.',
  },
  parkAfterMs: {
    default: 5000,
    least: 100,
    most: 9500,
    why: 'A close by uWebSockets.js so long after its last answer is its keep-alive time-out (10 s, built in): the connection of the client stays.',
  },
  lingerTimeoutMs: {
    default: 5000,
    least: 100,
    most: 60_000,
    why: 'From our last byte until the client has closed as well.',
  },
  certificatesMax: {
    default: 8,
    least: 2,
    most: 32,
    why: 'Certificates that a client may show. Public chains have 3 or 4.',
  },
  certificatesBytesMax: {
    default: 32 * kibibytes,
    least: 8 * kibibytes,
    most: 100 * kibibytes,
    why: 'Their DER forms together. Eight RSA-4096 certificates fit; OpenSSL itself stops at 100 KiB.',
  },
  chainSignaturesMax: {
    default: 16,
    least: 4,
    most: 256,
    why: 'Signatures checked to judge one chain of a client. A chain of 4 has 3; several CAs of one name, or chains built to burn time, need more. Each takes up to 1 ms.',
  },
  chainCacheBytesMax: {
    default: 16 * mebibytes,
    least: mebibytes,
    most: 1024 * mebibytes,
    why: 'Judged chains of clients that are remembered, about 1.5 KB each: 10,000 routers that all come back at once.',
  },
  csrBytesMax: {
    default: 16 * kibibytes,
    least: 4 * kibibytes,
    most: 256 * kibibytes,
    why: 'A certificate request as it was sent. In PEM one has 1 KB, with an RSA key of 8192 bits 3 KB; the names in it come on top.',
  },
  writesPerSecondMax: {
    default: 100,
    least: 0,
    most: 1_000_000,
    why: 'Logins and writes per second of an identity that is no administrator, once writesBurstMax is used up; then 429 with Retry-After. 0 counts nothing. Deletions, log-outs, MFA codes and requests that find what they ask for are free.',
  },
  writesBurstMax: {
    default: 2000,
    least: 1,
    most: 100_000_000,
    why: 'Logins and writes of such an identity that may come at once after a rest: a client that comes back and dials 2,000 services.',
  },
  permittedWritesPerSecondMax: {
    default: 1000,
    least: 0,
    most: 1_000_000,
    why: 'Writes of the management API per second by a caller who is no administrator but has the permission, once permittedWritesBurstMax is used up; then 429 with Retry-After. 0 counts nothing.',
  },
  permittedWritesBurstMax: {
    default: 20_000,
    least: 1,
    most: 100_000_000,
    why: 'Such writes that may come at once after a rest: a script that sets up a network of 20,000 entities.',
  },
  filterStepsPerSecondMax: {
    default: 2_000_000,
    least: 0,
    most: 1_000_000_000,
    why: 'Steps (filterStepsMax) per second that the filters of an identity that is no administrator may take, once filterStepsBurstMax are used up; then 429 with Retry-After. A tenth of the main thread at most. 0 counts nothing.',
  },
  filterStepsBurstMax: {
    default: 4_000_000,
    least: 1000,
    most: 1_000_000_000,
    why: 'Steps that such filters may take at once after a rest, and so the most that one of them takes: 40 conditions asked of 100,000 services.',
  },
  adminFilterStepsPerSecondMax: {
    default: 10_000_000,
    least: 0,
    most: 1_000_000_000,
    why: 'As filterStepsPerSecondMax for an administrator, whose name many people and scripts may share: half of the main thread at most.',
  },
  adminFilterStepsBurstMax: {
    default: 100_000_000,
    least: 1000,
    most: 1_000_000_000,
    why: 'As filterStepsBurstMax for an administrator: twenty searches through a million records.',
  },
  authenticationsWaitingMax: {
    default: 250,
    least: 1,
    most: 100_000,
    why: 'Authentications that wait for a password hash; with one more, the caller with most of them is answered 429 (behaviour §4.11). Those of user names that logged in from the same address before wait apart from the others, and may be as many again. At 25 ms per hash and 2 cores the last of either waits 6 s. The same bound holds for logins that wait for the keys of an external JWT signer.',
  },
  writesWaitingMax: {
    default: 4096,
    least: 16,
    most: 1_000_000,
    why: 'Writes applied and not yet durable; one more is 429. At 10,000 a second that is 0.4 s of work.',
  },
  writeBytesWaitingMax: {
    default: 16 * mebibytes,
    least: 8 * mebibytes,
    most: 1024 * mebibytes,
    why: 'Frames appended and not yet durable. Sixteen of the largest fit; a dead disk must not fill the memory.',
  },
  stalledWriteAnswerMs: {
    default: 10_000,
    least: 100,
    most: 600_000,
    why: 'A change that was applied and is not durable after so long is answered 503 OUTCOME_UNKNOWN (design, Failures).',
  },
  frameBytesMax: {
    default: 4 * mebibytes,
    least: 2 * mebibytes,
    most: 8 * mebibytes,
    why: 'One frame of the log. A body of 1 MiB, its record before packing and 500 rows of a cascade fit.',
  },
  segmentBytes: {
    default: 16 * mebibytes,
    least: 8 * mebibytes,
    most: 1024 * mebibytes,
    why: 'One file of the log, preallocated with zeros, the next one made ahead: 32 MiB on disk for an idle home.',
  },
  followUpRowsMax: {
    default: 500,
    least: 1,
    most: 2000,
    why: 'Rows of one slice of a follow-up, a frame of its own; other requests get their turn between two slices.',
  },
  sessionsJudgedMax: {
    default: 1000,
    least: 1,
    most: 100_000,
    why: 'Sessions looked at in one go for whether they may stay, at 1 to 5 µs each: in the transaction that may cost them their access, or in a slice of what follows from it.',
  },
  sessionsJudgedMs: {
    default: 4,
    least: 1,
    most: 1000,
    why: 'And for how long at most: a session that nothing is remembered of takes ten times as long. What is left follows in later turns.',
  },
  lapsesInATurnMax: {
    default: 100_000,
    least: 1,
    most: 4_000_000,
    why: 'API sessions whose MFA runs out in one turn, at 20 ns each; their sessions are looked at in slices.',
  },
  orderRowsAtOnceMax: {
    default: 5000,
    least: 1,
    most: 10_000_000,
    why: 'Rows that are put in the order of a list or looked at by its filter in one go, at 0.1 to 4 µs each, when it is first asked for; more of them are in slices, and the list waits.',
  },
  orderSliceMs: {
    default: 2,
    least: 1,
    most: 100,
    why: 'A slice of putting rows in the order of a list, or of looking for those that match its filter: what other requests wait for it at most.',
  },
  unpackSliceMs: {
    default: 1,
    least: 1,
    most: 100,
    why: 'A slice of making the records that a start left packed, some 400: what other requests wait for it at most.',
  },
  unpackRestMs: {
    default: 10,
    least: 1,
    most: 60_000,
    why: 'How long others have their turn between two such slices: a million records take half a minute.',
  },
  listFindsWaitingMax: {
    default: 32,
    least: 1,
    most: 10_000,
    why: 'Looks through all rows of a large table, each by another filter, that wait while one is under way; the next is told to come again.',
  },
  listFindsPerCallerMax: {
    default: 16,
    least: 1,
    most: 10_000,
    why: 'Of those looks, the one under way included, how many one caller may have asked for: half, so that others find room.',
  },
  inspectRowsAtOnceMax: {
    default: 10_000,
    least: 1,
    most: 1_000_000,
    why: 'Instances that a list of an inspector looks at in one go, at 0.1 to 0.5 µs each; more of them are looked at in slices.',
  },
  inspectSliceMs: {
    default: 3,
    least: 1,
    most: 100,
    why: 'A slice of a look of an inspector through many instances: what other requests wait for it at most.',
  },
  inspectLooksWaitingMax: {
    default: 32,
    least: 1,
    most: 1000,
    why: 'Looks of inspectors through many instances that wait while one is under way; the next is told to come again.',
  },
  inspectRelatedMax: {
    default: 100,
    least: 1,
    most: 10_000,
    why: 'Records that one field of an instance refers to, as inspectors are shown them: role lists can name thousands.',
  },
  inspectSomeMax: {
    default: 10,
    least: 1,
    most: 1000,
    why: 'Records named of those that refer to an instance; lists show the rest.',
  },
  viewCacheBytesMax: {
    default: 32 * mebibytes,
    least: mebibytes,
    most: 4096 * mebibytes,
    why: 'Cached JSON of records and of references to them. 10,000 services of 850 bytes take 8.5 MB; the goal for that home is 250 MB resident.',
  },
  accessMemosMax: {
    default: 10_000,
    least: 1,
    most: 1_000_000,
    why: 'Classes of identities and services whose policies are remembered, at about 0.5 KB each (access/).',
  },
  sendDepthMax: {
    default: 8,
    least: 1,
    most: 64,
    why: 'Events deep that the effects of one event may go. The longest chain of the state table is far shorter; more is a loop.',
  },
  deadlineSliceEntriesMax: {
    default: 100,
    least: 1,
    most: 10_000,
    why: 'Deadlines handed out a turn of the event loop: a thousand sessions that end at once let requests in between.',
  },
  deadlineArmAheadMs: {
    default: 60_000,
    least: 1000,
    most: 86_400_000,
    why: 'The timer of the deadlines is never armed further ahead, so that a wall clock that jumped is noticed.',
  },
  deadlineRetryMs: {
    default: 1000,
    least: 100,
    most: 600_000,
    why: 'A deadline whose transaction failed is asked again after so long.',
  },
  drainTimeoutMs: {
    default: 30_000,
    least: 1000,
    most: 600_000,
    why: 'A clean stop that takes longer has failed: requests in flight are answered and the last snapshot written in it.',
  },
  snapshotSliceMs: {
    default: 1,
    least: 1,
    most: 100,
    why: 'A snapshot packs records for so long a turn, then requests have theirs (design: under 4 ms); with 2 there is 0.85 of the throughput meanwhile, and a snapshot takes 0.85 of the time.',
  },
  snapshotRetryMs: {
    default: 60_000,
    least: 1000,
    most: 86_400_000,
    why: 'Rest after a snapshot that failed; the log has everything meanwhile.',
  },
  snapshotIntervalMs: {
    default: 60_000,
    least: 0,
    most: 86_400_000,
    why: 'Between two snapshots that administrators ask for; sooner is answered 429 (behaviour §11.2).',
  },
  snapshotTimeoutMs: {
    default: 120_000,
    least: 1000,
    most: 3_600_000,
    why: 'The snapshot operation in place of handlerTimeoutMs (decision 32).',
  },
  integritySliceMs: {
    default: 2,
    least: 1,
    most: 4,
    why: 'A data integrity run works for so long a turn, then requests have theirs: with the step it is in, it holds the main thread under 5 ms.',
  },
  integrityResultsMax: {
    default: 1000,
    least: 1,
    most: 1000,
    why: 'Findings of a data integrity run that are kept and shown; with more, its results say so (behaviour §11.1).',
  },
  clockWatchMs: {
    default: 60_000,
    least: 1000,
    most: 3_600_000,
    why: 'The wall clock is held against the monotonic one so often.',
  },
  clockJumpMs: {
    default: 5000,
    least: 100,
    most: 3_600_000,
    why: 'A wall clock that goes so far astray meanwhile has jumped and is told of. Time services slew under 40 ms a minute.',
  },
  clockJumpShownMs: {
    default: 600_000,
    least: 1000,
    most: 86_400_000,
    why: 'How long health shows that the clock jumped: long enough for checks that come every few minutes.',
  },
  longPauseMs: {
    default: 1000,
    least: 10,
    most: 60_000,
    why: 'A pause of the event loop that health shows, for a minute or two. Nothing that the controller does takes a twentieth of it.',
  },
  metricsConnectionsMax: {
    default: 32,
    least: 1,
    most: 10_000,
    why: 'Connections of the metrics listener; one more is closed at once. A few collectors and probes share it.',
  },
  metricsTimeoutMs: {
    default: 10_000,
    least: 100,
    most: 600_000,
    why: 'A request to the metrics listener, and a connection there that says nothing: what Prometheus gives a scrape.',
  },
  activityFlushRowsMax: {
    default: 250,
    least: 1,
    most: 10_000,
    why: 'API sessions whose last activity one frame writes down (behaviour §4.7.2).',
  },
  logReadsWaitingMax: {
    default: 64,
    least: 1,
    most: 10_000,
    why: 'Reads of the kept log that wait while one is under way; one more is answered 429. A page takes some ms.',
  },
  logReadFramesMax: {
    default: 10_000,
    least: 1,
    most: 1_000_000,
    why: 'Frames that one page of the log looks at, 50 ms: who looks for few among many lets others read in between.',
  },
  logReadHistoryFramesMax: {
    default: 5000,
    least: 1,
    most: 1_000_000,
    why: 'Frames that one page of the transitions of an instance looks at. Updates that sent it no event count as well.',
  },
  logReadSearchBytesMax: {
    default: 256 * mebibytes,
    least: mebibytes,
    most: 16_384 * mebibytes,
    why: 'Bytes of the log that one page of the transitions of a deleted instance searches for its last change, some 100 ms; others read before the next page.',
  },
  logReaderIdleMs: {
    default: 30_000,
    least: 100,
    most: 3_600_000,
    why: 'The thread that reads the log ends when nobody asked it for so long: it takes some 40 MB.',
  },
  auditStreamsMax: {
    default: 16,
    least: 1,
    most: 1000,
    why: 'Audit feeds at a time; one more is answered 429. Each may hold a page and one of the largest frames.',
  },
  auditPageBytes: {
    default: 64 * kibibytes,
    least: kibibytes,
    most: mebibytes,
    why: 'Text that an audit feed reads and sends at a time: what it holds for a peer that does not read.',
  },
  auditGatherMs: {
    default: 50,
    least: 1,
    most: 10_000,
    why: 'An audit feed gathers new frames for so long: at 10,000 a second that is one read for 500.',
  },
  auditCommentMs: {
    default: 15_000,
    least: 100,
    most: 600_000,
    why: 'Between two signs of life on an audit feed; sooner where idleTimeoutMs would close its connection.',
  },
  filterCacheCharactersMax: {
    default: 256 * kibibytes,
    least: 4 * kibibytes,
    most: 64 * mebibytes,
    why: 'Text of the filters whose compiled form is kept: compiling takes longer than most lists do. Consoles and SDKs send the same few.',
  },
  matchedRowsKeptMax: {
    default: 400_000,
    least: 1000,
    most: 100_000_000,
    why: 'Rows kept in all as matches of filters that were lately asked for, 8 bytes each: who pages through a filter looks at the records once.',
  },
  pageRowsDefault: {
    default: 10,
    least: 1,
    most: 100_000,
    why: 'Rows of a page when limit is absent, 0 or below -1 (behaviour §2.1.2).',
  },
  pageRowsMax: {
    default: 500,
    least: 1,
    most: 100_000,
    why: 'Rows of a page that limit can ask for; -1 still means all (behaviour §2.1.2).',
  },
  answerBytesMax: {
    default: 32 * mebibytes,
    least: 8 * mebibytes,
    most: 1024 * mebibytes,
    why: 'One answer; a larger one is refused with the hint to ask for smaller pages. A page of 500 services under 60 policies with 20 checks each would be 146 MB. All of 40,000 identities fit.',
  },
  unsentBytesMax: {
    default: 256 * mebibytes,
    least: 8 * mebibytes,
    most: 16 * 1024 * mebibytes,
    why: 'What is kept, per listener, of all answers that their clients have not taken: 8 of the largest. Beyond it those that wait longest are cut off.',
  },
  pageOffsetMax: {
    default: 100_000,
    least: 0,
    most: 100_000_000,
    why: 'A larger offset is cut to it (behaviour §2.1.3).',
  },
  filterCharsMax: {
    default: 16 * kibibytes,
    least: kibibytes,
    most: 64 * kibibytes,
    why: 'Text of a filter. A page of 500 session ids of 25 characters in an array takes 14 KiB; headers with the URL have 32.',
  },
  filterDepthMax: {
    default: 64,
    least: 4,
    most: 128,
    why: 'Parentheses, functions, not and sub-queries of a filter within each other. Filters of the tools have 3 or 4; reading one recurses, and the stack ends between 256 and 512.',
  },
  filterConditionsMax: {
    default: 500,
    least: 16,
    most: 10_000,
    why: 'Conditions of a filter: a page of ids (pageRowsMax) joined by or. Each may be asked of every row.',
  },
  filterArrayMax: {
    default: 1000,
    least: 16,
    most: 10_000,
    why: 'Values of one array of a filter: two pages of ids. Tools send a page, 500.',
  },
  filterStepsMax: {
    default: 16_000_000,
    least: 1000,
    most: 1_000_000_000,
    why: 'Steps of the filter of one list, 10 to 60 ns each: a row looked at, a condition asked of it, a record behind a link. So many hold the main thread for up to a second; a name searched for in the million of rows that a home is built for takes 1 to 5 million.',
  },
  postureResponsesMax: {
    default: 500,
    least: 1,
    most: 2000,
    why: 'Responses of one bulk: an endpoint answers every check of its services at once, and each process of a check by itself.',
  },
  postureProcessesMax: {
    default: 500,
    least: 1,
    most: 5000,
    why: 'Processes kept of what the endpoints of one identity submitted; beyond it those submitted longest ago go. They stand in one record, which is written whole.',
  },
  postureProcessCharactersMax: {
    default: 128 * kibibytes,
    least: 32 * kibibytes,
    most: 384 * kibibytes,
    why: 'Their paths, hashes and fingerprints together: 500 processes of 250 characters. Beyond it, too, the oldest go.',
  },
  heapLivePercentMax: {
    default: 85,
    least: 10,
    most: 95,
    why: 'Share of the heap that is live after a full collection, above which records are no longer created (429). The rest is for garbage, for requests and for the next start, which needs as much.',
  },
  heapWatchMs: {
    default: 250,
    least: 10,
    most: 60_000,
    why: 'How often the use of the heap is looked at: 10 µs each time. A full collection is asked for when more is used than may be live.',
  },
  heapCollectMs: {
    default: 5000,
    least: 100,
    most: 600_000,
    why: 'The least time between two full collections that are asked for while the heap is full: so late it is noticed that deletions have made room. Collections that take long are asked for less often.',
  },
  postureBytesMax: {
    default: 256 * kibibytes,
    least: 64 * kibibytes,
    most: 4 * mebibytes,
    why: 'Posture data of one identity: the UTF-8 bytes of their texts and 64 for each entry. 500 processes of 250 characters count for 160 KB. Processes submitted longest ago make room; a submission that does not fit by itself is refused.',
  },
  postureFlushRowsMax: {
    default: 250,
    least: 1,
    most: 10_000,
    why: 'Identities whose repeated posture submissions one frame writes down, as with the activity of API sessions.',
  },
  postureFlushBytesMax: {
    default: 512 * kibibytes,
    least: kibibytes,
    most: 4 * mebibytes,
    why: 'Bytes of posture data in such a frame, beyond its first record: a frame is written and synced as one.',
  },
  postureSignersMax: {
    default: 20,
    least: 1,
    most: 20,
    why: 'Signers submitted of one process. Programs have one or two; so many of the longest still fit into what is kept.',
  },
  postureMacAddressesMax: {
    default: 100,
    least: 1,
    most: 1000,
    why: 'MAC addresses of one response. Machines with containers and bridges show some dozen.',
  },
  postureSessionsShownMax: {
    default: 500,
    least: 1,
    most: 10_000,
    why: 'API sessions whose posture is shown with the data of their identity, the newest ones; 300 bytes each.',
  },
  failedRequestsMax: {
    default: 100,
    least: 1,
    most: 1000,
    why: 'Requests for a service that posture refused, remembered of one identity (behaviour §9.6.1); the oldest goes first.',
  },
  failedRequestCharactersMax: {
    default: 256 * kibibytes,
    least: 4 * kibibytes,
    most: 16 * mebibytes,
    why: 'Text of those of one identity: 100 of 2.5 KB, a request that three checks refused. They are answered as one list.',
  },
  failedRequestsCharactersMax: {
    default: 32 * mebibytes,
    least: kibibytes,
    most: 1024 * mebibytes,
    why: 'Text of those of all identities, in memory only; beyond it the identity that was refused longest ago is forgotten.',
  },
  sessionEdgeRoutersMax: {
    default: 25,
    least: 1,
    most: 1000,
    why: 'Edge routers shown in a session, connected ones first (behaviour §8.3).',
  },
  explainPoliciesMax: {
    default: 50,
    least: 1,
    most: 1000,
    why: 'Policies of each family that an explanation spells out; of the others it says how many they are. One of 3,000 roles takes 0.1 ms to read.',
  },
  explainEntriesMax: {
    default: 10,
    least: 1,
    most: 1000,
    why: 'Roles and attributes that an explanation names in one list; they have up to 1,000 characters each.',
  },
  explainChecksMax: {
    default: 20,
    least: 1,
    most: 1000,
    why: 'Posture checks that an explanation shows of one policy, failing ones first.',
  },
  explainRoutersMax: {
    default: 50,
    least: 1,
    most: 1000,
    why: 'Routers in each list of an explanation, connected ones first.',
  },
  explainSessionsMax: {
    default: 25,
    least: 1,
    most: 1000,
    why: 'API sessions and sessions that an explanation shows, the latest first.',
  },
  explainApiSessionsMax: {
    default: 10_000,
    least: 1,
    most: 1_000_000,
    why: 'API sessions of one identity that an explanation looks at, at 1 µs each.',
  },
  passwordCharactersMin: {
    default: 5,
    least: 5,
    most: 100,
    why: 'Characters of a password, whatever the auth policy says (spec/3 "Limits").',
  },
  passwordCharactersMax: {
    default: 100,
    least: 100,
    most: 100,
    why: 'Characters of a password at most (spec/3 "Limits"): hashing time grows with them.',
  },
  jwtCharactersMax: {
    default: 8192,
    least: 1024,
    most: 32768,
    why: 'A JWT that a caller shows; ours have under 1 KiB, those of identity providers under 8.',
  },
  pemCharactersMax: {
    default: 65_536,
    least: 4096,
    most: mebibytes,
    why: 'PEM text of certificates that a caller registers or shows. Twenty of RSA-4096 fit; each one costs 25 µs to read.',
  },
  identityServiceConfigsMax: {
    default: 10_000,
    least: 1,
    most: 20_000,
    why: 'Configs of its own that one identity has for services. They stand in its record, at about 60 bytes each, which is written whole.',
  },
  roleAttributesMax: {
    default: 1000,
    least: 1,
    most: 5000,
    why: 'Role attributes of one identity, service, router or posture check. What a policy asks of them is looked for in the list; networks have a few dozen.',
  },
  policyRolesMax: {
    default: 10_000,
    least: 1,
    most: 20_000,
    why: 'Roles in one list of a policy. Lists of ids grow long; they stand in its record, which is written whole.',
  },
  patternCharactersMax: {
    default: 1000,
    least: 100,
    most: 10_000,
    why: 'One pattern of the schema of a config type: nine characters can mean 1,000 instructions, at 2 µs each to compile.',
  },
  schemaInstructionsMax: {
    default: 50_000,
    least: 1000,
    most: 1_000_000,
    why: 'Instructions of all patterns of one such schema, 0.1 s to compile. A host name takes some hundred.',
  },
  patternStepsMax: {
    default: 25_000_000,
    least: 10_000,
    most: 1_000_000_000,
    why: 'Characters times instructions that patterns may take to check one config, at 40 ns each when it is worst. A config of 1 MiB passes patterns of 25 instructions.',
  },
  sessionCertificatesMax: {
    default: 20,
    least: 1,
    most: 1000,
    why: 'Certificates that one API session may have been issued and that have not ended; one more is 429. Clients need one, and another before its 12 hours are over.',
  },
  sessionCertificatesPerIdentityMax: {
    default: 1000,
    least: 1,
    most: 1_000_000,
    why: 'Certificates issued to all API sessions of one identity that have not ended; one more is 429. SDKs ask for one per API session, and it goes with its API session, so apiSessionsPerIdentityMax of them fit.',
  },
  apiSessionsPerIdentityMax: {
    default: 1000,
    least: 1,
    most: 16_000_000,
    why: 'API sessions of one identity; one more login ends the one that has been idle longest. Hundreds of devices or scripts may share an identity; a client that logs in again and again must not fill the memory.',
  },
  sessionsPerApiSessionMax: {
    default: 20_000,
    least: 1,
    most: 16_000_000,
    why: 'Sessions of one API session, one per service and type; one more is 429. A client that dials and binds 10,000 services has so many.',
  },
  sessionsPerIdentityMax: {
    default: 100_000,
    least: 1,
    most: 16_000_000,
    why: 'Sessions of all API sessions of one identity, those on their way out included; one more is 429. They take about 50 MB.',
  },
  tracesMax: {
    default: 1000,
    least: 1,
    most: 100_000,
    why: 'Identities that are traced at a time; one more is 429. Traces are for the minutes in which somebody looks.',
  },
  traceMinutesMax: {
    default: 10_080,
    least: 1,
    most: 525_600,
    why: 'How long one trace may run: a week. A forgotten one must end.',
  },
  jwksTimeoutMs: {
    default: 5000,
    least: 100,
    most: 9000,
    why: 'Fetching the key set of an external JWT signer, redirects included (behaviour §4.5.3); a login may wait for it.',
  },
  jwksRedirectsMax: {
    default: 5,
    least: 0,
    most: 20,
    why: 'Redirects on the way to a key set (behaviour §4.5.3).',
  },
  jwksBytesMax: {
    default: mebibytes,
    least: kibibytes,
    most: 16 * mebibytes,
    why: 'A key set: 1,000 RSA keys have 0.5 MB, 500 with their certificates 1 MB.',
  },
  jwksKeysMax: {
    default: 1000,
    least: 1,
    most: 10_000,
    why: 'Keys of one set; those behind are passed over. Identity providers publish two to ten.',
  },
  jwksIntervalMs: {
    default: 1000,
    least: 100,
    most: 600_000,
    why: 'Between two fetches for one signer (behaviour §4.5.3): tokens with invented key ids must not become requests to others.',
  },
  jwksPauseMaxMs: {
    default: 60_000,
    least: 100,
    most: 3_600_000,
    why: 'After failures the interval doubles up to this; then a provider that is back is noticed within a minute.',
  },
  jwksRefreshMs: {
    default: 3_600_000,
    least: 1000,
    most: 86_400_000,
    why: 'A key set this old is fetched anew when it is used, so that a key its provider took back does not count for ever.',
  },
  jwksFetchesMax: {
    default: 16,
    least: 1,
    most: 1000,
    why: 'Key sets fetched at a time; more signers wait their turn. All of them are asked after a start.',
  },
  externalJwtsKnownMax: {
    default: 100_000,
    least: 2,
    most: 4_000_000,
    why: 'Verified external JWTs remembered until they end, at about 400 bytes each: secondary ones come with every request.',
  },
  challengeCharactersMax: {
    default: 2048,
    least: 256,
    most: 8192,
    why: 'Ids and issuers of signers in one WWW-Authenticate: clients refuse answers with headers of more than 8 or 16 KiB.',
  },
  lockoutAuthenticatorsMax: {
    default: 100_000,
    least: 1000,
    most: 10_000_000,
    why: 'Authenticators whose wrong passwords are counted, at about 100 bytes each; beyond it the one that failed longest ago is forgotten.',
  },
  recentLoginsMax: {
    default: 10_000,
    least: 100,
    most: 1_000_000,
    why: 'Pairs of address and user name that are remembered after a login, at about 150 bytes each; beyond it the one that logged in longest ago is forgotten. They have a lane of their own in the queue of password hashes.',
  },
  adminAddressesMax: {
    default: 100,
    least: 1,
    most: 1000,
    why: 'Addresses known of one administrator, at about 30 bytes each in his record; the one used longest ago is forgotten first. Wrong passwords lock nobody out at these.',
  },
  mfaWrongCodesMax: {
    default: 10,
    least: 1,
    most: 1000,
    why: 'Wrong MFA codes in a row before an identity is barred (decision 30). With the window of three steps, ten guesses hit one time in 33,000.',
  },
  mfaBarMs: {
    default: 60_000,
    least: 1000,
    most: 3_600_000,
    why: 'How long the first bar lasts; each further one lasts twice as long, until a right code (RFC 4226 §7.3).',
  },
  mfaBarMsMax: {
    default: 3_600_000,
    least: 1000,
    most: 86_400_000,
    why: 'The longest bar: an hour. Ten guesses an hour find a code in 4 years on average; the owner is not locked out for a day.',
  },
  mfaAttemptIdentitiesMax: {
    default: 100_000,
    least: 1000,
    most: 10_000_000,
    why: 'Identities whose wrong MFA codes are counted, at about 150 bytes each; beyond it the one that failed longest ago is forgotten.',
  },
  socketMessageBytesMax: {
    default: 32 * kibibytes,
    least: kibibytes,
    most: mebibytes,
    why: 'One WebSocket message of a client; the connection is closed for a longer one. A filter of filterCharsMax fits, quotes escaped.',
  },
  socketBufferBytesMax: {
    default: mebibytes,
    least: 64 * kibibytes,
    most: 64 * mebibytes,
    why: 'What a WebSocket has not taken; beyond it the connection is dropped. Who sends stops long before (inspectorBufferBytesMax).',
  },
  socketIdleTimeoutMs: {
    default: 30_000,
    least: 8000,
    most: 960_000,
    why: 'A WebSocket that takes and says nothing for so long is dropped, pings included; uWebSockets.js takes 8 to 960 s. Shorter than idleTimeoutMs, so that pings keep a quiet one open.',
  },
  inspectorsMax: {
    default: 200,
    least: 1,
    most: 10_000,
    why: 'Attached inspectors; one more is answered 429. 100 of them cost session creates less than a tenth (issue 8).',
  },
  inspectorTicketsMax: {
    default: 1000,
    least: 1,
    most: 100_000,
    why: 'Tickets that nobody has used yet, at 300 bytes each; one more is answered 429.',
  },
  inspectorTicketMs: {
    default: 30_000,
    least: 1000,
    most: 600_000,
    why: 'How long a ticket opens a stream: it stands in a URL, which proxies may write down.',
  },
  inspectorMessagesMax: {
    default: 20,
    least: 1,
    most: 1000,
    why: 'Messages of one inspector within a second; who sends more is closed. Typing a filter makes ten, and compiling one takes up to a millisecond.',
  },
  inspectorFlushMs: {
    default: 100,
    least: 10,
    most: 1000,
    why: 'Between two tellings of transitions: what people see as at once, and one message for hundreds.',
  },
  inspectorRingTransitionsMax: {
    default: 20_000,
    least: 100,
    most: 1_000_000,
    why: 'Transitions kept until they are durable and told, 200 bytes each; one more is dropped and counted. In 100 ms a controller makes some 2,000.',
  },
  inspectorTransitionsMax: {
    default: 200,
    least: 1,
    most: 2000,
    why: 'Transitions of one message to an inspector, 300 bytes each: 2,000 a second are more than anybody reads. The others are dropped and counted.',
  },
  inspectorSendsMax: {
    default: 2000,
    least: 100,
    most: 100_000,
    why: 'Transitions sent in one flush to all inspectors together, 6 MB a second: with 100 that read, each is told 20 in a message.',
  },
  inspectorFiltersMax: {
    default: 200,
    least: 1,
    most: 1000,
    why: 'Different filters of all inspectors; one more is refused. As many as inspectors: each may look at an instance of its own. Together they have inspectorFilterStepsMax.',
  },
  inspectorFilterStepsMax: {
    default: 40_000,
    least: 1000,
    most: 1_000_000,
    why: 'Steps that all filters may take in one flush, 2 ms of the main thread. What could not be looked at is dropped and counted.',
  },
  inspectorBufferBytesMax: {
    default: 128 * kibibytes,
    least: kibibytes,
    most: 16 * mebibytes,
    why: 'What an inspector has not taken at which it is told nothing more, and what it misses is counted: two messages of the largest.',
  },
  inspectorActorsMax: {
    default: 2000,
    least: 1,
    most: 100_000,
    why: 'Instances that an attached Stately inspector is known to know, 100 bytes each; the one seen longest ago is introduced anew.',
  },
  apiSessionsMax: {
    default: 4_000_000,
    least: 1000,
    most: 16_000_000,
    why: 'API sessions at once, of all identities together; one more login is refused with 429. A million take less than 1 GB.',
  },
} as const satisfies Readonly<Record<string, Bound>>;

/** Name of a bound. */
export type LimitName = keyof typeof bounds;

/** The bounds in force. */
export type Limits = Readonly<Record<LimitName, number>>;

/** The bounds of an unconfigured controller. */
export const defaultLimits: Limits = Object.freeze(
  Object.fromEntries(
    Object.entries(bounds).map(([name, bound]) => [name, bound.default]),
  ) as Record<LimitName, number>,
);

/**
 * Checks bounds that only make sense together.
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
