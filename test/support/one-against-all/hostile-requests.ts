import type { Target } from './attack.js';

export interface Body {
  readonly type: string;
  readonly bytes: Buffer;
}

type Variant = readonly [path: string, body: Body | null];

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Below the limit of the server for all headers together. */
const LONGEST_QUERY = 14_000;
const LARGE_BODY_BYTES = 4 * 1024 * 1024;
/** For names of fields and the like. */
const ROOM_BYTES = 1_000;

const hasBody = ({ method }: Target) => !['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method);

/** What the route accepts. */
export function bodyOf(target: Target): Variant {
  const { path, fields, document } = target;
  if (document !== null) {
    return [path, { type: 'text/xml', bytes: Buffer.from(document) }];
  }
  return hasBody(target) ? [path, jsonBody(fields)] : [withQuery(path, fields), null];
}

/** As much as it reads: long lists, long texts, deep nesting, many fields. */
export function largest(target: Target, usualBytes: number): readonly Variant[] {
  const { path, fields } = target;
  if (!hasBody(target)) {
    const share = Math.floor(LONGEST_QUERY / Math.max(1, Object.keys(fields).length));
    return [
      [
        withQuery(
          path,
          mapped(fields, (value) => filledText(value, share)),
        ),
        null,
      ],
      [withQuery(path, { ...fields, [`x${'[y]'.repeat(4_000)}`]: 1 }), null],
    ];
  }
  return [usualBytes, usualBytes, usualBytes, LARGE_BODY_BYTES].flatMap((most, n): Variant[] => {
    const bytes = most - ROOM_BYTES;
    const share = Math.floor(bytes / Math.max(1, Object.keys(fields).length));
    if (target.document !== null) {
      return [[path, { type: 'text/xml', bytes: padded(target.document, bytes) }]];
    }
    switch (n) {
      case 0:
        return [[path, jsonBody(mapped(fields, (value) => filled(value, share)))]];
      case 1:
        return [[path, jsonBody(mapped(fields, (value) => filledText(value, share)))]];
      case 2:
        return [
          [path, jsonBody({ ...fields, nested: nested(bytes) })],
          [path, { type: FORM_TYPE, bytes: Buffer.from(longForm(bytes)) }],
        ];
      default:
        return [[path, jsonBody(mapped(fields, (value) => filled(value, share)))]];
    }
  });
}

const HOSTILE_TEXTS = [
  '\0',
  'a\0b',
  '\uD800',
  '\uFFFE',
  '%00',
  '../../..',
  '-1',
  '1e309',
  '9223372036854775808',
  '99999999999999999999999',
  'NaN',
  '__proto__',
  'constructor',
  "'; drop table item; --",
  'http://127.0.0.1:1/',
  'https://[::1',
  '2026-02-30T25:61:61Z',
  '\u202E'.repeat(100),
  'a'.repeat(5_000),
  '(a+)+$',
  '%'.repeat(1_000),
] as const;

const HOSTILE_VALUES = [
  ...HOSTILE_TEXTS,
  null,
  true,
  -1,
  1e300,
  2 ** 63,
  [],
  {},
  [null],
  { toString: 1 },
  [[[[1]]]],
  ['__proto__'],
] as const;

/** Each value in all fields, and each text in all placeholders of the path. */
export function hostile(target: Target): readonly Variant[] {
  const { pattern, path, fields } = target;
  const inFields = HOSTILE_VALUES.map((value): Variant => {
    const sent = mapped(fields, () => value);
    return hasBody(target)
      ? [path, { type: JSON_TYPE, bytes: Buffer.from(withPrototype(sent)) }]
      : [withQuery(path, mapped(sent, textOf)), null];
  });
  const inPath = /[:*]\w+/.test(pattern) ? HOSTILE_TEXTS.filter((text) => text.length < 1_500) : [];
  return [
    ...inFields,
    ...inPath.map((text): Variant => [
      pattern
        .replace(/\{[^}]*\}/g, '')
        .replace(/[:*]\w+/g, () => encodeURIComponent(text.toWellFormed())),
      hasBody(target) ? jsonBody(fields) : null,
    ]),
  ];
}

function jsonBody(value: object): Body {
  return { type: JSON_TYPE, bytes: Buffer.from(JSON.stringify(value)) };
}

/** A key that an object literal cannot have. */
function withPrototype(value: object): string {
  const text = JSON.stringify(value);
  return text === '{}' ? '{"__proto__":{"x":1}}' : `{"__proto__":{"x":1},${text.slice(1)}`;
}

function withQuery(path: string, fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams(mapped(fields, textOf)).toString();
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed() : (JSON.stringify(value) ?? '');

function mapped<Value>(
  fields: Readonly<Record<string, unknown>>,
  change: (value: unknown) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));
}

/** Of the same type, as long as possible. */
function filled(value: unknown, bytes: number): unknown {
  if (Array.isArray(value)) {
    const one: unknown = value[0] ?? 1;
    const size = JSON.stringify(one).length + 1;
    return Array.from({ length: Math.floor(bytes / Math.max(7, size)) }, (_, n) =>
      typeof one === 'number' ? 100_000 + n : typeof one === 'string' ? `${n + 100}` : one,
    );
  }
  if (typeof value === 'object' && value !== null) {
    const count = Math.floor(bytes / 20);
    return Object.fromEntries(Array.from({ length: count }, (_, n) => [`key ${n}`, `${n}`]));
  }
  return typeof value === 'string' ? 'x'.repeat(bytes) : value;
}

const filledText = (value: unknown, bytes: number): unknown =>
  typeof value === 'string' ? 'ab<é'.repeat(Math.floor(bytes / 16)) : value;

/** Lists in lists, as deep as JSON may be, again and again. */
function nested(bytes: number): unknown {
  let one: unknown = 1;
  for (let n = 0; n < 95; n++) {
    one = [one];
  }
  return Array.from({ length: Math.floor(bytes / 200) }, () => one);
}

function longForm(bytes: number): string {
  return Array.from({ length: Math.floor(bytes / 60) }, (_, n) => `i=${n}&a[${n % 90}][]=${n}`)
    .join('&')
    .slice(0, bytes);
}

/** XML with a long comment in it. */
function padded(document: string, bytes: number): Buffer {
  const room = Math.max(0, bytes - document.length - 7);
  return Buffer.from(document.replace('?>', `?><!--${'x'.repeat(room)}-->`));
}
