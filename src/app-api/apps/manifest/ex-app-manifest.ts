import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { z } from 'zod';
import { isObject } from '../../../common/is-object.js';
import { InvalidRegistration } from '../../app-api.errors.js';
import type { AccessLevel, ExAppRoute } from '../routes/ex-app-routes.repository.js';
import { faultOfRoutePattern } from '../routes/route-pattern.js';

/** An environment variable that an app expects. */
interface WantedVariable {
  readonly name: string;
  readonly description: string;
  /** Empty if there is none. */
  readonly default: string;
}

/** The description of an app for its registration or update. */
export interface ExAppManifest {
  readonly appId: string;
  readonly name: string;
  readonly version: string;
  /** Whether name and version are placeholders. */
  readonly nameMissing: boolean;
  readonly versionMissing: boolean;
  readonly secret: string | undefined;
  /** Root of the app's routes; overrides daemon and port. */
  readonly baseUrl: string | undefined;
  readonly daemonName: string | undefined;
  readonly port: number | undefined;
  readonly routes: readonly ExAppRoute[];
  readonly environment: readonly WantedVariable[];
  /** Image of a container, with its registry and tag. */
  readonly image: string | undefined;
  readonly initTimeoutMinutes: number | undefined;
  readonly isSystem: boolean;
}

interface ExAppManifestSources {
  /** Typed by the operator; undefined takes it from the other sources. */
  readonly appId?: string | undefined;
  /** Typed by the operator. */
  readonly daemonName?: string | undefined;
  /** Root of the app's routes, typed by the operator; overrides the JSON. */
  readonly baseUrl?: string | undefined;
  readonly secret?: string | undefined;
  /** Typed by the operator; overrides JSON and info.xml. */
  readonly routes?: string | undefined;
  /** `--json-info`; overrides `infoXml`. */
  readonly json?: unknown;
  /** Text of an `info.xml`. */
  readonly infoXml?: string | undefined;
}

const MAX_XML_BYTES = 1024 * 1024;

const text = (most: number) => z.string().trim().min(1).max(most);

const wholeNumber = (from: number, to: number) =>
  z.coerce
    .number()
    .int(`must be a whole number from ${from} to ${to}`)
    .min(from, `must be a whole number from ${from} to ${to}`)
    .max(to, `must be a whole number from ${from} to ${to}`);

const ACCESS_LEVELS = new Map<unknown, AccessLevel>([
  [0, 0],
  [1, 1],
  [2, 2],
  ['PUBLIC', 0],
  ['USER', 1],
  ['ADMIN', 2],
]);

const accessLevel = z.preprocess(
  (value) =>
    ACCESS_LEVELS.get(
      typeof value === 'string' && /^\d$/.test(value.trim())
        ? Number(value)
        : typeof value === 'string'
          ? value.trim().toUpperCase()
          : value,
    ),
  z.custom<AccessLevel>((level) => level !== undefined, 'must be PUBLIC, USER or ADMIN'),
);

/** A list or its JSON text, as in XML. */
const listOf = <Schema extends z.ZodType>(element: Schema) =>
  z.preprocess((value) => {
    if (value === undefined || value === null || value === '') {
      return [];
    }
    return typeof value === 'string' ? parsedJson(value) : value;
  }, z.array(element));

const Route = z
  .object({
    url: z.string().superRefine((url, context) => {
      const fault = faultOfRoutePattern(url);
      if (fault !== null) {
        context.addIssue(fault);
      }
    }),
    verb: z
      .string()
      .transform((verb) => verb.toUpperCase().replaceAll(/\s+/g, ''))
      .pipe(
        z.string().regex(/^[A-Z]{1,10}(,[A-Z]{1,10})*$/, 'must be verbs with commas: GET,POST'),
      ),
    access_level: accessLevel,
    headers_to_exclude: listOf(z.string().transform((name) => name.toLowerCase())),
    bruteforce_protection: listOf(wholeNumber(100, 599)),
  })
  .transform((route): ExAppRoute => ({
    url: route.url,
    verb: route.verb,
    accessLevel: route.access_level,
    headersToExclude: route.headers_to_exclude,
    bruteforceStatuses: route.bruteforce_protection,
  }));

/** Accepts an array, or `{route: [...]}` from an info.xml that was converted to JSON. */
const routes = z
  .preprocess((value) => {
    const given: unknown = typeof value === 'string' ? (parsedJson(value) ?? value) : value;
    const list: unknown = isObject(given) && 'route' in given ? given['route'] : given;
    return isObject(list) ? [list] : (list ?? []);
  }, z.array(Route))
  .optional();

const Variable = z.object({
  name: text(128),
  description: z.string().default(''),
  default: z.coerce.string().default(''),
});

const Info = z.object({
  id: text(64).optional(),
  appid: text(64).optional(),
  name: text(64).optional(),
  version: text(32).optional(),
  secret: text(256).optional(),
  base_url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .transform((url) => url.replace(/[?#].*$/, '').replace(/\/+$/, ''))
    .optional(),
  daemon_config_name: text(64).optional(),
  port: wholeNumber(1, 65_535).optional(),
  routes,
  'external-app': z.object({ routes }).optional(),
  environment: z.array(Variable).optional(),
  image: text(400).optional(),
  init_timeout: wholeNumber(1, 60 * 24 * 7).optional(),
  system: z.coerce.boolean().optional(),
});

type Info = z.output<typeof Info>;

/**
 * Merges the operator's options, the JSON and the info.xml, in this order of precedence. Unknown keys, and
 * unused ones such as `scopes`, are ignored.
 *
 * @throws InvalidRegistration naming the invalid fields
 */
export function readExAppManifest(sources: ExAppManifestSources): ExAppManifest {
  const fromJson = sources.json === undefined ? {} : parseInfo(sources.json, 'JSON');
  const fromXml = sources.infoXml === undefined ? {} : parseInfo(readXml(sources.infoXml), 'XML');
  const { baseUrl, secret, routes: typedRoutes } = sources;
  const typed = parseInfo({ base_url: baseUrl, secret, routes: typedRoutes }, 'form');
  const info: Info = { ...fromXml, ...withoutGaps(fromJson), ...withoutGaps(typed) };
  const appId = appIdOf(sources.appId, info);
  return {
    appId,
    name: info.name ?? appId,
    version: info.version ?? '0.0.0',
    nameMissing: info.name === undefined,
    versionMissing: info.version === undefined,
    secret: info.secret,
    baseUrl: info.base_url,
    daemonName: sources.daemonName ?? info.daemon_config_name,
    port: info.port,
    routes: info.routes ?? info['external-app']?.routes ?? [],
    environment: info.environment ?? [],
    image: info.image,
    initTimeoutMinutes: info.init_timeout,
    isSystem: info.system ?? false,
  };
}

function appIdOf(typed: string | undefined, info: Info): string {
  const stated = info.id ?? info.appid;
  const appId = typed ?? stated;
  if (appId === undefined) {
    throw new InvalidRegistration('The id of the app is missing.');
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(appId)) {
    throw new InvalidRegistration(
      `The id of an app has 1 to 64 letters, digits, "_", "." or "-"; "${appId}" cannot be one.`,
    );
  }
  if (stated !== undefined && stated !== appId) {
    throw new InvalidRegistration(`The app is called "${appId}" here and "${stated}" in its info.`);
  }
  return appId;
}

function parseInfo(info: unknown, kind: 'JSON' | 'XML' | 'form'): Info {
  const given: unknown = typeof info === 'string' ? parsedJson(info) : info;
  if (!isObject(given)) {
    throw new InvalidRegistration(`The ${kind} about the app cannot be read.`);
  }
  const parsed = Info.safeParse(given);
  if (parsed.success) {
    return parsed.data;
  }
  const faults = parsed.error.issues.map(
    ({ path, message }) => `"${path.map(String).join('.')}" ${clause(message)}`,
  );
  throw new InvalidRegistration(`The ${kind} about the app is not valid: ${faults.join('; ')}.`);
}

/** Messages of Zod are sentences, ours are clauses. */
function clause(message: string): string {
  return /^[a-z]/.test(message) ? message : `is not valid (${message})`;
}

/** Converts an `info.xml` to the keys of the JSON. */
function readXml(xml: string): unknown {
  const refuse = (why: string) => new InvalidRegistration(`The info.xml cannot be read: ${why}.`);
  if (Buffer.byteLength(xml) > MAX_XML_BYTES) {
    throw refuse(`it is larger than ${MAX_XML_BYTES} bytes`);
  }
  if (/<!DOCTYPE/i.test(xml)) {
    throw refuse('it must not have a DOCTYPE');
  }
  const validity = XMLValidator.validate(xml);
  if (validity !== true) {
    throw refuse(`line ${validity.err.line}: ${validity.err.msg}`);
  }
  const document: unknown = new XMLParser({
    parseTagValue: false,
    ignoreAttributes: true,
    isArray: (name) => name === 'route' || name === 'variable',
  }).parse(xml);
  const info = childOf(document, 'info');
  if (!isObject(info)) {
    throw refuse('its root is not <info>');
  }
  const external = childOf(info, 'external-app');
  return {
    id: firstOf(info['id']),
    name: firstOf(info['name']),
    version: firstOf(info['version']),
    routes: listIn(childOf(external, 'routes'), 'route'),
    environment: listIn(childOf(external, 'environment-variables'), 'variable'),
    image: imageIn(childOf(external, 'docker-install')),
  };
}

function imageIn(install: unknown): string | undefined {
  const [registry, image, tag] = ['registry', 'image', 'image-tag'].map((name) =>
    String(childOf(install, name) ?? '').trim(),
  );
  return image ? `${registry ? `${registry}/` : ''}${image}${tag ? `:${tag}` : ''}` : undefined;
}

/** The first of the elements that are repeated per language is the original. */
function firstOf(value: unknown): unknown {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return first === '' ? undefined : first;
}

function listIn(parent: unknown, name: string): unknown {
  const list = childOf(parent, name);
  return Array.isArray(list) ? list : undefined;
}

function childOf(parent: unknown, name: string): unknown {
  return isObject(parent) ? parent[name] : undefined;
}

function withoutGaps(info: Info): Info {
  return Object.fromEntries(
    Object.entries(info).filter(([, value]) => value !== undefined),
  ) as Info;
}

function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
