// The one table of error codes: meaning, status, and default message of each.

/**
 * One row. `also` holds further statuses that the specification gives the same code in certain
 * operations.
 */
export interface ErrorCodeRow {
  readonly status: number;
  readonly message: string;
  /** When the code is answered, for the generated documentation. */
  readonly when: string;
  readonly also?: readonly number[];
}

const row = (
  status: number,
  message: string,
  when: string,
  also?: readonly number[],
): ErrorCodeRow => ({ status, message, when, ...(also === undefined ? {} : { also }) });

/**
 * Every code the controller answers. Clients switch on these strings (behaviour/errors#codes); the
 * statuses are the specification's where it names one. `STORAGE_UNAVAILABLE`, `OUTCOME_UNKNOWN`,
 * `STORAGE_LIMIT_REACHED` and `UPGRADE_NOT_FINAL` are ours, because OpenZiti has no code for a disk
 * that cannot be written or is nearly full, or for a cluster that is being upgraded.
 */
export const errorCodes = {
  COULD_NOT_VALIDATE: row(
    400,
    'The request holds a value that is not valid.',
    'A field or parameter is missing, of the wrong type, out of its bounds, a duplicate, or refers to nothing.',
  ),
  INVALID_REQUEST: row(
    400,
    'The request lacks a parameter, or has one that is not valid.',
    'An endpoint of the OIDC provider gets a parameter that is missing, repeated or not valid (behaviour/oidc#errors).',
  ),
  INVALID_CLIENT: row(
    400,
    'There is no such client.',
    'The OIDC provider does not know the client (behaviour/oidc#clients).',
  ),
  INVALID_GRANT: row(
    400,
    'The code or token is not or no longer valid.',
    'A code or refresh token is unknown, used, expired or of another client, or its session has ended (behaviour/oidc#tokens).',
  ),
  INVALID_SCOPE: row(
    400,
    'The scope is wider than that of the login.',
    'A refresh asks for more than the client was given.',
  ),
  UNAUTHORIZED_CLIENT: row(
    400,
    'The client may not ask for this type of answer.',
    'An authorization request for anything but a code.',
  ),
  UNSUPPORTED_GRANT_TYPE: row(
    400,
    'The provider does not know this type of grant.',
    'The token endpoint of the OIDC provider gets another grant type than its three.',
  ),
  ACCESS_DENIED: row(
    400,
    'The token may be used only with its certificate.',
    'A refresh of a token that is bound to a certificate, over a connection without that certificate (behaviour/oidc#certificates).',
  ),
  INVALID_TOTP_CODE: row(
    400,
    'The code is not valid.',
    'A TOTP or recovery code at a login by OIDC is wrong, or not asked for (behaviour/oidc#logins).',
  ),
  MALFORMED_REQUEST: row(
    400,
    'The request is not valid HTTP/1.1.',
    'Its lines, lengths or chunks could be read in two ways, its headers are too long, or it names another version of HTTP. The connection is closed behind the answer.',
    [431, 505],
  ),
  COULD_NOT_PARSE_BODY: row(
    400,
    'The body could not be understood.',
    'Malformed or too deeply nested JSON, bytes that are not UTF-8, a body of the wrong kind, unusable PEM where a CA is verified.',
  ),
  INVALID_CONTENT_TYPE: row(
    400,
    'This content type is not taken here.',
    'The content type of the request is none the operation reads; 415 at a login by OIDC.',
    [415],
  ),
  INVALID_FILTER: row(
    400,
    'The filter is not valid.',
    'The filter does not parse, names an unknown symbol, or compares unlike types.',
  ),
  INVALID_SORT_IDENTIFIER: row(
    400,
    'The sort order is not valid.',
    'The sort parameter does not parse or names a symbol that cannot be sorted by.',
  ),
  INVALID_PAGINATION: row(
    400,
    'The page asked for is not valid.',
    'The limit or the offset is not an integer; the cause names which.',
  ),
  ANSWER_TOO_LARGE: row(
    400,
    'The answer would be too large. Ask for smaller pages with limit.',
    'The rows of a page, or what belongs to a single record, are more than limits.answerBytesMax.',
  ),
  SERVER_NOT_RUNNING_IN_HA_MODE: row(
    400,
    'This controller runs in no cluster.',
    'An order to a cluster over the fabric API, without one.',
  ),
  INVALID_UUID: row(400, 'This is not a UUID.', 'A parameter declared as a UUID is none.'),
  INVALID_BACKING_TOKEN_TYPE: row(
    400,
    'The API session has an opaque token.',
    'A TOTP token is asked for in an API session that did not begin with OIDC (behaviour/mfa#totp-tokens).',
  ),
  INVALID_AUTH_METHOD: row(
    400,
    'There is no such authentication method.',
    'The method of an authenticate request has no handler.',
  ),
  INVALID_ENROLL_METHOD: row(
    400,
    'The enrollment does not allow this method.',
    'The enrollment method is unknown or not that of the enrollment.',
  ),
  INVALID_AUTHENTICATOR_PROPERTIES: row(
    400,
    'The authenticator has fields of another method.',
    'An authenticator is created with fields that its method does not have.',
  ),
  INVALID_COMMON_NAME: row(
    400,
    'The common name of the certificate is not the expected one.',
    'CA verify: the common name is not the verification token.',
  ),
  INVALID_POSTURE: row(
    400,
    'The posture of the device does not satisfy the policies.',
    'Session create: posture checks fail; the cause lists them (behaviour/sessions#posture).',
  ),
  POSTURE_DATA_TOO_LARGE: row(
    400,
    'The posture data of this identity would be too large.',
    'A posture response does not fit into `postureBytesMax`, even without the processes that were submitted earlier.',
  ),
  NO_EDGE_ROUTERS_AVAILABLE: row(
    400,
    'No edge router is open to both this identity and this service.',
    'Session create: the policies leave no edge router in common.',
  ),
  MISSING_OR_INVALID_CSR: row(
    400,
    'A certificate signing request is missing or not valid.',
    'Router enrollment without one of its two CSRs.',
  ),
  COULD_NOT_PROCESS_CSR: row(
    400,
    'The certificate signing request could not be processed.',
    'A CSR does not parse, is not signed by its own key, or asks for what is not signed.',
  ),
  EDGE_ROUTER_ENROLL_COMMON_NAME_INVALID: row(
    400,
    'The common name of the request is not the id of the router.',
    'Router enrollment with a CSR made for another name.',
  ),
  ENROLLMENT_EXPIRED: row(
    400,
    'The enrollment has expired.',
    'The enrollment token is known but past its time.',
  ),
  ENROLLMENT_CA_NOT_VALID: row(
    400,
    'The CA of this enrollment does not allow it.',
    'Enrollment through a CA whose one-time-token enrollment is switched off.',
  ),
  ENROLLMENT_NO_VALID_CAS: row(
    400,
    'There is no CA to enroll with.',
    'CA auto-enrollment while no CA is registered.',
  ),
  CERT_FAILED_VALIDATION: row(
    400,
    'The client certificate is missing or not trusted.',
    'CA auto-enrollment without a certificate of an enabled, verified CA.',
  ),
  CERTIFICATE_FAILED_VALIDATION: row(
    400,
    'The certificate chain does not verify.',
    'CA enrollment or CA verify with a chain that does not lead to the CA.',
  ),
  CERTIFICATE_IS_NOT_CA: row(
    400,
    'The certificate is not that of a CA.',
    'A CA is registered with a certificate that may not sign others.',
  ),
  EXPECTED_PEM_CERTIFICATE: row(
    400,
    'A certificate in PEM was expected.',
    'A PEM block of another kind stands where a certificate belongs.',
  ),
  COULD_NOT_PARSE_PEM_BLOCK: row(400, 'The PEM could not be read.', 'PEM input is malformed.'),
  COULD_NOT_PARSE_DER_BLOCK: row(
    400,
    'The DER could not be read.',
    'The bytes within a PEM block are no certificate.',
  ),
  MISSING_CERT_CLAIM: row(
    400,
    'The certificate lacks the claim its CA asks for.',
    'The CA defines an external id claim that the certificate does not yield.',
  ),
  ENTITY_CAN_NOT_BE_DELETED: row(
    400,
    'This entity cannot be deleted.',
    'Delete of the default admin or a system entity; 409 where the entity belongs to a router.',
    [409],
  ),
  ENTITY_CAN_NOT_BE_UPDATED: row(
    400,
    'This entity cannot be changed.',
    'Update of a system entity.',
  ),
  NO_ADMIN_LOGIN_LEFT: row(
    400,
    'No administrator could log in any more; nothing was changed.',
    'A change of an auth policy, an external JWT signer or a CA, or of an administrator or its credentials, that would leave no administrator any way to log in.',
  ),
  UNAUTHORIZED: row(
    401,
    'The caller is not authenticated or may not do this.',
    'No, unknown or ended session; a right is missing; a secondary factor is pending. 403 where the delete of an API session or a posture check is refused (behaviour/requests#rights).',
    [403],
  ),
  INVALID_AUTH: row(
    401,
    'Authentication failed.',
    'Primary authentication failed, for whatever reason.',
  ),
  MFA_INVALID_TOKEN: row(
    401,
    'The code is not valid.',
    'A wrong TOTP or recovery code (behaviour/mfa#wrong-codes); 400 within a login by OIDC.',
    [400],
  ),
  MFA_NOT_ENROLLED: row(
    401,
    'MFA is not set up.',
    'A code is presented while the identity has no verified MFA (behaviour/mfa#states); 409 where a token of it is asked for.',
    [409],
  ),
  INVALID_CLIENT_CERT: row(
    401,
    'The client certificate is not the expected one.',
    'Extend-verify with another certificate than the pending one.',
  ),
  NOT_FOUND: row(
    404,
    'There is nothing here.',
    'The id is unknown or not visible to the caller, or no such path exists.',
  ),
  INVALID_ENROLLMENT_TOKEN: row(
    404,
    'The enrollment token is not valid.',
    'The token is unknown, used up or replaced. 400 for an external JWT that does not let its holder enroll (behaviour/external-jwt#enrollment-by-token).',
    [400],
  ),
  METHOD_NOT_ALLOWED: row(
    405,
    'The path does not take this method.',
    'A known path, another verb; Allow lists the verbs it takes.',
  ),
  MFA_EXISTS: row(
    409,
    'MFA is already set up or being set up.',
    'MFA enrollment is started a second time.',
  ),
  CERT_IN_USE: row(
    409,
    'The certificate belongs to an authenticator already.',
    'Enrollment with a certificate that is in use.',
  ),
  ENROLLMENT_EXISTS: row(
    409,
    'The identity already has an enrollment of this method.',
    'A second outstanding enrollment of one method.',
  ),
  ENROLLMENT_IDENTITY_ALREADY_ENROLLED: row(
    409,
    'There is an identity for this token already.',
    'Enrollment by an external JWT whose external id an identity has.',
  ),
  INVALID_ENROLLMENT_NOT_ALLOWED: row(
    409,
    'This enrollment is not allowed.',
    'Enrollment by an external JWT of a signer, or into an auth policy, that does not allow it.',
  ),
  CA_ALREADY_VERIFIED: row(409, 'The CA is verified already.', 'Verify of a verified CA.'),
  CAN_NOT_UPDATE_AUTHENTICATOR: row(
    409,
    'This authenticator cannot be changed so.',
    'Password change on a certificate authenticator; extension of a certificate that is not ours.',
  ),
  MAX_AUTHENTICATOR_METHODS_REACHED: row(
    409,
    'The identity already has an authenticator of this method.',
    'A second authenticator of one method for one identity.',
  ),
  CAN_NOT_UPDATE_ROUTER: row(
    409,
    'An edge router cannot be changed as a transit router: use edge-routers.',
    'Put or patch of an edge router through transit-routers.',
  ),
  CAN_NOT_DELETE_REFERENCED_ENTITY: row(
    409,
    'The entity is in use.',
    'Delete of what others refer to; the cause lists them. 400 for auth policies and external JWT signers (behaviour/errors#entities-in-use).',
    [400],
  ),
  UPGRADE_NOT_FINAL: row(
    409,
    'The cluster cannot keep this before its upgrade is final.',
    'Something that only a new release can keep, while nodes of the former release may read it: `edge-control cluster finalize` ends the upgrade (behaviour/cluster#formats).',
  ),
  REQUEST_ENTITY_TOO_LARGE: row(
    413,
    'The body is too large.',
    'The body is longer than bodyBytesMax, as declared or as sent.',
  ),
  UNSUPPORTED_MEDIA: row(
    415,
    'The answer does not exist in that form.',
    'PEM enrollment whose Accept header excludes what can be answered.',
  ),
  SERVER_TOO_MANY_REQUESTS: row(
    429,
    'The controller has too much to do; try again.',
    'Too many authentications or writes are waiting, or what a request rests on keeps changing.',
  ),
  QUOTA_EXCEEDED: row(
    429,
    'The caller has as many of these as one caller may have.',
    'One session, or one certificate of an API session, beyond what `limits` allow an API session or an identity; the cause says which.',
  ),
  MEMORY_LIMIT_REACHED: row(
    429,
    'The controller has no memory left for more records; try again later.',
    'More than `limits.heapLivePercentMax` of the heap is live: requests that create records are refused until it is less.',
  ),
  STORAGE_LIMIT_REACHED: row(
    429,
    'The storage has no room for more records; try again later.',
    'The disk of the home is full, or NATS, which keeps the log of a cluster, has nearly reached a limit: requests that create records are refused, so that deletions, changes, log-ins of administrators and the commands of operators still work (behaviour/cluster#room-at-nats).',
  ),
  RATE_LIMITED: row(
    429,
    'This was done too recently or is being done; try again later.',
    'A snapshot within a minute of the last, an integrity run while one is running, too many wrong MFA codes, too many inspectors or tickets for them; or an identity that logs in, writes or has lists filtered too fast, then with Retry-After. Of MFA codes it is 401 outside of authenticate-MFA (behaviour/mfa#guessing).',
    [401],
  ),
  TOO_MANY_RECORDS: row(
    429,
    'The controller holds as many of these as it may; none is added until others are gone.',
    'The number of records of the kind has reached its bound in the configuration.',
  ),
  UNHANDLED: row(
    500,
    'Something went wrong in the controller; its log says what, under the request id.',
    'A fault of ours. What it was stands in the log and never in the answer.',
  ),
  COULD_NOT_READ_BODY: row(500, 'The body could not be read.', 'The transport failed in mid-body.'),
  FAILED_ER_REENROLLMENT: row(
    500,
    'The router could not be enrolled again.',
    'Re-enrollment of a router failed half-way.',
  ),
  TIMEOUT: row(503, 'The operation took too long.', 'An operation passed handlerTimeoutMs.'),
  STORAGE_UNAVAILABLE: row(
    503,
    'The storage does not respond at the moment; nothing was changed.',
    'The log cannot be written: changes are refused. Reads go on, save those of what is not durable yet.',
  ),
  OUTCOME_UNKNOWN: row(
    503,
    'The change was made but is not durable yet; its outcome is unknown.',
    'The log stalled after the change was taken and did not recover within stalledWriteAnswerMs.',
  ),
} as const satisfies Readonly<Record<string, ErrorCodeRow>>;

/** A code of the table. */
export type ErrorCode = keyof typeof errorCodes;

/** Whether a string that a machine names is a code of the table. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
