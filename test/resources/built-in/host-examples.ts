// Examples of host.v1; host.v2 is tested with the same ones inside a list of terminators.

import { type Examples, fixedHost, forwardingHost, httpCheck, portCheck } from './examples.ts';

/** host.v1 alone, and the same configs as one terminator of host.v2. */
export function hostExamples(): Readonly<Record<string, Examples>> {
  return { 'host.v1': hostV1, 'host.v2': hostV2() };
}

const { forwardProtocol: _flag, ...withoutFlag } = forwardingHost;

const withCheck = (changes: object) => ({
  ...fixedHost,
  portChecks: [{ ...portCheck, ...changes }],
});
const withHttp = (changes: object) => ({
  ...fixedHost,
  httpChecks: [{ ...httpCheck, ...changes }],
});
const withAction = (changes: object) =>
  withCheck({ actions: [{ trigger: 'fail', action: 'mark unhealthy', ...changes }] });
const withOptions = (listenOptions: object) => ({ ...fixedHost, listenOptions });
const withTranslation = (from: string, to: string, prefixLength: unknown) => ({
  ...forwardingHost,
  forwardAddressTranslations: [{ from, to, prefixLength }],
});

const hostV1: Examples = {
  accepted: [
    ['a server named in full', fixedHost],
    ['everything forwarded', forwardingHost],
    [
      'only the protocol forwarded',
      { forwardProtocol: true, allowedProtocols: ['tcp'], address: '10.1.2.3', port: 80 },
    ],
    [
      'only the address forwarded',
      { protocol: 'udp', forwardAddress: true, allowedAddresses: ['::1'], port: 0 },
    ],
    [
      'only the port forwarded',
      {
        ...fixedHost,
        port: undefined,
        forwardPort: true,
        allowedPortRanges: [{ low: 1, high: 2 }],
      },
    ],
    ['a wildcard address', { ...fixedHost, address: '*.example.com' }],
    ['an IPv6 address', { ...fixedHost, address: '2001:db8::1' }],
    ['source addresses', { ...fixedHost, allowedSourceAddresses: ['10.0.0.0/8', 'printer.hall'] }],
    ['IPv4 translated', withTranslation('192.168.1.0', '172.16.4.0', 24)],
    ['IPv6 translated', withTranslation('2001:db8::', '2001:db8:1::', 128)],
    ['a proxy', { ...fixedHost, proxy: { type: 'http', address: 'proxy.hall:3128' } }],
    ['checks', { ...fixedHost, portChecks: [portCheck], httpChecks: [httpCheck] }],
    ['a check without actions', withCheck({ actions: undefined })],
    ['twenty actions', withCheck({ actions: Array(20).fill(portCheck.actions[0]) })],
    ['durations of all units', withCheck({ interval: '2h', timeout: '1.5s' })],
    ['any number of events', withAction({ consecutiveEvents: 65_535 })],
    ['the status codes', withHttp({ expectStatus: 599 })],
    [
      'all listen options',
      withOptions({
        connectTimeoutSeconds: 5,
        connectTimeout: '500ms',
        maxConnections: 3,
        identity: '$tunneler_id.name',
        bindUsingEdgeIdentity: true,
        cost: 65_535,
        precedence: 'required',
      }),
    ],
  ],
  refused: [
    ['nothing', {}, 'protocol'],
    ['no protocol', { ...fixedHost, protocol: undefined }, 'protocol'],
    ['no address', { ...fixedHost, address: undefined }, 'address'],
    ['no port', { ...fixedHost, port: undefined }, 'port'],
    ['protocol fixed and forwarded', { ...forwardingHost, protocol: 'tcp' }, 'protocol'],
    ['address fixed and forwarded', { ...forwardingHost, address: 'printer.hall' }, 'address'],
    ['port fixed and forwarded', { ...forwardingHost, port: 80 }, 'port'],
    [
      'no protocols allowed',
      { ...forwardingHost, allowedProtocols: undefined },
      'allowedProtocols',
    ],
    [
      'no addresses allowed',
      { ...forwardingHost, allowedAddresses: undefined },
      'allowedAddresses',
    ],
    ['no ports allowed', { ...forwardingHost, allowedPortRanges: undefined }, 'allowedPortRanges'],
    ['protocols allowed without the flag', withoutFlag, 'protocol'],
    ['a flag that says false', { ...fixedHost, forwardPort: false }, 'forwardPort'],
    ['an empty set of ports', { ...forwardingHost, allowedPortRanges: [] }, 'allowedPortRanges'],
    [
      'a set with the same twice',
      { ...forwardingHost, allowedAddresses: ['10.0.0.1', '10.0.0.1'] },
      'allowedAddresses',
    ],
    ['a protocol unknown', { ...fixedHost, protocol: 'sctp' }, 'protocol'],
    ['an empty address', { ...fixedHost, address: '' }, 'address'],
    ['a port as text', { ...fixedHost, port: '9100' }, 'port'],
    ['a port too high', { ...fixedHost, port: 65_536 }, 'port'],
    [
      'an IPv4 prefix too long',
      withTranslation('192.168.1.0', '172.16.4.0', 33),
      'forwardAddressTranslations.0.prefixLength',
    ],
    [
      'an IPv6 prefix too long',
      withTranslation('2001:db8::', '2001:db8:1::', 129),
      'forwardAddressTranslations.0.from',
    ],
    [
      'IPv4 translated to IPv6',
      withTranslation('192.168.1.0', '2001:db8::', 24),
      'forwardAddressTranslations.0.to',
    ],
    ['one check, no list', { ...fixedHost, portChecks: portCheck }, 'portChecks'],
    ['a check without interval', withCheck({ interval: undefined }), 'portChecks.0.interval'],
    ['a check without timeout', withCheck({ timeout: undefined }), 'portChecks.0.timeout'],
    ['a check without address', withCheck({ address: undefined }), 'portChecks.0.address'],
    ['a check without url', withHttp({ url: undefined }), 'httpChecks.0.url'],
    ['a duration without unit', withCheck({ interval: '5' }), 'portChecks.0.interval'],
    ['a duration in days', withCheck({ timeout: '5d' }), 'portChecks.0.timeout'],
    ['a duration as number', withCheck({ timeout: 5 }), 'portChecks.0.timeout'],
    ['a method unknown', withHttp({ method: 'DELETE' }), 'httpChecks.0.method'],
    ['a status too low', withHttp({ expectStatus: 99 }), 'httpChecks.0.expectStatus'],
    ['a status too high', withHttp({ expectStatus: 600 }), 'httpChecks.0.expectStatus'],
    ['no action', withCheck({ actions: [] }), 'portChecks.0.actions'],
    [
      'twenty-one actions',
      withCheck({ actions: Array(21).fill(portCheck.actions[0]) }),
      'portChecks.0.actions',
    ],
    ['no trigger', withAction({ trigger: undefined }), 'portChecks.0.actions.0.trigger'],
    ['a trigger unknown', withAction({ trigger: 'slow' }), 'portChecks.0.actions.0.trigger'],
    ['an action unknown', withAction({ action: 'restart' }), 'portChecks.0.actions.0.action'],
    ['a cost missing', withAction({ action: 'increase cost' }), 'portChecks.0.actions.0.action'],
    [
      'a cost below zero',
      withAction({ action: 'decrease cost -1' }),
      'portChecks.0.actions.0.action',
    ],
    [
      'text behind an action',
      withAction({ action: 'send event now' }),
      'portChecks.0.actions.0.action',
    ],
    [
      'too many events',
      withAction({ consecutiveEvents: 65_536 }),
      'portChecks.0.actions.0.consecutiveEvents',
    ],
    ['no connections', withOptions({ maxConnections: 0 }), 'listenOptions.maxConnections'],
    ['a cost too high', withOptions({ cost: 65_536 }), 'listenOptions.cost'],
    ['a precedence unknown', withOptions({ precedence: 'low' }), 'listenOptions.precedence'],
    [
      'a timeout without unit',
      withOptions({ connectTimeout: '5' }),
      'listenOptions.connectTimeout',
    ],
    ['an unknown option', withOptions({ weight: 1 }), 'listenOptions'],
    ['a proxy unknown', { ...fixedHost, proxy: { type: 'socks', address: 'p:1' } }, 'proxy.type'],
    ['a proxy nowhere', { ...fixedHost, proxy: { type: 'http' } }, 'proxy.address'],
    ['an unknown property', { ...fixedHost, hostname: 'printer.hall' }, ''],
  ],
};

function hostV2(): Examples {
  return {
    accepted: [
      ...hostV1.accepted.map(([shows, data]) => [shows, { terminators: [data] }] as const),
      ['two terminators', { terminators: [fixedHost, forwardingHost] }],
    ],
    refused: [
      ...hostV1.refused.map(
        ([shows, data, field]) =>
          [
            shows,
            { terminators: [fixedHost, data] },
            field === '' ? 'terminators.1' : `terminators.1.${field}`,
          ] as const,
      ),
      ['no terminators', {}, 'terminators'],
      ['an empty list of terminators', { terminators: [] }, 'terminators'],
      ['host.v1 as it stands', fixedHost, 'terminators'],
      ['a terminator beside its list', { terminators: [fixedHost], port: 80 }, ''],
    ],
  };
}
