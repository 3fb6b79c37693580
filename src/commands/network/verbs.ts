// The table of the verbs: what each one does, its words, its flags and its examples.

/** Every verb. */
export const networkVerbs = [
  'login',
  'logout',
  'use',
  'whoami',
  'contexts',
  'list',
  'get',
  'create',
  'update',
  'delete',
  'publish',
  'unpublish',
  'explain',
  'can',
  'access',
  'enroll',
  're-enroll',
  'verify',
  'password',
  'remove-mfa',
  'disable',
  'enable',
  'audit',
  'watch',
  'top',
  'log-level',
] as const;

/** One of them. */
export type NetworkVerb = (typeof networkVerbs)[number];

/** One verb, with all that its help tells. */
export interface VerbRow {
  readonly doc: string;
  /** In commander's notation. */
  readonly words: readonly (readonly [name: string, doc: string])[];
  readonly flags: readonly (readonly [flag: string, doc: string])[];
  readonly examples: readonly string[];
  /** Whether it takes the flags of the kind's fields. */
  readonly takesFields?: true;
}

const kindWord = ['<kind>', 'A kind of entity: identity, service, edge-router, …'] as const;
const nameWord = ['<name>', 'A name or an id; name:TEXT and id:TEXT say which of them.'] as const;

const outputFlags = [
  ['-o, --output <form>', 'table, wide, json, yaml, name or id (default: table).'],
] as const;
const linesFlag = ['-o, --output <form>', 'table, or json: an object a line.'] as const;
const headersFlag = ['--no-headers', 'Leave the header of a table out.'] as const;
const tableFlags = [
  ['--columns <titles>', 'The columns to show, with commas between them.'],
  headersFlag,
] as const;
const selectionFlags = [
  ['--filter <filter>', 'A condition, such as isAdmin = true (docs/behaviour/filters.md).'],
  ['--role <attribute>', 'Only entities with this role attribute.'],
  ['--match <text>', 'Only entities whose name contains the text.'],
] as const;
const bodyFlags = [
  ['-f, --file <file>', 'YAML or JSON with fields, or - for standard input; flags come on top.'],
] as const;
const outFlag = ['--out <file>', 'Write the JWT into this file, for its owner only.'] as const;
const identityFileFlag = [
  '--identity-file <file>',
  'Enroll here: make a key, and write the identity file that SDKs and tunnelers read.',
] as const;
const missingFlag = ['--ignore-missing', 'Names that nothing has are no failure.'] as const;
const identityWord = ['<identity>', 'The name of an identity.'] as const;
const serviceWord = [
  '<service>',
  'The name of a service, or its address: printer.hall:9100.',
] as const;
const yesFlag = ['--yes', 'Do not ask. Needed without a terminal.'] as const;

/** The verbs, in the order of the help. */
export const verbRows: Readonly<Record<NetworkVerb, VerbRow>> = {
  login: {
    doc: 'Log in to a controller, and keep the session for the commands that follow.',
    words: [['[url]', 'HOST:PORT, or https://HOST:PORT; the port is 1280 by default.']],
    flags: [
      ['--name <name>', 'The name of the context (default: the host).'],
      ['--user <name>', 'Log in by password.'],
      ['--password-file <file>', 'A file with the password, or - for standard input.'],
      ['--cert <file>', 'Log in by this PEM certificate.'],
      ['--key <file>', 'PEM private key of --cert.'],
      ['--identity <file>', 'Log in by an identity file, which has address, CA and certificate.'],
      ['--jwt-file <file>', 'Log in by a JWT of an external signer.'],
      ['--token-file <file>', 'Use the token of a session (environment: EDGE_TOKEN_FILE).'],
      ['--oidc', 'Log in by OIDC, in a browser on this machine.'],
      ['--no-browser', 'Print the address for --oidc, and open no browser.'],
      ['--enrollment-jwt <file>', 'Enroll by this JWT, which has address and trust, and log in.'],
      ['--identity-file <file>', 'The identity file that --enrollment-jwt writes.'],
      ['--ca-fingerprint <fingerprint>', 'Trust the CA with this SHA-256 fingerprint.'],
      ['--replace-ca', 'Trust another CA than at the first login.'],
    ],
    examples: [
      'login ctrl.example.com:1280 --user admin',
      'login --identity admin.json',
      'login --enrollment-jwt deploy.jwt --identity-file deploy.json',
      'login ctrl.example.com:1280 --oidc',
    ],
  },
  logout: {
    doc: 'End the session on the controller.',
    words: [],
    flags: [],
    examples: ['logout', 'logout --context ci'],
  },
  use: {
    doc: 'Make a context the current one, or say which one is.',
    words: [['[context]', 'The name of a context.']],
    flags: [],
    examples: ['use', 'use ci'],
  },
  whoami: {
    doc: 'Say which controller commands ask, and as whom.',
    words: [],
    flags: [],
    examples: ['whoami', 'whoami --context ci'],
  },
  contexts: {
    doc: 'List the contexts, or delete one.',
    words: [
      ['[action]', 'delete'],
      ['[name]', 'The name of a context.'],
    ],
    flags: [],
    examples: ['contexts', 'contexts delete ci'],
  },
  list: {
    doc: 'List the entities of a kind.',
    words: [kindWord],
    flags: [
      ...selectionFlags,
      ['--sort <fields>', 'Fields with asc or desc (default: name).'],
      ['--limit <rows>', 'At most so many rows; 0, the default, is all of them.'],
      ...outputFlags,
      ...tableFlags,
    ],
    examples: ['list identities --role staff', 'list er', 'list services -o json'],
  },
  get: {
    doc: 'Show one entity.',
    words: [kindWord, nameWord],
    flags: [...outputFlags],
    examples: ['get identity clerk', 'get svc printer -o yaml'],
  },
  create: {
    doc: 'Create an entity.',
    words: [kindWord, ['[name]', 'Its name, for kinds that have names.']],
    flags: [
      ...bodyFlags,
      ['--enroll', 'Let a new identity enroll, and print the JWT for it.'],
      outFlag,
      identityFileFlag,
      ...outputFlags,
    ],
    examples: [
      'create identity clerk --roles staff',
      "create svc wiki --configs 'wiki address' -o id",
    ],
    takesFields: true,
  },
  update: {
    doc: 'Change fields of an entity, and print what changed.',
    words: [kindWord, nameWord],
    flags: [...bodyFlags, ...outputFlags],
    examples: [
      'update identity clerk --roles +night,-staff',
      'update auth-policy strict --set primary.updb.maxAttempts=5',
    ],
    takesFields: true,
  },
  delete: {
    doc: 'Delete entities, after a question.',
    words: [kindWord, ['[name...]', 'Names or ids.']],
    flags: [...selectionFlags, missingFlag, yesFlag],
    examples: ['delete identity clerk visitor --yes', "delete svc --match 'test ' --yes"],
  },
  publish: {
    doc: 'Make an address reachable: configs, a service and its policies, in one step.',
    words: [['[address]', '[tcp://|udp://]HOST[,HOST]:PORT[-PORT][,PORT]; none for SDKs alone.']],
    flags: [
      ['--to <roles>', 'Who dials: staff, @clerk, all.'],
      ['--host-on <roles>', 'Who hosts.'],
      ['--name <name>', 'The name of the service (default: the host).'],
      ['--target <host:port>', 'Where hosts connect to (default: the address itself).'],
      ['--via <roles>', 'Edge routers, for which the router policies that lack are created.'],
      ['--if <roles>', 'Posture checks that dials have to pass.'],
      ['--role <attributes>', 'Role attributes of the service.'],
      ...outputFlags,
      yesFlag,
    ],
    examples: [
      'publish printer.hall:9100 --to staff --host-on hosts --via public --yes',
      'publish --name feed --to staff --host-on @feeder --yes',
    ],
  },
  unpublish: {
    doc: 'Delete all that publish has created under a name, and nothing else.',
    words: [['<name>', 'The name of the publication.']],
    flags: [missingFlag, yesFlag],
    examples: ['unpublish printer.hall --yes'],
  },
  explain: {
    doc: 'Say why an identity can or cannot use a service.',
    words: [identityWord, serviceWord],
    flags: [['--all', 'Show the policies, checks and routers as tables, too.'], ...outputFlags],
    examples: ['explain clerk printer', 'explain visitor printer.hall:9100 --all'],
  },
  can: {
    doc: 'Say whether an identity may dial or bind a service: exit code 0 or 3.',
    words: [identityWord, ['<action>', 'dial or bind'], serviceWord],
    flags: [],
    examples: ['can clerk dial printer', "can 'printer host' bind printer"],
  },
  access: {
    doc: 'List who may use a service, what an identity may use, or what leads over an edge router.',
    words: [['<kind>', 'identity, service or edge-router'], nameWord],
    flags: [...outputFlags, ...tableFlags],
    examples: ['access service printer', 'access identity clerk -o wide', 'access er edge-1'],
  },
  enroll: {
    doc: 'Create or renew the enrollment of an identity or an edge router, and print its JWT.',
    words: [nameWord],
    flags: [outFlag, ['--qr', 'Show the JWT as a code to scan.'], identityFileFlag],
    examples: [
      'enroll guest --out guest.jwt',
      'enroll guest --identity-file guest.json',
      'enroll edge-1 --out edge-1.jwt',
    ],
  },
  're-enroll': {
    doc: 'Take the certificate of an edge router or an identity away, and let it enroll again.',
    words: [['<kind>', 'edge-router, identity or authenticator.'], nameWord],
    flags: [outFlag],
    examples: ['re-enroll er edge-1 --out edge-1.jwt', 're-enroll identity guest'],
  },
  verify: {
    doc: 'Prove control of a CA, so that its certificates count.',
    words: [['<kind>', 'ca'], nameWord],
    flags: [
      ['--key <file>', 'The private key of the CA, which stays here: PEM or PKCS#12.'],
      ['--password-file <file>', 'A file with its password, or - for standard input.'],
    ],
    examples: ['verify ca partner --key partner.key'],
  },
  password: {
    doc: 'Set the password of an identity: typed, or from standard input.',
    words: [identityWord],
    flags: [
      ['--password-file <file>', 'A file with the password, or - for standard input.'],
      ['--username <name>', 'The user name of the first password (default: the name).'],
    ],
    examples: ["password clerk <<< 'correct horse'", 'password clerk --password-file clerk.txt'],
  },
  'remove-mfa': {
    doc: 'Remove the second factor of an identity.',
    words: [identityWord],
    flags: [],
    examples: ['remove-mfa clerk'],
  },
  disable: {
    doc: 'Disable an identity, and end its sessions.',
    words: [identityWord],
    flags: [
      ['--for <time>', 'For a time such as 30m, 2h or 3d; without it until enable.'],
      missingFlag,
    ],
    examples: ['disable clerk', 'disable clerk --for 2h'],
  },
  enable: {
    doc: 'Enable an identity again, and end its lockout.',
    words: [identityWord],
    flags: [],
    examples: ['enable clerk'],
  },
  audit: {
    doc: 'Show who changed what, from the log of the controller, without secrets.',
    words: [],
    flags: [
      ['--since <time>', 'From this time on: 2026-11-24T09:00, 09:00 today, or 10m ago.'],
      ['--from <lsn>', 'From this frame of the log on (default: the oldest that is kept).'],
      ['--kind <kind>', 'Only changes of this kind of record: servicePolicy or service-policy.'],
      ['--name <name>', 'Only changes of the record with this name or id.'],
      ['--by <name>', 'Only what the identity with this name or id did.'],
      ['--follow', 'Go on with new changes until Ctrl-C; alone, only with these.'],
      linesFlag,
      headersFlag,
    ],
    examples: ['audit --since 10m --kind servicePolicy', 'audit --by clerk -o json'],
  },
  watch: {
    doc: 'Show what is created, changed and deleted, until Ctrl-C.',
    words: [
      kindWord,
      ['[name]', 'A name or an id; for kinds without names also what one belongs to.'],
    ],
    flags: [linesFlag, headersFlag],
    examples: ['watch er edge-1', 'watch terminator', 'watch services -o json'],
  },
  top: {
    doc: 'Show how the controller is doing, each second until q or Ctrl-C.',
    words: [],
    flags: [['--once', 'Show it once, with rates over one second.']],
    examples: ['top', 'top --once'],
  },
  'log-level': {
    doc: 'Show the least level that the controller logs, or change it until its next start.',
    words: [['[level]', 'debug, info, warn or error.']],
    flags: [],
    examples: ['log-level', 'log-level debug'],
  },
};

/** Flags of every verb. */
export const commonFlags = [
  ['--context <name>', 'The context to use (environment: EDGE_CONTEXT).'],
  ['--url <url>', 'The controller to ask (environment: EDGE_URL).'],
  ['--ca <file>', 'PEM of the CAs to trust, or system (environment: EDGE_CA).'],
  ['--home <directory>', 'The controller that runs on this home (environment: EDGE_HOME).'],
  ['--timeout <seconds>', 'Time limit for each request (default: 60).'],
] as const;
