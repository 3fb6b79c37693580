// What the main thread and a TLS worker say to each other, and the bounds of the TLS front.

/** Bounds of one TLS worker; each is set in `limits.ts`. */
export interface FrontLimits {
  /**
   * Connections open at once in a worker. For one more, one whose handshake is not done makes room;
   * where there is none, it is closed at once.
   */
  readonly connectionsMax: number;
  /** Those of one address, or of one IPv6 /64; one more is closed at once. */
  readonly connectionsPerAddressMax: number;
  /** Bytes of a ClientHello, with the records it comes in. */
  readonly clientHelloBytesMax: number;
  /** From a connection's first byte to the end of its ClientHello. */
  readonly clientHelloTimeoutMs: number;
  /**
   * Handshakes begun and not finished; as many may wait for their turn, and as many may have begun
   * to send a ClientHello.
   */
  readonly handshakesUnfinishedMax: number;
  /** Handshakes begun in one turn of a worker's event loop. */
  readonly handshakesPerTurnMax: number;
  /** How long a handshake is let alone before it may have to make room for others. */
  readonly handshakeGraceMs: number;
  /** From the connection to the end of its handshake, waiting included. */
  readonly handshakeTimeoutMs: number;
  /** Request line and headers of one request. */
  readonly headerBytesMax: number;
  /** From the end of the handshake to the first byte, and from it to the end of a head. */
  readonly silentTimeoutMs: number;
  /** Without a byte in either direction; longer than the longest operation takes. */
  readonly idleTimeoutMs: number;
  /**
   * A close by the server this long after its last answer is its keep-alive time-out (10 s, built
   * into uWebSockets.js), and the client's connection stays; an earlier one is meant for the
   * client.
   */
  readonly parkAfterMs: number;
  /** From our last byte until the client has closed as well. */
  readonly lingerTimeoutMs: number;
  /** Certificates that a client may show. */
  readonly certificatesMax: number;
  /** Bytes of their DER forms together. */
  readonly certificatesBytesMax: number;
}

/** The server's own certificate, PEM. */
export interface ServerCertificate {
  /** The leaf first, intermediates behind it. */
  readonly certificate: string;
  readonly key: string;
}

/** What a worker is told first. */
export interface TlsWorkerData {
  readonly host: string;
  readonly port: number;
  readonly socketPath: string;
  readonly server: ServerCertificate;
  readonly limits: FrontLimits;
  readonly shared: SharedArrayBuffer;
  readonly slotBase: number;
}

/** To a worker. Several connections go in one message. */
export type ToTlsWorker =
  /** The main thread knows these connections: forward. */
  | { readonly kind: 'welcome'; readonly slots: readonly number[] }
  /** Close once the last answer is through, and forward nothing more of the client. */
  | { readonly kind: 'finish'; readonly slots: readonly number[] }
  /** New connections are shown this certificate. */
  | { readonly kind: 'renew'; readonly server: ServerCertificate }
  /** Take no new connections; end when the last has gone, or all after `timeoutMs`. */
  | { readonly kind: 'drain'; readonly timeoutMs: number };

/** From a worker. */
export type FromTlsWorker =
  | { readonly kind: 'listening' }
  | { readonly kind: 'refused'; readonly message: string; readonly code: string }
  /** Connections that showed certificates, each with its chain in DER, the leaf first. */
  | { readonly kind: 'introduce'; readonly connections: readonly Introduction[] }
  /** Introduced connections that are closed. */
  | { readonly kind: 'left'; readonly slots: readonly number[] }
  | { readonly kind: 'drained' };

/** A connection with certificates. */
export interface Introduction {
  readonly slot: number;
  readonly certificates: readonly Uint8Array[];
}
