// Hands the controller's live transitions to a Stately inspector: two WebSockets, each message as
// it comes.
//
//   node -e "import('@statelyai/inspect/server').then((it) => it.createInspectorServer())"
//   NODE_EXTRA_CA_CERTS=HOME/pki/ca.pem ZT_SESSION=TOKEN node bin/stately-bridge.mjs URL
//
// URL is the controller's, `https://host:1280`; TOKEN that of an administrator's API session. The
// inspector is looked for at ws://localhost:8080, or where a second word says; a third is a filter:
// 'kind = "apiSession"'. It ends with the session, or when either side goes.

const [controller, inspector = 'ws://localhost:8080', filter = ''] = process.argv.slice(2);
const token = process.env['ZT_SESSION'];
if (controller === undefined || token === undefined) {
  fail('usage: ZT_SESSION=TOKEN node stately-bridge.mjs URL [INSPECTOR [FILTER]]');
}

const api = new URL('/edge/management/v1/inspect/', controller);
const answer = await fetch(new URL('tickets', api), {
  method: 'POST',
  headers: { 'zt-session': token },
}).catch((error) => fail(`${controller}: ${error.cause?.message ?? error.message}`));
const { data, error } = await answer.json();
if (error !== undefined) fail(`${controller}: ${error.message}`);

const to = new WebSocket(inspector);
to.addEventListener('error', () => fail(`there is no inspector at ${inspector}`));
to.addEventListener('close', () => fail('the inspector has gone'));
await new Promise((resolve) => to.addEventListener('open', resolve));

const stream = new URL('stream', api);
stream.protocol = 'wss:';
stream.search = String(new URLSearchParams({ ticket: data.ticket, format: 'stately', filter }));
const from = new WebSocket(stream);
from.addEventListener('open', () => console.log('attached'));
from.addEventListener('message', ({ data: event }) => to.send(event));
from.addEventListener('error', () => fail('the controller opens no stream'));
from.addEventListener('close', ({ reason }) => fail(reason || 'the controller has gone'));

function fail(reason) {
  console.error(`stately-bridge: ${reason}`);
  process.exit(1);
}
