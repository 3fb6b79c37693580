// The target of a bench: any controller of the API, with further data for a controller that the
// bench started.

/** The credentials of an administrator there. */
export interface Administrator {
  readonly username: string;
  readonly password: string;
}

/** A running controller. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** The name in its certificate; also sent in `Host`. */
  readonly serverName: string;
  /** PEM file of the trusted CAs; if absent, those that Node trusts. */
  readonly caFile?: string;
  readonly administrator: Administrator;
  /** The process whose CPU is measured; absent if it is not on this machine, or not ours. */
  readonly pid?: number;
  /** Port of a listener without TLS workers in front; 0 or absent if there is none. */
  readonly directPort?: number;
  /** The directory of its log, which the bench reads. */
  readonly home?: string;
}
