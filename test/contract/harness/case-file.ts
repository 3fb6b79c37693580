// Reads the cases: text in which a stranger finds request and answer one below the other.
//
//   ## An identity is made and read back       a case; `## background` comes before each of them
//
//   POST M:/identities                         M: and C: are the bases of the two APIs
//   zt-session: {alice}                        a header; without one the administrator calls,
//   {"name": "desk", "isAdmin": false, …}      `zt-session: -` sends none; then the body, as it is
//   client-certificate: leaf middle            certificates made before, shown by the connection;
//                                            or a value that was kept and is PEM
//   => 201                                     the status, of errors also code and field=…,
//   {"id": "@desk"}                            of lists total=… limit=… offset=…; then a part of
//                                            `data` (or of `error`); `"...": "defaults"` in the
//                                            answer of one entity stands for its other fields
//
//   wait 31 minutes                            time goes by; `restart` and `crash` do what they say
//   rsa authority root                       makes a certificate that may sign others, by itself
//   certificate leaf by root named {token}   one that `root` signed, with its common name; `lapsed`
//                                            ahead for one whose end is past, `future` for one
//                                            that becomes valid in two days
//                                            {leaf} is its PEM within JSON, {leafPem} as a body of
//                                            its own, {leafPrint} its fingerprint
//   request ask named {router}               a certificate request with its common name, as {ask}
//                                            and {askPem}
//   jwt pass by leaf                         a JWT as {pass}, signed with the key of a certificate;
//   {"iss": "https://idp", "sub": "{id}"}    ends in an hour unless its claims say otherwise
//
// `@name` in an answer keeps a value, `{name}` puts it into later requests and answers. Where it is
// a provisioning URL, `{totp name}` is the code that an app shows for it at that moment, and
// `{totp name -1}` the one of the time step before.

/** A request and what must come back. */
export interface Exchange {
  readonly kind: 'exchange';
  readonly line: number;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly status: number;
  readonly code: string | undefined;
  /** `field` and `value` of the cause; `total`, `limit` and `offset` of the page. */
  readonly marks: Readonly<Record<string, string>>;
  readonly answerHeaders: readonly (readonly [string, string])[];
  /** JSON text; empty when nothing is said of it. */
  readonly answer: string;
}

/** Something that happens to the controller. */
export interface Happening {
  readonly kind: 'happening';
  readonly line: number;
  readonly what: 'wait' | 'restart' | 'crash';
  readonly ms: number;
}

/** A certificate that is made for the steps behind it. */
export interface Making {
  readonly kind: 'making';
  readonly line: number;
  readonly name: string;
  readonly as: 'authority' | 'end';
  readonly isRsa: boolean;
  readonly isExpired: boolean;
  readonly isFuture: boolean;
  /** Name of the certificate that signs it; empty when it signs itself. */
  readonly issuer: string;
  readonly commonName: string;
}

/** A certificate request that is made for the steps behind it. */
export interface Asking {
  readonly kind: 'asking';
  readonly line: number;
  readonly name: string;
  readonly commonName: string;
}

/** A JWT that is signed for the steps behind it. */
export interface Signing {
  readonly kind: 'signing';
  readonly line: number;
  readonly name: string;
  /** Name of the certificate whose key signs it. */
  readonly signer: string;
  /** JSON text. */
  readonly claims: string;
}

/** One step of a case. */
export type Step = Exchange | Happening | Making | Asking | Signing;

/** A case with the background before it. */
export interface Case {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** The cases of a file. @throws SyntaxError with the line that isn't understood. */
export function readCases(text: string): Case[] {
  const sections: { title: string; steps: Step[] }[] = [];
  let block: string[] = [];
  const lines = `${text}\n\n`.split('\n');
  for (const [i, line] of lines.entries()) {
    if (line.startsWith('## ')) sections.push({ title: line.slice(3), steps: [] });
    else if (line.startsWith('#')) continue;
    else if (line.trim() !== '') block.push(line);
    else if (block.length > 0) {
      const section = sections.at(-1);
      // What stands before the first case is for readers.
      if (section !== undefined) section.steps.push(readStep(block, i + 1 - block.length));
      block = [];
    }
  }
  const background = sections.filter(({ title }) => title === 'background');
  const before = background.flatMap(({ steps }) => steps);
  return sections
    .filter(({ title }) => title !== 'background')
    .map(({ title, steps }) => ({ title, steps: [...before, ...steps] }));
}

const unitMs = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const happening = /^(?:(restart|crash)|wait (\d+) (second|minute|hour|day)s?)$/;
const making =
  /^(lapsed |future )?(rsa )?(authority|certificate) ([a-z]\w*)(?: by (\w+))?(?: named (\S+))?$/;
const asking = /^request ([a-z]\w*)(?: named (\S+))?$/;
const signing = /^jwt ([a-z]\w*) by ([a-z]\w*)$/;
const request = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\S+)$/;
const result = /^=> (\d{3})(?: ([A-Z][A-Z_]+))?((?: \w+=\S+)*)$/;
const header = /^([a-z][a-z-]*): (.*)$/;

function readStep(block: readonly string[], line: number): Step {
  const [first = '', ...rest] = block;
  const happened = happening.exec(first);
  if (happened !== null && rest.length === 0) {
    const [, what, count = '0', unit = 'second'] = happened;
    const ms = Number(count) * unitMs[unit as keyof typeof unitMs];
    return { kind: 'happening', line, what: (what ?? 'wait') as Happening['what'], ms };
  }
  const made = making.exec(first);
  if (made !== null && rest.length === 0) {
    const [, validity, rsa, as, name = '', issuer = '', commonName = name] = made;
    return {
      kind: 'making',
      line,
      name,
      issuer,
      commonName,
      as: as === 'authority' ? as : 'end',
      isRsa: rsa !== undefined,
      isExpired: validity === 'lapsed ',
      isFuture: validity === 'future ',
    };
  }
  const asked = asking.exec(first);
  if (asked !== null && rest.length === 0) {
    const [, name = '', commonName = name] = asked;
    return { kind: 'asking', line, name, commonName };
  }
  const signed = signing.exec(first);
  if (signed !== null) {
    const [, name = '', signer = ''] = signed;
    return { kind: 'signing', line, name, signer, claims: rest.join('\n') };
  }
  const [, method, path] = request.exec(first) ?? [];
  const at = rest.findIndex((text) => result.test(text));
  if (method === undefined || path === undefined || at < 0) {
    throw new SyntaxError(`line ${line}: neither a request with its answer nor a happening`);
  }
  const [, status, code, marks = ''] = result.exec(rest[at] ?? '') ?? [];
  const sent = splitHeaders(rest.slice(0, at));
  const received = splitHeaders(rest.slice(at + 1));
  return {
    kind: 'exchange',
    line,
    method,
    path,
    headers: sent.headers,
    body: sent.body,
    status: Number(status),
    code,
    answerHeaders: received.headers,
    answer: received.body,
    marks: Object.fromEntries(
      marks.split(' ').flatMap((mark) => {
        const equals = mark.indexOf('=');
        return equals < 0 ? [] : [[mark.slice(0, equals), mark.slice(equals + 1)]];
      }),
    ),
  };
}

function splitHeaders(lines: readonly string[]) {
  const headers: (readonly [string, string])[] = [];
  let at = 0;
  for (; at < lines.length; at++) {
    const [, name, value] = header.exec(lines[at] ?? '') ?? [];
    if (name === undefined || value === undefined) break;
    headers.push([name, value]);
  }
  return { headers, body: lines.slice(at).join('\n') };
}
