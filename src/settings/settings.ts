// The configuration as one table: every setting's key, flag, environment variable, default and
// meaning.

import type { DurabilityLevel } from '../../snapshots/journal.ts';
import { eventTypes } from './event-types.ts';
import { type Limit, type LimitName, limitTable } from './limits.ts';
import {
  address,
  addresses,
  addressOrNone,
  boolean,
  choice,
  decimal,
  inputPath,
  integer,
  path,
  redirectUris,
  type Setting,
  text,
  words,
} from './setting-type.ts';

/** What a read of a cluster waits for. */
export type ClusterReads = 'lease' | 'confirmed';

/** Whether a node of a cluster leads. */
export type ClusterLeads = 'elected' | 'never';

const kibibytes = 1024;
const mebibytes = 1024 * kibibytes;
/** Which APIs announce OIDC. */
export type OidcAnnouncement = 'none' | 'management' | 'all';

/** The shortest lifetime of a token: 5 s. @bound */
const tokenMinutesMin = 5 / 60;

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
    doc: 'The address on which the APIs are served over TLS. Port 0 takes a free port.',
  }),
  advertise: address({
    flag: '--advertise <host:port>',
    environment: 'EDGE_ADVERTISE',
    defaultDoc: 'the listen address (localhost for 127.0.0.1 and for all interfaces)',
    doc: 'The address that clients are given; its host is in the server certificate. Port 0 stands for the port that was bound.',
  }),
  ctrlListen: addressOrNone({
    flag: '--ctrl-listen <host:port>',
    environment: 'EDGE_CTRL_LISTEN',
    defaultDoc: 'the listen host with port 6262 (0 if the listen port is 0)',
    doc: 'A second address for the control channel of routers, which the listen address serves, too; or none. If it is not set and port 6262 is in use, the controller starts without it.',
  }),
  ctrlAdvertise: address({
    flag: '--ctrl-advertise <host:port>',
    environment: 'EDGE_CTRL_ADVERTISE',
    defaultDoc:
      'the advertised host with the port of ctrlListen, or the advertised address without it',
    doc: 'The address that routers are given for the control channel; its host is in the server certificate. Port 0 stands for the port that was bound.',
  }),
  directListen: address({
    flag: '--direct-listen <host:port>',
    environment: 'EDGE_DIRECT_LISTEN',
    defaultDoc: 'off',
    doc: 'A second TLS listener without client certificates and without TLS workers, for the lowest latency. Not for public networks, because its handshakes and connections are not bounded.',
  }),
  tlsWorkers: integer({
    flag: '--tls-workers <count>',
    environment: 'EDGE_TLS_WORKERS',
    default: 0,
    defaultDoc: 'cores − 1, at least 1',
    least: 1,
    most: 256,
    doc: 'Threads that accept TLS connections at the address of the API. The second address for control connections (ctrlListen) has one more, or two on a machine with four cores or more.',
  }),
  durability: choice<DurabilityLevel>({
    flag: '--durability <level>',
    environment: 'EDGE_DURABILITY',
    default: 'disk',
    choices: ['disk', 'second', 'memory'],
    doc: 'When a change is answered: after fdatasync (disk), before it with one sync per second (second), or without syncs (memory, for benchmarks only).',
  }),
  adminUser: text({
    flag: '--admin-user <name>',
    environment: 'EDGE_ADMIN_USER',
    default: 'admin',
    // behaviour/login#limits
    charactersMin: 4,
    charactersMax: 100,
    doc: 'User name of the administrator that the first start creates. Ignored later.',
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
      doc: 'An API session ends after this time without a request (behaviour/api-sessions#idle).',
    }),
    activityFlushSeconds: integer({
      default: 90,
      least: 1,
      most: 3600,
      doc: 'How often the times of the last activity, and of repeated posture submissions, are written to the log.',
    }),
  },
  auth: {
    endSessionsWithCredential: boolean({
      default: true,
      doc: 'API sessions end with the credential that opened them: when a password is changed or reset, an authenticator is deleted, or an external JWT signer or a CA is disabled or deleted. A client that changes its own password keeps the session in which it does so.',
    }),
    jwksFromPrivateAddresses: boolean({
      default: true,
      doc: 'Whether key sets of external JWT signers may be fetched from loopback and private addresses. Link-local addresses and those of cloud metadata are always refused (behaviour/external-jwt#addresses).',
    }),
    sessionLifetimeMaxMinutes: integer({
      default: 0,
      defaultDoc: 'off',
      least: 0,
      most: minutesMax,
      doc: 'An API session ends this long after its login, however busy it is; 0 for never.',
    }),
  },
  oidc: {
    accessTokenMinutes: decimal({
      default: 30,
      least: tokenMinutesMin,
      most: minutesMax,
      doc: 'Lifetime of access tokens (behaviour/oidc#tokens). Fractions are allowed.',
    }),
    idTokenMinutes: decimal({
      default: 30,
      least: tokenMinutesMin,
      most: minutesMax,
      doc: 'Lifetime of id tokens.',
    }),
    refreshTokenMinutes: decimal({
      default: 24 * 60,
      least: tokenMinutesMin,
      most: minutesMax,
      doc: 'Lifetime of refresh tokens: a client that is away for longer logs in again.',
    }),
    redirectUris: redirectUris({
      default: [
        'openziti://auth/callback',
        ...['127.0.0.1', 'localhost', '[::1]'].flatMap((host) => [
          `http://${host}:*/auth/callback`,
          `https://${host}:*/auth/callback`,
        ]),
      ],
      defaultDoc:
        'openziti://auth/callback, and http and https://HOST:*/auth/callback for 127.0.0.1, localhost and [::1]',
      doc: 'Where a login may send a browser back, besides /auth/callback of this controller. `:*` stands for any port; all else must be equal (behaviour/oidc#redirects).',
    }),
    authRequestsMax: integer({
      default: 10_000,
      least: 10,
      most: 1_000_000,
      doc: 'Logins by OIDC in progress. A further one ends the oldest in which nobody has logged in.',
    }),
    announce: choice<OidcAnnouncement>({
      flag: '--oidc-announce <apis>',
      environment: 'EDGE_OIDC_ANNOUNCE',
      default: 'management',
      choices: ['none', 'management', 'all'],
      doc: 'Which APIs tell clients that they can log in by OIDC (behaviour/oidc#announcing). The provider answers in each case.',
    }),
  },
  totp: {
    issuer: text({
      default: 'openziti.io',
      charactersMax: 64,
      doc: 'The issuer of one-time passwords, as authenticator apps show it (behaviour/mfa#provisioning).',
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
      doc: 'Lifetime of the enrollment of an identity (behaviour/enrollment#jwt).',
    }),
    routerMinutes: integer({
      default: 180,
      least: 5,
      most: minutesMax,
      doc: 'Lifetime of the enrollment of a router.',
    }),
  },
  pki: {
    trustDomain: text({ defaultDoc: made, doc: 'Trust domain of SPIFFE ids in certificates.' }),
    controllerId: text({
      defaultDoc: 'the trust domain',
      doc: 'The id by which routers know the controller; the same on all nodes of a cluster. A network that was taken over keeps its own (migration.md).',
    }),
    serverCert: path({
      defaultDoc: made,
      doc: 'PEM chain that the TLS server presents. Needs serverKey.',
    }),
    serverKey: path({ defaultDoc: made, doc: 'PEM private key of serverCert.' }),
    ca: path({
      defaultDoc: made,
      doc: 'PEM bundle of the CAs by which clients trust the controller: roots, and CAs below them.',
    }),
    issuerCert: path({
      defaultDoc: made,
      doc: 'PEM chain that signs the certificates of identities and routers. Needs issuerKey.',
    }),
    issuerKey: path({ defaultDoc: made, doc: 'PEM private key of issuerCert.' }),
    keyType: choice({
      default: 'ec-p256',
      choices: ['ec-p256', 'rsa-2048', 'rsa-4096'],
      doc: 'Type of the keys that the first start creates.',
    }),
  },
  argon2: {
    memoryKib: integer({
      default: 19456,
      least: 8,
      most: 4 * mebibytes,
      doc: 'Memory of a password hash (behaviour/login#passwords). A login renews a weaker hash.',
    }),
    timeCost: integer({ default: 2, least: 1, most: 100, doc: 'Passes over that memory.' }),
    parallelism: integer({
      default: 1,
      least: 1,
      most: 64,
      doc: 'Lanes of Argon2 (its parallelism).',
    }),
  },
  snapshot: {
    logBytes: integer({
      default: 64 * mebibytes,
      least: mebibytes,
      most: 64 * 1024 * mebibytes,
      doc: 'Log bytes since the newest snapshot after which the next one is written, or half the size of that snapshot if that is more.',
    }),
    ageMinutes: integer({
      default: 60,
      least: 1,
      most: minutesMax,
      doc: 'Age of the newest snapshot after which the next one is written, if anything has changed since.',
    }),
    keep: integer({
      default: 2,
      least: 1,
      most: 100,
      doc: 'Snapshots that are kept. If the newest one is damaged, the one before is used.',
    }),
  },
  usage: {
    keepHours: integer({
      default: 48,
      least: 0,
      most: 366 * 24,
      doc: 'How many hours the sums of usage are kept (behaviour/usage#sums-by-the-hour); 0 keeps none.',
    }),
  },
  console: path({
    flag: '--console <directory>',
    environment: 'EDGE_CONSOLE',
    defaultDoc: 'off',
    doc: 'The directory of a built web console, with its index.html. It is read once at the start and served under /zac.',
  }),
  metrics: {
    listen: address({
      environment: 'EDGE_METRICS_LISTEN',
      defaultDoc: 'off',
      doc: 'A separate plain HTTP listener for /metrics (Prometheus) and /health-checks. It has no login: use an address that only your monitoring reaches.',
    }),
    routers: boolean({
      default: false,
      doc: 'Whether the metrics listener offers what routers report of themselves, at /metrics/routers (behaviour/usage#metrics-of-routers).',
    }),
  },
  events: {
    file: inputPath({
      environment: 'EDGE_EVENTS_FILE',
      defaultDoc: 'off',
      expected: 'a path, or - for standard output',
      doc: 'A file to which events are appended, one JSON object a line, or - for standard output (behaviour/events#the-file). It is created with mode 0600. In a cluster the leader writes.',
    }),
    types: words({
      environment: 'EDGE_EVENTS_TYPES',
      choices: eventTypes,
      defaultDoc: 'all',
      doc: 'The types of events that are written to the file and sent to NATS.',
    }),
    fileBytes: integer({
      default: 64 * mebibytes,
      least: 64 * kibibytes,
      most: 64 * 1024 * mebibytes,
      doc: 'Size of that file at which it is put aside, as FILE.1, and a new one is begun.',
    }),
    filesKept: integer({
      default: 4,
      least: 0,
      most: 100,
      doc: 'How many files that were put aside are kept.',
    }),
    nats: {
      servers: addresses({
        environment: 'EDGE_EVENTS_NATS_SERVERS',
        defaultDoc: 'off',
        doc: 'NATS servers to which events are sent as CloudEvents (behaviour/events#nats). A stream of JetStream has to keep them. One server that answers is enough.',
      }),
      prefix: text({
        environment: 'EDGE_EVENTS_NATS_PREFIX',
        default: 'edge-control.events',
        charactersMax: 200,
        doc: 'Events of a type are sent to the subject PREFIX.TYPE.',
      }),
      credentials: path({
        environment: 'EDGE_EVENTS_NATS_CREDENTIALS',
        defaultDoc: 'none',
        doc: 'The credentials file of the NATS user, or a file with one line USER:PASSWORD.',
      }),
      tls: {
        ca: path({
          environment: 'EDGE_EVENTS_NATS_TLS_CA',
          defaultDoc: 'none: without TLS, which loopback servers alone permit',
          doc: 'PEM bundle of the CAs by which these NATS servers are trusted.',
        }),
        certificate: path({
          environment: 'EDGE_EVENTS_NATS_TLS_CERTIFICATE',
          defaultDoc: 'none',
          doc: 'PEM chain that is presented to them. Needs events.nats.tls.key and events.nats.tls.ca.',
        }),
        key: path({
          environment: 'EDGE_EVENTS_NATS_TLS_KEY',
          defaultDoc: 'none',
          doc: 'PEM private key of events.nats.tls.certificate.',
        }),
      },
    },
  },
  cluster: {
    servers: addresses({
      flag: '--cluster-servers <host:port,…>',
      environment: 'EDGE_CLUSTER_SERVERS',
      defaultDoc: 'off: one node, without NATS',
      doc: 'The NATS servers whose JetStream holds the log that all nodes share. One that answers is enough; it names the others.',
    }),
    monitoring: addresses({
      flag: '--cluster-monitoring <host:port,…>',
      environment: 'EDGE_CLUSTER_MONITORING',
      defaultDoc: 'none',
      doc: 'The monitoring ports of the NATS servers (http_port), or of the one on this machine. Each start of a node, cluster status, init and reseed look there whether a server syncs every message (sync_interval: always), and a running node how much room is left of max_file_store. NATS tells nobody else.',
    }),
    credentials: path({
      flag: '--cluster-credentials <file>',
      environment: 'EDGE_CLUSTER_CREDENTIALS',
      defaultDoc: 'none',
      doc: 'The credentials file of the NATS user of this node, or a file with one line USER:PASSWORD.',
    }),
    tls: {
      ca: path({
        flag: '--cluster-tls-ca <file>',
        environment: 'EDGE_CLUSTER_TLS_CA',
        defaultDoc: 'none: without TLS, which loopback servers alone permit',
        doc: 'PEM bundle of the CAs by which the NATS servers are trusted.',
      }),
      certificate: path({
        flag: '--cluster-tls-certificate <file>',
        environment: 'EDGE_CLUSTER_TLS_CERTIFICATE',
        defaultDoc: 'none',
        doc: 'PEM chain that this node presents to the NATS servers. Needs cluster.tls.key and cluster.tls.ca.',
      }),
      key: path({
        flag: '--cluster-tls-key <file>',
        environment: 'EDGE_CLUSTER_TLS_KEY',
        defaultDoc: 'none',
        doc: 'PEM private key of cluster.tls.certificate.',
      }),
    },
    name: text({
      flag: '--cluster-name <name>',
      environment: 'EDGE_CLUSTER_NAME',
      defaultDoc: 'none: its random id alone',
      charactersMax: 64,
      doc: 'The name of this node, which is shown beside its id in status, lists, metrics and logs: up to 64 letters, digits, dots, hyphens and underscores.',
    }),
    listen: address({
      flag: '--cluster-listen <host:port>',
      environment: 'EDGE_CLUSTER_LISTEN',
      defaultDoc: 'none; a cluster needs it',
      doc: 'The address on which the other nodes reach this one, over mutual TLS.',
    }),
    advertise: address({
      flag: '--cluster-advertise <host:port>',
      environment: 'EDGE_CLUSTER_ADVERTISE',
      defaultDoc: 'cluster.listen',
      doc: 'The address that the other nodes are given for cluster.listen.',
    }),
    replicas: integer({
      flag: '--cluster-replicas <count>',
      environment: 'EDGE_CLUSTER_REPLICAS',
      default: 3,
      least: 1,
      most: 5,
      doc: 'NATS servers that hold a copy of the log and of the snapshots: 1 (no protection), 3 (one of them may fail) or 5 (two may). There must be at least as many servers. The streams are made with it by init and reseed; a node with a greater value than the stream of the log has does not begin to lead.',
    }),
    clockSkewMs: integer({
      flag: '--cluster-clock-skew-ms <ms>',
      environment: 'EDGE_CLUSTER_CLOCK_SKEW_MS',
      default: 500,
      least: 10,
      most: 10_000,
      doc: 'Difference to the clock of the NATS servers from which on a node warns. From ten times this difference on it does not lead.',
    }),
    leaderWaitMs: integer({
      flag: '--cluster-leader-wait-ms <ms>',
      environment: 'EDGE_CLUSTER_LEADER_WAIT_MS',
      default: 10_000,
      least: 0,
      most: 60_000,
      doc: 'How long a request that arrives between two leaders waits for the next one, before it is answered 503.',
    }),
    leads: choice<ClusterLeads>({
      flag: '--cluster-leads <when>',
      environment: 'EDGE_CLUSTER_LEADS',
      default: 'elected',
      choices: ['elected', 'never'],
      doc: 'Whether this node leads when the nodes elect it, or never: it then follows, answers reads and relays, as a node in a far region does.',
    }),
    reads: choice<ClusterReads>({
      flag: '--cluster-reads <mode>',
      environment: 'EDGE_CLUSTER_READS',
      default: 'lease',
      choices: ['lease', 'confirmed'],
      doc: 'What a read waits for: the lease of the leader, which costs nothing (lease), or a confirmation by the log that came after it, which no paused machine can defeat (confirmed).',
    }),
  },
  log: {
    level: choice({
      flag: '--log-level <level>',
      environment: 'EDGE_LOG_LEVEL',
      default: 'info',
      choices: ['debug', 'info', 'warn', 'error'],
      doc: 'The lowest level that is logged. Lines of the level fatal always are.',
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
    doc: 'The directory with the whole state of the controller. Only one process may use it.',
  }),
  recoverTo: integer({
    flag: '--recover-to <lsn>',
    default: 0,
    defaultDoc: 'off',
    least: 1,
    most: Number.MAX_SAFE_INTEGER,
    doc: 'Recover a damaged log up to this LSN and set aside the frames after it. Only for a single start, as a flag.',
  }),
  force: boolean({
    flag: '--force',
    default: false,
    doc: 'Make a home of a directory that holds files of somebody else. For a node of a cluster: lead although most nodes cannot be heard, because they are lost (docs/cluster.md#most-nodes-are-lost). Only for a single start, as a flag.',
  }),
  config: path({
    flag: '--config <file>',
    environment: 'EDGE_CONFIG',
    defaultDoc: '<home>/config.json when there',
    doc: 'The configuration file, in JSON.',
  }),
};
