import { inputFields, type JsonSchema } from '../../../src/common/contracts/json-schema.js';
import type { RoutedHandler } from '../../../src/common/contracts/routed-handlers.js';
import type { Target } from './attack.js';

/** A handler of the service at one of its addresses. */
export interface TargetRoute {
  readonly name: string;
  readonly method: string;
  readonly pattern: string;
  readonly guards: readonly string[];
  /** With a value that it accepts. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Values for placeholders and fields, by name. */
export type Values = Readonly<Record<string, string>>;

const METHODS = ['PUT', 'POST', 'PATCH', 'GET', 'ALL'];
/** A handler of so many methods takes all of them. */
const MANY = 10;
/** What deletes comes last, so that the others find something. */
const LAST = ['COPY', 'MOVE', 'DELETE'];

/** Every handler once: its other addresses and API levels run the same code. */
export function targetRoutes(handlers: readonly RoutedHandler[]): readonly TargetRoute[] {
  const all = handlers
    .filter(({ method }) => method !== 'CONNECT')
    .map((handler) => ({
      name: `${handler.controller}.${handler.name}`,
      method: handler.method,
      pattern: handler.mainPath,
      guards: handler.guards,
      fields: Object.assign(
        {},
        ...handler.inputs.map(({ schema }) => {
          const { properties } = inputFields(schema);
          return Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, valueOf(name, one)]),
          );
        }),
      ) as Record<string, unknown>,
    }));
  return Object.values(Object.groupBy(all, ({ name }) => name))
    .flatMap((alike = []) => {
      const sorted = alike.toSorted(
        (a, b) => rank(a.method) - rank(b.method) || b.pattern.length - a.pattern.length,
      );
      const [first] = sorted;
      const methods = new Set(alike.map(({ method }) => method));
      const isProxy = methods.size > MANY && first?.guards.includes('PutOrPostGuard') === false;
      return (isProxy ? ['GET', 'POST'] : [first?.method ?? 'GET']).flatMap((method) => {
        const route = sorted.find((one) => one.method === method) ?? first;
        return route === undefined
          ? []
          : [{ ...route, method: route.method === 'ALL' ? 'GET' : route.method }];
      });
    })
    .toSorted((a, b) => LAST.indexOf(a.method) - LAST.indexOf(b.method));
}

const rank = (method: string) => {
  const place = METHODS.indexOf(method);
  return place === -1 ? METHODS.length : place;
};

/** A value of the type that a field has; the largest number, where it says how much. */
function valueOf(name: string, schema: JsonSchema): unknown {
  const [alternative] = (schema['anyOf'] ?? schema['oneOf'] ?? []) as JsonSchema[];
  if (alternative !== undefined) {
    return valueOf(name, alternative);
  }
  const [choice] = (schema['enum'] ?? []) as unknown[];
  switch (schema['type']) {
    case 'array':
      return [valueOf(name, (schema['items'] ?? {}) as JsonSchema)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return /size|limit|count|max|^n$/i.test(name)
        ? (schema['maximum'] ?? -1)
        : (schema['minimum'] ?? 1);
    case 'object':
      return Object.fromEntries(
        Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).map(
          ([key, one]) => [key, valueOf(key, one)],
        ),
      );
    default:
      return choice ?? schema['default'] ?? 'a';
  }
}

const DAV = 'xmlns:d="DAV:" xmlns:x="http://attacker.example/"';
/** Methods of WebDAV, with what they ask for. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  PROPFIND: `<?xml version="1.0"?><d:propfind ${DAV}><d:prop><d:getetag/><x:long/></d:prop></d:propfind>`,
  PROPPATCH: `<?xml version="1.0"?><d:propertyupdate ${DAV}><d:set><d:prop><x:more>a</x:more></d:prop></d:set></d:propertyupdate>`,
  SEARCH: `<?xml version="1.0"?><d:searchrequest ${DAV}><d:basicsearch><d:select><d:prop><d:displayname/><x:long/></d:prop></d:select><d:from><d:scope><d:href>/files/USER</d:href><d:depth>infinity</d:depth></d:scope></d:from><d:where><d:like><d:prop><d:displayname/></d:prop><d:literal>%</d:literal></d:like></d:where></d:basicsearch></d:searchrequest>`,
  LOCK: `<?xml version="1.0"?><d:lockinfo ${DAV}><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockinfo>`,
};

/** The routes as one sender calls them. @param headersOf credentials for a route */
export function targetsOf(
  routes: readonly TargetRoute[],
  values: Values,
  headersOf: (route: TargetRoute) => Readonly<Record<string, string>>,
): readonly Target[] {
  const userId = values['userId'] ?? 'nobody';
  return routes.map((route): Target => {
    const { name, method, pattern, fields } = route;
    return {
      name,
      method,
      pattern,
      path: filledPath(pattern, values),
      fields: Object.fromEntries(
        Object.entries(fields).map(([field, value]) => [field, named(field, value, values)]),
      ),
      document: DOCUMENTS[method]?.replace('USER', userId) ?? null,
      headers: {
        ...(['PROPFIND', 'COPY'].includes(method) ? { depth: 'infinity' } : {}),
        ...(['COPY', 'MOVE'].includes(method)
          ? { destination: `/remote.php/dav/files/${userId}/copied` }
          : {}),
        accept: 'application/json',
        'ocs-apirequest': 'true',
        ...headersOf(route),
      },
    };
  });
}

function filledPath(pattern: string, values: Values): string {
  return pattern
    .replace(/\{\/\*\w+\}/g, '')
    .replace(/\*(\w+)/g, (_placeholder, name: string) => values[name] ?? 'many')
    .replace(/:(\w+)/g, (_placeholder, name: string) => encodeURIComponent(values[name] ?? '1'));
}

function named(field: string, value: unknown, values: Values): unknown {
  if (Array.isArray(value)) {
    return value.map((one) => named(field.replace(/s$/, ''), one, values));
  }
  const known = values[field];
  return known === undefined ? value : typeof value === 'number' ? Number(known) : known;
}
