// Configs that the built-in schemas must accept or refuse, by config type: what each example shows,
// and its data.

/** One config: what it shows and its data. */
export type Example = readonly [shows: string, data: unknown];

/** One config to refuse, with the field that the refusal names (empty: the config itself). */
export type Refused = readonly [shows: string, data: unknown, field: string];

/** The examples of one config type. */
export interface Examples {
  readonly accepted: readonly Example[];
  readonly refused: readonly Refused[];
}

/** A large part of host.v1 and host.v2 examples: a server named in full. */
export const fixedHost = { protocol: 'tcp', address: 'printer.hall', port: 9100 };

/** The same with everything forwarded. */
export const forwardingHost = {
  forwardProtocol: true,
  allowedProtocols: ['tcp', 'udp'],
  forwardAddress: true,
  allowedAddresses: ['10.0.0.0/8', '*.hall'],
  forwardPort: true,
  allowedPortRanges: [{ low: 1, high: 65_535 }],
};

/** A check of a port with all there is to say. */
export const portCheck = {
  interval: '5s',
  timeout: '250ms',
  address: 'printer.hall:9100',
  actions: [
    { trigger: 'fail', action: 'mark unhealthy', consecutiveEvents: 2 },
    { trigger: 'pass', action: 'mark healthy', duration: '1m' },
    { trigger: 'change', action: 'send event' },
    { trigger: 'fail', action: 'increase cost 100' },
    { trigger: 'pass', action: 'decrease cost 25' },
  ],
};

/** A check by HTTP with all there is to say. */
export const httpCheck = {
  interval: '1h30m',
  timeout: '10s',
  url: 'http://printer.hall/ready',
  method: 'PUT',
  body: 'are you there',
  expectStatus: 204,
  expectInBody: 'yes',
  actions: [{ trigger: 'fail', action: 'mark unhealthy' }],
};

const intercept = {
  protocols: ['tcp'],
  addresses: ['printer.hall'],
  portRanges: [{ low: 9100, high: 9100 }],
};

const client = { hostname: 'printer.hall', port: 9100 };
const proxy = { port: 8080, protocols: ['tcp'] };

/** The two tunneler types. */
export const tunnelerExamples: Readonly<Record<string, Examples>> = {
  'ziti-tunneler-client.v1': {
    accepted: [
      ['a host name and a port', client],
      ['an IP address', { ...client, hostname: '10.1.2.3' }],
      ['a name with capitals', { ...client, hostname: 'Printer.Hall' }],
      ['an IPv6 address', { ...client, hostname: '2001:db8::1' }],
      ['the lowest port', { ...client, port: 0 }],
      ['the highest port', { ...client, port: 65_535 }],
    ],
    refused: [
      ['nothing', {}, 'hostname'],
      ['no port', { hostname: 'printer.hall' }, 'port'],
      ['a port as text', { ...client, port: '9100' }, 'port'],
      ['a port too high', { ...client, port: 65_536 }, 'port'],
      ['a negative port', { ...client, port: -1 }, 'port'],
      ['half a port', { ...client, port: 9100.5 }, 'port'],
      ['a host name that is no text', { ...client, hostname: 10 }, 'hostname'],
      ['an unknown property', { ...client, protocol: 'tcp' }, ''],
      ['a list', [client], ''],
    ],
  },
  'ziti-tunneler-server.v1': {
    accepted: [
      ['a host name and a port', client],
      ['tcp', { ...client, protocol: 'tcp' }],
      ['udp', { ...client, protocol: 'udp' }],
      ['a protocol left open', { ...client, protocol: null }],
      ['checks', { ...client, portChecks: [portCheck], httpChecks: [httpCheck] }],
      ['empty lists of checks', { ...client, portChecks: [], httpChecks: [] }],
    ],
    refused: [
      ['no host name', { port: 9100 }, 'hostname'],
      ['no port', { hostname: 'printer.hall' }, 'port'],
      ['a protocol unknown', { ...client, protocol: 'sctp' }, 'protocol'],
      ['an empty protocol', { ...client, protocol: '' }, 'protocol'],
      ['a check that is no list', { ...client, portChecks: portCheck }, 'portChecks'],
      ['a check of nothing', { ...client, httpChecks: [{}] }, 'httpChecks.0.interval'],
      ['an unknown property', { ...client, address: 'printer.hall' }, ''],
    ],
  },
};

/** intercept.v1. */
export const interceptExamples: Readonly<Record<string, Examples>> = {
  'intercept.v1': {
    accepted: [
      ['one address, one port', intercept],
      ['a wildcard', { ...intercept, addresses: ['*.example.com'] }],
      ['CIDR blocks', { ...intercept, addresses: ['10.0.0.0/8', '2001:db8::/32'] }],
      ['IP addresses', { ...intercept, addresses: ['10.1.2.3', '2001:db8::1'] }],
      ['an international name', { ...intercept, addresses: ['drucker.bücherei.example'] }],
      [
        'port ranges',
        {
          ...intercept,
          portRanges: [
            { low: 0, high: 1023 },
            { low: 8080, high: 65_535 },
          ],
        },
      ],
      ['both protocols', { ...intercept, protocols: ['tcp', 'udp'] }],
      [
        'dial options',
        { ...intercept, dialOptions: { identity: '$dst_hostname', connectTimeoutSeconds: 15 } },
      ],
      ['the longest time', { ...intercept, dialOptions: { connectTimeoutSeconds: 2_147_483_647 } }],
      ['no dial option', { ...intercept, dialOptions: {} }],
      [
        'source addresses',
        { ...intercept, sourceIp: '$src_ip:$src_port', allowedSourceAddresses: ['192.168.0.0/16'] },
      ],
    ],
    refused: [
      ['no protocols', { ...intercept, protocols: undefined }, 'protocols'],
      ['no addresses', { ...intercept, addresses: undefined }, 'addresses'],
      ['no port ranges', { ...intercept, portRanges: undefined }, 'portRanges'],
      ['an empty list of protocols', { ...intercept, protocols: [] }, 'protocols'],
      ['a protocol twice', { ...intercept, protocols: ['tcp', 'tcp'] }, 'protocols'],
      ['a protocol unknown', { ...intercept, protocols: ['icmp'] }, 'protocols.0'],
      ['an empty list of addresses', { ...intercept, addresses: [] }, 'addresses'],
      ['an empty address', { ...intercept, addresses: [''] }, 'addresses.0'],
      ['an address with a blank', { ...intercept, addresses: ['printer hall'] }, 'addresses.0'],
      ['a range without end', { ...intercept, portRanges: [{ low: 1 }] }, 'portRanges.0.high'],
      ['a port as text', { ...intercept, portRanges: [{ low: '1', high: 2 }] }, 'portRanges.0.low'],
      [
        'a port too high',
        { ...intercept, portRanges: [{ low: 1, high: 65_536 }] },
        'portRanges.0.high',
      ],
      [
        'a negative time',
        { ...intercept, dialOptions: { connectTimeoutSeconds: -1 } },
        'dialOptions.connectTimeoutSeconds',
      ],
      [
        'a time too long',
        { ...intercept, dialOptions: { connectTimeoutSeconds: 2_147_483_648 } },
        'dialOptions.connectTimeoutSeconds',
      ],
      ['an unknown dial option', { ...intercept, dialOptions: { cost: 1 } }, 'dialOptions'],
      ['no source address', { ...intercept, allowedSourceAddresses: [] }, 'allowedSourceAddresses'],
      ['an unknown property', { ...intercept, hostname: 'printer.hall' }, ''],
    ],
  },
};

/** interfaces.v1 and proxy.v1. */
export const localExamples: Readonly<Record<string, Examples>> = {
  'interfaces.v1': {
    accepted: [
      ['one', { interfaces: ['eth0'] }],
      ['two', { interfaces: ['eth0', 'wlan0'] }],
      ['none', { interfaces: [] }],
      ['a VLAN', { interfaces: ['eth0.100'] }],
      ['a name with blanks', { interfaces: ['Ethernet 2'] }],
      ['one twice', { interfaces: ['eth0', 'eth0'] }],
    ],
    refused: [
      ['nothing', {}, 'interfaces'],
      ['one name', { interfaces: 'eth0' }, 'interfaces'],
      ['null', { interfaces: null }, 'interfaces'],
      ['a number', { interfaces: [0] }, 'interfaces.0'],
      ['null among them', { interfaces: ['eth0', null] }, 'interfaces.1'],
      ['an unknown property', { interfaces: ['eth0'], mtu: 1500 }, ''],
    ],
  },
  'proxy.v1': {
    accepted: [
      ['tcp', proxy],
      ['udp', { ...proxy, protocols: ['udp'] }],
      ['both', { ...proxy, protocols: ['tcp', 'udp'] }],
      ['the lowest port', { ...proxy, port: 1 }],
      ['the highest port', { ...proxy, port: 65_535 }],
      ['a binding', { ...proxy, binding: '127.0.0.1' }],
    ],
    refused: [
      ['no port', { protocols: ['tcp'] }, 'port'],
      ['no protocols', { port: 8080 }, 'protocols'],
      ['port 0', { ...proxy, port: 0 }, 'port'],
      ['a port too high', { ...proxy, port: 65_536 }, 'port'],
      ['a port as text', { ...proxy, port: '8080' }, 'port'],
      ['an empty list of protocols', { ...proxy, protocols: [] }, 'protocols'],
      ['a protocol unknown', { ...proxy, protocols: ['http'] }, 'protocols.0'],
      ['a binding that is no text', { ...proxy, binding: 1 }, 'binding'],
      ['an unknown property', { ...proxy, address: '10.0.0.1' }, ''],
    ],
  },
};
