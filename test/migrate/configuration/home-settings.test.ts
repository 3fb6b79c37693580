// The settings of a home that takes over a network.

import t from 'tap';
import { FindingList } from '../../../src/migrate/configuration/findings.ts';
import {
  checkSettings,
  type HomeSettings,
  homeSettings,
} from '../../../src/migrate/configuration/home-settings.ts';
import { readPeerConfiguration } from '../../../src/migrate/configuration/peer-configuration.ts';

function made(ctrl: string, listen = '0.0.0.0:1280') {
  const findings = new FindingList();
  const text = `
identity: {server_cert: s.pem, key: s.key, ca: ca.pem}
edge: {api: {address: "c.example:1280"}}
web: [{bindPoints: [{interface: "${listen}", address: "c.example:1280"}], apis: [{binding: edge-client}]}]
${ctrl}`;
  const order = { text, name: 'ctrl.yaml', directory: '/', variables: {}, findings };
  const configuration = readPeerConfiguration(order);
  const [point] = configuration.bindPoints;
  if (point === undefined) throw new Error('no bind point');
  return { settings: homeSettings(configuration, point, {}, findings), findings };
}

t.test('the listener of routers', async (t) => {
  t.match(made('ctrl: {listener: "tls:0.0.0.0:6262"}').settings, { ctrlListen: '0.0.0.0:6262' });
  const shared = made('ctrl: {listener: "tls:127.0.0.1:1280"}');
  t.equal(shared.settings.ctrlListen, 'none');
  t.same(shared.findings.notices, [], 'all interfaces are served');
  const apart = made('ctrl: {listener: "tls:10.0.0.1:1280"}', '10.0.0.2:1280');
  t.equal(apart.settings.ctrlListen, 'none');
  t.match(apart.findings.notices, [
    /^ctrl\.listener is 10\.0\.0\.1:1280, but routers are served at 10\.0\.0\.2:1280/,
  ]);
  const absent = made('');
  t.equal(absent.settings.ctrlListen, 'none');
  t.match(absent.findings.notices, [
    /^ctrl\.listener is not set: routers are served at 0\.0\.0\.0/,
  ]);
  t.notOk('ctrlAdvertise' in absent.settings);
});

t.test('settings that the controller refuses are told', async (t) => {
  const check = (settings: HomeSettings) => {
    const findings = new FindingList();
    checkSettings(settings, '/home', findings);
    return findings.refusals;
  };
  t.same(check(made('ctrl: {listener: "tls:0.0.0.0:6262"}').settings), []);
  const unreachable =
    'ctrl: {listener: "tls:0.0.0.0:6262", options: {advertiseAddress: "tls:localhost:6262"}}';
  t.match(check(made(unreachable).settings), [
    /^ctrlAdvertise is localhost:6262, which no router on another machine can reach/,
  ]);
  const { settings } = made('ctrl: {listener: "tls:0.0.0.0:6262"}');
  t.match(check({ ...settings, listen: 'nowhere' }), [
    /^listen in the config\.json that results is "nowhere" but must be HOST:PORT/,
  ]);
});
