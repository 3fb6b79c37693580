// Raw requests whose framing is unusual or wrong, and what each listener does with them.

/**
 * What becomes of the bytes of a case: its answers in order, and then the connection. `answered` is
 * any status but those of refusals, and an `open` connection answers a further request. `refused`
 * is what uWebSockets.js does by itself: perhaps an answer of 400, 431 or 505, and then it closes.
 * With `ended` there is one answer at most, of any status, and the connection is closed.
 */
export type FramingVerdict =
  | 'answered, open'
  | 'answered, answered, open'
  | 'answered, closed'
  | '400, closed'
  | '431, closed'
  | '505, closed'
  | 'closed'
  | 'refused'
  | 'ended';

/** One case. */
export interface FramingCase {
  readonly name: string;
  /** One character per byte. Of several parts, each is sent behind the answer to the last. */
  readonly raw: string | readonly string[];
  /** Whether the client sends FIN behind it. */
  readonly ends?: boolean;
  readonly tls: FramingVerdict;
  readonly direct: FramingVerdict;
}

/** No operation has this path, so a request to it is answered alike with any method and body. */
export const framingPath = '/framing-case';

const line = (method: string): string => `${method} ${framingPath} HTTP/1.1\r\n`;
const host = 'Host: localhost\r\n';
const chunked = 'Transfer-Encoding: chunked\r\n';
/** What must never be answered where it stands behind a request that is not valid. */
const hidden = `GET ${framingPath}/hidden HTTP/1.1\r\n${host}\r\n`;
const chunks = '3\r\nabc\r\n0\r\n\r\n';

const get = (...headers: string[]): string => `${line('GET')}${headers.join('')}\r\n`;
const post = (...headers: string[]): string => `${line('POST')}${host}${headers.join('')}\r\n`;

const both = (name: string, raw: FramingCase['raw'], verdict: FramingVerdict): FramingCase => ({
  name,
  raw,
  tls: verdict,
  direct: verdict,
});

const each = (
  name: string,
  raw: FramingCase['raw'],
  tls: FramingVerdict,
  direct: FramingVerdict,
): FramingCase => ({ name, raw, tls, direct });

/** Requests that are valid, or that RFC 9112 tells a server to take. */
const valid: readonly FramingCase[] = [
  both('a plain request', get(host), 'answered, open'),
  both('two requests', [get(host), get(host)], 'answered, answered, open'),
  both('an empty Host', get('Host:\r\n'), 'answered, open'),
  both('a Host that is an IPv6 address', get('Host: [::1]:1280\r\n'), 'answered, open'),
  both('Content-Length: 0', post('Content-Length: 0\r\n'), 'answered, open'),
  both(
    'Content-Length with leading zeros',
    `${post('Content-Length: 003\r\n')}abc`,
    'answered, open',
  ),
  both(
    'space around Content-Length',
    [`${post('Content-Length: \t 3 \t\r\n')}abc`, get(host)],
    'answered, answered, open',
  ),
  both(
    'a header name in capitals',
    [`${post('CONTENT-LENGTH: 3\r\n')}abc`, get(host)],
    'answered, answered, open',
  ),
  both('a value with bytes above ASCII', get(host, 'X-Name: \xc3\xa9\r\n'), 'answered, open'),
  both('a value with a tab inside', get(host, 'X-Name: a\tb\r\n'), 'answered, open'),
  both('a header without a value', get(host, 'X-Name:\r\n'), 'answered, open'),
  each('chunks', post(chunked) + chunks, 'answered, open', 'answered, closed'),
  each(
    'space around Transfer-Encoding',
    `${post('Transfer-Encoding:  chunked\t\r\n')}${chunks}`,
    'answered, open',
    'answered, closed',
  ),
  each('no chunk but the last', `${post(chunked)}0\r\n\r\n`, 'answered, open', 'answered, closed'),
  each(
    'chunk sizes with capitals and leading zeros',
    `${post(chunked)}000A\r\n0123456789\r\n00\r\n\r\n`,
    'answered, open',
    'answered, closed',
  ),
  each(
    'a chunk extension',
    `${post(chunked)}3;name="a b";c\r\nabc\r\n0;last\r\n\r\n`,
    'answered, open',
    'refused',
  ),
  each(
    'space before a chunk extension',
    `${post(chunked)}3 ;a=b\r\nabc\r\n0\r\n\r\n`,
    'answered, open',
    'answered, closed',
  ),
  each(
    'a request behind chunks',
    [post(chunked) + chunks, get(host)],
    'answered, answered, open',
    'answered, closed',
  ),
];

const tooLong = 'x'.repeat(70_000);

/** Heads that are not valid. uWebSockets.js takes some for heads that are not whole yet. */
const heads: readonly FramingCase[] = [
  each('no Host', get() + hidden, '400, closed', 'refused'),
  both('two Hosts', get(host, 'Host: other\r\n') + hidden, '400, closed'),
  both('the same Host twice', get(host, host) + hidden, '400, closed'),
  both('a Host with a space', get('Host: local host\r\n') + hidden, '400, closed'),
  both('a Host with a path', get('Host: localhost/x\r\n') + hidden, '400, closed'),
  both('a list of Hosts', get('Host: localhost, other\r\n') + hidden, '400, closed'),
  each('HTTP/1.0', `GET ${framingPath} HTTP/1.0\r\n${host}\r\n${hidden}`, '505, closed', 'refused'),
  each(
    'Transfer-Encoding in HTTP/1.0',
    `POST ${framingPath} HTTP/1.0\r\n${host}${chunked}\r\n${chunks}${hidden}`,
    '505, closed',
    'refused',
  ),
  each('HTTP/2.0', `GET ${framingPath} HTTP/2.0\r\n${host}\r\n${hidden}`, '505, closed', 'refused'),
  each('HTTP/0.9', `GET ${framingPath}\r\n${host}\r\n${hidden}`, '400, closed', 'refused'),
  each(
    'lower-case http',
    `GET ${framingPath} http/1.1\r\n${host}\r\n${hidden}`,
    '400, closed',
    'refused',
  ),
  each(
    'absolute form',
    `GET http://localhost${framingPath} HTTP/1.1\r\n${host}\r\n`,
    '400, closed',
    'refused',
  ),
  each(
    'authority form',
    `CONNECT localhost:1 HTTP/1.1\r\n${host}\r\n${hidden}`,
    '400, closed',
    'refused',
  ),
  each('asterisk form', `OPTIONS * HTTP/1.1\r\n${host}\r\n${hidden}`, '400, closed', 'refused'),
  each('no method', ` ${framingPath} HTTP/1.1\r\n${host}\r\n${hidden}`, '400, closed', 'refused'),
  each(
    'two spaces before the path',
    `GET  ${framingPath} HTTP/1.1\r\n${host}\r\n`,
    '400, closed',
    'refused',
  ),
  each(
    'a tab before the path',
    `GET\t${framingPath} HTTP/1.1\r\n${host}\r\n`,
    '400, closed',
    'refused',
  ),
  each(
    'a space in the path',
    `GET ${framingPath} x HTTP/1.1\r\n${host}\r\n${hidden}`,
    '400, closed',
    'refused',
  ),
  each(
    'a NUL in the path',
    `GET ${framingPath}\0 HTTP/1.1\r\n${host}\r\n${hidden}`,
    '400, closed',
    'refused',
  ),
  each(
    'bare LF behind the request line',
    `GET ${framingPath} HTTP/1.1\n${host}\r\n`,
    '400, closed',
    'refused',
  ),
  each(
    'bare LF behind a header',
    `${line('GET')}Host: localhost\n\r\n${hidden}`,
    '400, closed',
    'closed',
  ),
  each(
    'bare LF at the end of the head',
    `${line('GET')}${host}\n${hidden}`,
    '400, closed',
    'closed',
  ),
  each('a bare CR in a value', get(host, 'X-A: a\rb\r\n') + hidden, '400, closed', 'closed'),
  each('a bare CR in a name', get(host, 'X\rA: a\r\n') + hidden, '400, closed', 'closed'),
  each('a NUL in a value', get(host, 'X-A: a\0b\r\n') + hidden, '400, closed', 'closed'),
  each('a NUL in a name', get(host, 'X\0A: a\r\n') + hidden, '400, closed', 'closed'),
  each(
    'a control character in a value',
    get(host, 'X-A: a\x0bb\r\n') + hidden,
    '400, closed',
    'closed',
  ),
  each('obs-fold', get(host, 'X-A: a\r\n b\r\n') + hidden, '400, closed', 'closed'),
  each(
    'Transfer-Encoding on a folded line',
    `${post('Transfer-Encoding:\r\n chunked\r\n')}${chunks}${hidden}`,
    '400, closed',
    'closed',
  ),
  each(
    'space before the first header',
    `${line('GET')} ${host}\r\n${hidden}`,
    '400, closed',
    'closed',
  ),
  each('space before a colon', get('Host : localhost\r\n') + hidden, '400, closed', 'closed'),
  each(
    'space before the colon of Content-Length',
    `${post('Content-Length : 3\r\n')}abc${hidden}`,
    '400, closed',
    'closed',
  ),
  each(
    'space before the colon of Transfer-Encoding',
    `${post('Transfer-Encoding : chunked\r\n')}${chunks}${hidden}`,
    '400, closed',
    'closed',
  ),
  each('a header without a colon', get(host, 'X-A\r\n') + hidden, '400, closed', 'closed'),
  // The library reads no header behind one without a name, so it is not seen there.
  each(
    'a header without a name',
    get(host, ': a\r\n') + hidden,
    '400, closed',
    'answered, answered, open',
  ),
  both('a head without an end', `${line('GET')}${host}`, 'closed'),
  each('headers that are too long', get(host, `X-A: ${tooLong}\r\n`), '431, closed', 'refused'),
  each(
    'a path that is too long',
    `GET /${tooLong} HTTP/1.1\r\n${host}\r\n`,
    '431, closed',
    'refused',
  ),
  both('an empty line between requests', [get(host), `\r\n${hidden}`], 'answered, closed'),
];

/** Bodies whose length is said in two ways, or in none that is valid. */
const lengths: readonly FramingCase[] = [
  both(
    'two values of Content-Length',
    `${post('Content-Length: 3\r\n', 'Content-Length: 4\r\n')}abc${hidden}`,
    '400, closed',
  ),
  both(
    'the same Content-Length twice',
    `${post('Content-Length: 3\r\n', 'Content-Length: 3\r\n')}abc${hidden}`,
    '400, closed',
  ),
  both('a list of lengths', `${post('Content-Length: 3, 3\r\n')}abc${hidden}`, '400, closed'),
  both(
    'an empty Content-Length and another',
    `${post('Content-Length:\r\n', 'Content-Length: 3\r\n')}abc${hidden}`,
    '400, closed',
  ),
  both('an empty Content-Length', post('Content-Length:\r\n') + hidden, '400, closed'),
  both('a negative Content-Length', `${post('Content-Length: -3\r\n')}abc${hidden}`, '400, closed'),
  both(
    'Content-Length with a plus',
    `${post('Content-Length: +3\r\n')}abc${hidden}`,
    '400, closed',
  ),
  both(
    'a hexadecimal Content-Length',
    `${post('Content-Length: 0x3\r\n')}abc${hidden}`,
    '400, closed',
  ),
  both(
    'a fractional Content-Length',
    `${post('Content-Length: 3.0\r\n')}abc${hidden}`,
    '400, closed',
  ),
  both(
    'space inside Content-Length',
    `${post('Content-Length: 3 0\r\n')}abc${hidden}`,
    '400, closed',
  ),
  both(
    'a huge Content-Length',
    post(`Content-Length: ${'9'.repeat(17)}\r\n`) + hidden,
    '400, closed',
  ),
  both(
    'a Content-Length beyond 64 bits',
    post(`Content-Length: ${2n ** 64n + 3n}\r\n`) + hidden,
    '400, closed',
  ),
  both(
    'Content-Length and Transfer-Encoding',
    post('Content-Length: 3\r\n', chunked) + chunks + hidden,
    '400, closed',
  ),
  both(
    'Transfer-Encoding and Content-Length',
    post(chunked, 'Content-Length: 3\r\n') + chunks + hidden,
    '400, closed',
  ),
  both(
    'Transfer-Encoding and Content-Length: 0',
    post(chunked, 'Content-Length: 0\r\n') + chunks + hidden,
    '400, closed',
  ),
  both(
    'an empty Transfer-Encoding and Content-Length',
    `${post('Transfer-Encoding:\r\n', 'Content-Length: 3\r\n')}abc${hidden}`,
    '400, closed',
  ),
];

const encodings: readonly FramingCase[] = [
  ['identity', 'identity'],
  ['gzip', 'gzip'],
  ['gzip before chunked', 'gzip, chunked'],
  ['chunked before identity', 'chunked, identity'],
  ['chunked twice', 'chunked, chunked'],
  ['xchunked', 'xchunked'],
  ['chunkedx', 'chunkedx'],
  ['capital letters', 'Chunked'],
  ['a quoted name', '"chunked"'],
  ['a parameter', 'chunked;a=b'],
  ['a list that begins empty', ', chunked'],
  ['a list that ends empty', 'chunked,'],
  ['an empty value', ''],
].map(([name, value]) =>
  both(
    `Transfer-Encoding: ${name}`,
    `${post(`Transfer-Encoding: ${value}\r\n`)}${chunks}${hidden}`,
    '400, closed',
  ),
);

const codings: readonly FramingCase[] = [
  ...encodings,
  each(
    'a vertical tab before chunked',
    `${post('Transfer-Encoding: \x0bchunked\r\n')}${chunks}${hidden}`,
    '400, closed',
    'closed',
  ),
  both('two lines of chunked', post(chunked, chunked) + chunks + hidden, '400, closed'),
  both(
    'chunked and identity on two lines',
    post(chunked, 'Transfer-Encoding: identity\r\n') + chunks + hidden,
    '400, closed',
  ),
  both(
    'an empty line beside chunked',
    post('Transfer-Encoding:\r\n', chunked) + chunks + hidden,
    '400, closed',
  ),
  both(
    'chunked in a GET, beside an empty line',
    get(host, 'Transfer-Encoding:\r\n', chunked) + chunks + hidden,
    '400, closed',
  ),
];

const body = (name: string, raw: string): FramingCase =>
  each(name, `${post(chunked)}${raw}${hidden}`, '400, closed', 'ended');

/**
 * Chunks that are not valid. The direct listener hands them to uWebSockets.js as they come. That
 * takes some of them, but the connection ends before what stands behind them.
 */
const badChunks: readonly FramingCase[] = [
  body('bare LF behind a chunk size', '3\nabc\r\n0\r\n\r\n'),
  body('bare LF behind the data of a chunk', '3\r\nabc\n0\r\n\r\n'),
  body('bare LF behind the last chunk', '3\r\nabc\r\n0\n\r\n'),
  body('bare LF at the end', '3\r\nabc\r\n0\r\n\n'),
  body('a bare CR behind a chunk size', '3\rabc\r\n0\r\n\r\n'),
  body('two other bytes behind the data', '3\r\nabcXX0\r\n\r\n'),
  body('CR and another byte behind the data', '3\r\nabc\rX0\r\n\r\n'),
  body('LF CR behind the data', '3\r\nabc\n\r0\r\n\r\n'),
  body('two bytes in place of the last CR LF', '3\r\nabc\r\n0\r\nXX'),
  body('a trailer', '3\r\nabc\r\n0\r\nX-A: b\r\n\r\n'),
  body('a request in place of a trailer', '3\r\nabc\r\n0\r\n'),
  body('an empty chunk size', '\r\nabc\r\n0\r\n\r\n'),
  body('only an extension', ';a=b\r\nabc\r\n0\r\n\r\n'),
  body('a chunk size with a plus', '+3\r\nabc\r\n0\r\n\r\n'),
  body('a negative chunk size', '-3\r\nabc\r\n0\r\n\r\n'),
  body('a chunk size with 0x', '0x3\r\nabc\r\n0\r\n\r\n'),
  body('a chunk size with g', 'g\r\n0123456789abcdef\r\n0\r\n\r\n'),
  body('space before a chunk size', ' 3\r\nabc\r\n0\r\n\r\n'),
  body('space behind a chunk size', '3 \r\nabc\r\n0\r\n\r\n'),
  body('space inside a chunk size', '0 3\r\nabc\r\n0\r\n\r\n'),
  body('a NUL behind a chunk size', '3\0\r\nabc\r\n0\r\n\r\n'),
  body('a chunk size beyond 64 bits', '10000000000000003\r\nabc\r\n0\r\n\r\n'),
  body('a chunk size of 56 bits', 'ffffffffffffff\r\nabc\r\n0\r\n\r\n'),
  body('a bare CR in an extension', '3;a\rb\r\nabc\r\n0\r\n\r\n'),
  body('bare LF in an extension', '3;a\nb\r\nabc\r\n0\r\n\r\n'),
  body('a chunk extension that is too long', `3;${'a'.repeat(1000)}\r\nabc\r\n0\r\n\r\n`),
  body('a chunk that is shorter than its size', '5\r\nabc\r\n0\r\n\r\n'),
  body('a chunk that is longer than its size', '2\r\nabc\r\n0\r\n\r\n'),
  each(
    'bare LF in chunk lines, and nothing behind',
    `${post(chunked)}3\nabc\r\n0\n\r\n`,
    '400, closed',
    'answered, closed',
  ),
];

/** Clients that stop in the middle. */
const endings: readonly FramingCase[] = [
  { ...both('FIN in the head', `${line('GET')}${host}`, 'closed'), ends: true },
  { ...both('FIN in a body', `${post('Content-Length: 5\r\n')}abc`, 'closed'), ends: true },
  { ...both('FIN in a chunk', `${post(chunked)}5\r\nabc`, 'closed'), ends: true },
  { ...both('FIN before the last chunk', `${post(chunked)}3\r\nabc\r\n`, 'closed'), ends: true },
  {
    ...each('FIN in the last chunk', `${post(chunked)}0\r\n`, 'closed', 'ended'),
    ends: true,
  },
];

/** All cases. */
export const framingTable: readonly FramingCase[] = [
  ...valid,
  ...heads,
  ...lengths,
  ...codings,
  ...badChunks,
  ...endings,
];
