// A physical limit: uWebSockets.js alone, which answers every request over TLS with the same text.

import { join } from 'node:path';
import { tls12Suites } from '../../src/http/front/tls-suites.ts';
import { loadUws } from '../../src/http/server/uws.ts';

/** The message of the process when it serves. */
export interface BareAnswerReady {
  readonly port: number;
}

/** About as long as the answer of `current-api-session`. */
const answerBody = JSON.stringify({ data: { text: 'x'.repeat(250) }, meta: {} });

/** Serves with the keys of a controller's home. */
async function serve(home: string): Promise<BareAnswerReady> {
  const uws = await loadUws(32_768);
  const app = uws.SSLApp({
    cert_file_name: join(home, 'pki/server.pem'),
    key_file_name: join(home, 'pki/server.key'),
    ssl_ciphers: tls12Suites,
  });
  app.any('/*', (response) => {
    response.writeHeader('content-type', 'application/json').end(answerBody);
  });
  return await new Promise((resolve, reject) => {
    app.listen('127.0.0.1', 0, (socket) => {
      if (socket) resolve({ port: uws.us_socket_local_port(socket) });
      else reject(new Error('the bare answer cannot listen'));
    });
  });
}

process.on('disconnect', () => process.exit(0));
process.send?.(await serve(process.argv[2] ?? ''));
