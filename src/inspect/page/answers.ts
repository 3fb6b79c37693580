// Answers of the published API, with the fields that the page reads.

/** Of `POST /authenticate` and `POST /authenticate/mfa`. */
export interface ApiSession {
  readonly token: string;
  /** Factors that are still missing. */
  readonly authQueries: readonly { readonly typeId?: string; readonly isTotpEnrolled?: boolean }[];
}

/** Of `GET /current-identity`. */
export interface CurrentIdentity {
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isDefaultAdmin?: boolean;
}

/** Of `GET /database/data-integrity-results`. Times are ISO texts. */
export interface IntegrityResults {
  readonly inProgress: boolean;
  readonly fixingErrors: boolean;
  readonly startTime?: string | null;
  readonly endTime?: string | null;
  readonly error: string;
  readonly tooManyErrors: boolean;
  readonly results: readonly { readonly description: string; readonly fixed: boolean }[];
}
