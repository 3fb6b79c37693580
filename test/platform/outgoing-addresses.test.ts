// The addresses and names that the controller's own requests must not lead to.

import t from 'tap';
import { refusedAddress, refusedHost } from '../../src/platform/outgoing-addresses.ts';

const open = { allowsPrivate: true };
const closed = { allowsPrivate: false };

const always = [
  '169.254.169.254',
  '169.254.0.1',
  '0.0.0.0',
  '0.1.2.3',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fe80::1',
  'fe80::1%eth0',
  'febf:ffff::1',
  '::',
  '0:0:0:0:0:0:0:0',
  'fd00:ec2::254',
  'fd20:ce::254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::FFFF:0.0.0.0',
  '0:0:0:0:0:ffff:a9fe:1',
  '64:ff9b::169.254.169.254',
  '2002:a9fe:a9fe::1',
  '64:ff9b::0.0.0.0',
];

const bySetting = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '::1',
  'fc00::1',
  'fdff::1',
  'fec0::1',
  '::ffff:127.0.0.1',
  '::ffff:10.1.2.3',
  '64:ff9b::192.168.0.1',
  '2002:a00:1::1',
];

const never = [
  '8.8.8.8',
  '169.253.255.255',
  '169.255.0.1',
  '172.32.0.1',
  '172.15.0.1',
  '100.63.0.1',
  '1.0.0.0',
  '2001:db8::1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
];

t.test('addresses', async (t) => {
  for (const rules of [open, closed]) {
    for (const address of always) {
      t.equal(refusedAddress(address, rules), 'link-local or metadata', address);
    }
    for (const address of never) t.equal(refusedAddress(address, rules), undefined, address);
  }
  for (const address of bySetting) {
    t.equal(refusedAddress(address, open), undefined, address);
    t.equal(refusedAddress(address, closed), 'private or loopback', address);
  }
  t.equal(refusedAddress('no address', closed), undefined);
});

t.test('hosts of URLs, however they are written', async (t) => {
  const place = (url: string, rules = open) => refusedHost(new URL(url).hostname, rules);
  for (const url of [
    'http://169.254.169.254/latest',
    'http://169.254.169.254./',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.16689662/',
    'http://１６９.254.169.254/',
    'http://0/',
    'http://[::]:80/',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'https://metadata.google.internal/',
    'https://METADATA.google.internal./',
    'http://metadata/computeMetadata',
    'http://instance-data/',
  ]) {
    t.equal(place(url), 'link-local or metadata', url);
  }
  for (const url of [
    'http://localhost:1/',
    'http://a.LOCALHOST./',
    'http://127.1/',
    'http://[::1]',
  ]) {
    t.equal(place(url), undefined, url);
    t.equal(place(url, closed), 'private or loopback', url);
  }
  for (const url of ['https://idp.example.com', 'https://metadata.example.com', 'http://8.8.8.8']) {
    t.equal(place(url, closed), undefined, url);
  }
});
