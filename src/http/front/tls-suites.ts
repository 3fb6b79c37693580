// The cipher suites that the listeners accept.

/**
 * The AEAD suites of TLS 1.2 with an ephemeral key exchange (RFC 9325 §4.2), in OpenSSL's notation
 * and in the order of the server's preference. Suites in CBC mode and those without forward secrecy
 * are left out.
 */
export const tls12Suites: string = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/**
 * The suites of TLS 1.3, in the order of the server's preference: AES-128 takes three quarters of
 * the time of AES-256 per byte. The direct listener's library has its own order.
 */
export const tls13Suites: string = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
].join(':');

/**
 * The groups of the key exchange, in the order of the server's preference: first the one that
 * quantum computers cannot break either (draft-ietf-tls-ecdhe-mlkem), which browsers and Go offer.
 * OpenSSL also takes them for the curves of certificates that clients of TLS 1.2 may show, so those
 * of NIST that are slower stand at the end.
 */
export const keyExchangeGroups = 'X25519MLKEM768:X25519:prime256v1:secp384r1:secp521r1';
