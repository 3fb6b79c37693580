// Whom a bench speaks to: any controller of the API, and what is known beside that of one it
// started.

/** Who is an administrator there. */
export interface Administrator {
  readonly username: string;
  readonly password: string;
}

/** A controller that answers. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** The name its certificate has; also in `Host`. */
  readonly serverName: string;
  /** PEM file it is trusted by; absent: what Node trusts. */
  readonly caFile?: string;
  readonly administrator: Administrator;
  /** The process whose CPU is measured; absent where it is not on this machine, or not ours. */
  readonly pid?: number;
  /** Port of a listener without TLS workers in front; 0 or absent without one. */
  readonly directPort?: number;
  /** Where its log lies, to be read beside it. */
  readonly home?: string;
}
