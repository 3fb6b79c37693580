// Examples of router.link.v1.

import type { Examples } from './examples.ts';

const listener = { binding: 'transport', bind: 'tls:0.0.0.0:6262' };

const withListener = (changes: object) => ({ listeners: [{ ...listener, ...changes }] });
const withDialer = (dialer: object) => ({ dialers: [dialer] });
const withTimeout = (connectTimeout: unknown) => withListener({ options: { connectTimeout } });

/** router.link.v1. */
export const routerExamples: Readonly<Record<string, Examples>> = {
  'router.link.v1': {
    accepted: [
      ['nothing', {}],
      ['only where to listen', { listeners: [{ bind: 'tls:0.0.0.0:6262' }] }],
      [
        'all of a listener',
        withListener({
          advertise: 'tls:router.hall:6262',
          bindInterface: 'eth0',
          groups: ['default', 'hall'],
          options: {
            outQueueSize: 0,
            maxQueuedConnects: 1,
            maxOutstandingConnects: 16,
            connectTimeout: '5s',
            writeTimeout: '15s',
          },
        }),
      ],
      ['one group', withListener({ groups: 'default' })],
      ['a dialer that says nothing', withDialer({})],
      [
        'all of a dialer',
        withDialer({
          binding: 'transport',
          bindInterface: 'eth0',
          groups: 'hall',
          maxDefaultConnections: 4,
          maxAckConnections: 0,
          split: true,
          startupDelay: '1s',
          healthyDialBackoff: {
            retryBackoffFactor: 1.5,
            minRetryInterval: '1s',
            maxRetryInterval: '5m',
          },
          unhealthyDialBackoff: { retryBackoffFactor: 1 },
          options: { outQueueSize: 64 },
        }),
      ],
      [
        'heartbeats',
        {
          heartbeats: { sendInterval: '10s', checkInterval: '1s', closeUnresponsiveTimeout: '1m' },
        },
      ],
      ['queues', { payloadSenderQueueSize: 1, ackSenderQueueSize: 256 }],
      ['preserve', { gcMode: 'preserve' }],
      ['orphaned', { gcMode: 'orphaned' }],
      ['changed', { gcMode: 'changed' }],
      ['hours and minutes', withTimeout('1h30m')],
      ['a fraction', withTimeout('1.5h')],
      ['microseconds', withTimeout('500us')],
    ],
    refused: [
      ['a listener without bind', { listeners: [{ binding: 'transport' }] }, 'listeners.0.bind'],
      ['one listener, no list', { listeners: listener }, 'listeners'],
      ['groups that are no text', withListener({ groups: 42 }), 'listeners.0.groups'],
      [
        'no connects queued',
        withListener({ options: { maxQueuedConnects: 0 } }),
        'listeners.0.options.maxQueuedConnects',
      ],
      ['a time without unit', withTimeout('30'), 'listeners.0.options.connectTimeout'],
      ['a time that ends early', withTimeout('1h30'), 'listeners.0.options.connectTimeout'],
      ['a time with a blank', withTimeout('1 m'), 'listeners.0.options.connectTimeout'],
      ['an empty time', withTimeout(''), 'listeners.0.options.connectTimeout'],
      [
        'a dialer without connections',
        withDialer({ maxDefaultConnections: 0 }),
        'dialers.0.maxDefaultConnections',
      ],
      [
        'a backoff that gets faster',
        withDialer({ healthyDialBackoff: { retryBackoffFactor: 0.5 } }),
        'dialers.0.healthyDialBackoff.retryBackoffFactor',
      ],
      ['an unknown dialer property', withDialer({ bind: 'eth0' }), 'dialers.0'],
      ['heartbeats in numbers', { heartbeats: { sendInterval: 10 } }, 'heartbeats.sendInterval'],
      ['an unknown heartbeat', { heartbeats: { timeout: '1s' } }, 'heartbeats'],
      ['no payload queue', { payloadSenderQueueSize: 0 }, 'payloadSenderQueueSize'],
      ['no ack queue', { ackSenderQueueSize: 0 }, 'ackSenderQueueSize'],
      ['a mode unknown', { gcMode: 'aggressive' }, 'gcMode'],
      ['an unknown property', { bogus: true }, ''],
    ],
  },
};
