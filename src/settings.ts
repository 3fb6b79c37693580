// The configuration as one table: every setting's key, flag, environment variable, default and
// meaning.

import type { DurabilityLevel } from '../snapshots/journal.ts';
import { type Limit, type LimitName, limitTable } from './limits.ts';
import {
  address,
  boolean,
  choice,
  inputPath,
  integer,
  path,
  type Setting,
  text,
} from './setting.ts';

const kibibytes = 1024;
const mebibytes = 1024 * kibibytes;
/** Minutes that a setting may ask for: a year. @bound */
const minutesMax = 366 * 24 * 60;

/** `limits.*`: a setting for each row of `limits.ts`. */
const limitSettings = Object.fromEntries(
  Object.entries<Limit>(limitTable).map(([name, { why, ...limit }]) => [
    name,
    integer({ ...limit, doc: why }),
  ]),
) as Record<LimitName, Setting<number>>;

const made = 'made at the first start';

/** The table. Its shape is that of the configuration file and of `Config`. */
export const settings = {
  listen: address({
    flag: '--listen <host:port>',
    environment: 'EDGE_LISTEN',
    default: { host: '127.0.0.1', port: 1280 },
    defaultDoc: '127.0.0.1:1280',
    doc: 'Where the APIs are served over TLS. Port 0 takes a free one.',
  }),
  advertise: address({
    flag: '--advertise <host:port>',
    environment: 'EDGE_ADVERTISE',
    defaultDoc: 'the listen address (localhost for 127.0.0.1 and for all interfaces)',
    doc: 'The address clients are told; its host is in the server certificate. Port 0 is the port that was bound.',
  }),
  directListen: address({
    flag: '--direct-listen <host:port>',
    environment: 'EDGE_DIRECT_LISTEN',
    defaultDoc: 'off',
    doc: 'A second TLS listener that takes no client certificates, for callers that want the shortest path. Not for public networks: nothing bounds its handshakes and connections.',
  }),
  tlsWorkers: integer({
    flag: '--tls-workers <count>',
    environment: 'EDGE_TLS_WORKERS',
    default: 0,
    defaultDoc: 'cores − 1, at least 1',
    least: 1,
    most: 256,
    doc: 'Threads that take TLS connections.',
  }),
  durability: choice<DurabilityLevel>({
    flag: '--durability <level>',
    environment: 'EDGE_DURABILITY',
    default: 'disk',
    choices: ['disk', 'second', 'memory'],
    doc: 'When a change is answered: after fdatasync (disk), before it, with a sync each second (second), or never written in time (memory, for benchmarks only).',
  }),
  adminUser: text({
    flag: '--admin-user <name>',
    environment: 'EDGE_ADMIN_USER',
    default: 'admin',
    // behaviour/login#limits
    charactersMin: 4,
    charactersMax: 100,
    doc: 'User name of the administrator that the first start makes. Ignored later.',
  }),
  adminPassword: text({
    flag: '--admin-password <password>',
    environment: 'EDGE_ADMIN_PASSWORD',
    defaultDoc: 'made up at the first start and written to <home>/admin-password (0600)',
    // behaviour/login#limits
    charactersMin: 5,
    charactersMax: 100,
    secret: true,
    doc: 'The password of that administrator. A flag is visible to every user of the machine: prefer adminPasswordFile.',
  }),
  adminPasswordFile: inputPath({
    flag: '--admin-password-file <file>',
    environment: 'EDGE_ADMIN_PASSWORD_FILE',
    defaultDoc: 'none',
    doc: 'A file with that password, or - for standard input; a line break at its end does not count. It is read at each start.',
  }),
  session: {
    timeoutMinutes: integer({
      default: 30,
      least: 1,
      most: minutesMax,
      doc: 'An API session ends after so long without a request (behaviour/api-sessions#idle).',
    }),
    activityFlushSeconds: integer({
      default: 90,
      least: 1,
      most: 3600,
      doc: 'How often last activities, and times of repeated posture submissions, are written to the log.',
    }),
  },
  auth: {
    endSessionsWithCredential: boolean({
      default: true,
      doc: 'API sessions end with what they were opened by: a password that is changed or reset, an authenticator that is deleted, an external JWT signer or a CA that is disabled or deleted. A client that changes its own password keeps the session that it does so in.',
    }),
    sessionLifetimeMaxMinutes: integer({
      default: 0,
      defaultDoc: 'off',
      least: 0,
      most: minutesMax,
      doc: 'An API session ends this long after its login, however busy it is; 0 for never.',
    }),
  },
  totp: {
    issuer: text({
      default: 'openziti.io',
      charactersMax: 64,
      doc: 'Who one-time passwords are for, as authenticator apps show it (behaviour/mfa#provisioning).',
    }),
    windowSteps: integer({
      default: 1,
      least: 0,
      most: 2,
      doc: 'Steps of 30 s by which the clock of a phone may be wrong (behaviour/mfa#codes).',
    }),
  },
  enrollment: {
    identityMinutes: integer({
      default: 180,
      least: 5,
      most: minutesMax,
      doc: 'Life of the enrollment of an identity (behaviour/enrollment#jwt).',
    }),
    routerMinutes: integer({
      default: 180,
      least: 5,
      most: minutesMax,
      doc: 'Life of the enrollment of a router.',
    }),
  },
  pki: {
    trustDomain: text({ defaultDoc: made, doc: 'Trust domain of SPIFFE ids in certificates.' }),
    serverCert: path({
      defaultDoc: made,
      doc: 'PEM chain that the TLS server shows. Needs serverKey.',
    }),
    serverKey: path({ defaultDoc: made, doc: 'PEM private key of serverCert.' }),
    ca: path({ defaultDoc: made, doc: 'PEM bundle that clients trust the controller by.' }),
    issuerCert: path({
      defaultDoc: made,
      doc: 'PEM chain that signs the certificates of identities and routers. Needs issuerKey.',
    }),
    issuerKey: path({ defaultDoc: made, doc: 'PEM private key of issuerCert.' }),
    keyType: choice({
      default: 'ec-p256',
      choices: ['ec-p256', 'rsa-2048', 'rsa-4096'],
      doc: 'Kind of the keys that the first start makes.',
    }),
  },
  argon2: {
    memoryKib: integer({
      default: 19456,
      least: 8,
      most: 4 * mebibytes,
      doc: 'Memory of a password hash (behaviour/login#passwords). A login hashes again what was hashed weaker.',
    }),
    timeCost: integer({ default: 2, least: 1, most: 100, doc: 'Passes over that memory.' }),
    parallelism: integer({ default: 1, least: 1, most: 64, doc: 'Lanes of that memory.' }),
  },
  snapshot: {
    logBytes: integer({
      default: 64 * mebibytes,
      least: mebibytes,
      most: 64 * 1024 * mebibytes,
      doc: 'Log bytes since the newest snapshot at which another one is written; half the bytes of that snapshot where these are more.',
    }),
    ageMinutes: integer({
      default: 60,
      least: 1,
      most: minutesMax,
      doc: 'Age of the newest snapshot at which another one is written, if anything has changed since.',
    }),
    keep: integer({
      default: 2,
      least: 1,
      most: 100,
      doc: 'Snapshots that are kept; should the newest be damaged, the one before serves.',
    }),
  },
  metrics: {
    listen: address({
      environment: 'EDGE_METRICS_LISTEN',
      defaultDoc: 'off',
      doc: 'A plain HTTP listener of its own for /metrics (Prometheus) and /health-checks. It has no login: keep it on an address that only your monitoring reaches.',
    }),
  },
  log: {
    level: choice({
      default: 'info',
      choices: ['debug', 'info', 'warn', 'error'],
      doc: 'The least level that is logged.',
    }),
  },
  limits: limitSettings,
};

/**
 * Settings that only a flag or the environment can give: the places of the others, and options for
 * a single start.
 */
export const locations = {
  home: path({
    flag: '--home <directory>',
    environment: 'EDGE_HOME',
    defaultDoc: './data',
    doc: 'The directory of everything the controller keeps. One process a home.',
  }),
  recoverTo: integer({
    flag: '--recover-to <lsn>',
    default: 0,
    defaultDoc: 'off',
    least: 1,
    most: Number.MAX_SAFE_INTEGER,
    doc: 'Recover a damaged log up to this LSN and set aside what lies behind it. For one start, by the operator alone.',
  }),
  config: path({
    flag: '--config <file>',
    environment: 'EDGE_CONFIG',
    defaultDoc: '<home>/config.json when there',
    doc: 'The configuration file, JSON.',
  }),
};
