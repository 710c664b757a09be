import path from 'node:path';
import { z } from 'zod';
import { readAuthorities } from './authorities.js';
import { readLimits } from './limits.js';
import { NAMED_PARTS, partsSetting, type PartName } from './parts.js';
import { withSecretFiles } from './secret-files.js';
import {
  cidrList,
  httpAddress,
  isCidr,
  isPercentEncoded,
  list,
  longText,
  onOff,
  readBy,
  text,
  wholeNumber,
  settings,
  shapeOf,
  type SettingsClass,
  type SettingsShape,
} from './settings.js';

const exceptionList = list.refine(
  (texts) => texts.every((text) => isCidr(text) || /^[\w.*-]+$/.test(text)),
  'must be host names, and addresses in CIDR form, for instance 10.0.0.0/8',
);

const proxyUrl = z
  .url({ protocol: /^https?$/, error: 'must be an address such as http://proxy.example.org:3128' })
  .refine(
    (text) => isPercentEncoded(text) && process.allowedNodeEnvironmentFlags.has('--use-env-proxy'),
    'needs Node.js 22.21 or 24.5, and must have user and password percent-encoded',
  );

const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a postgresql:// address',
});

/** An origin, or a pattern of origins with `*` as the first label. */
const originPattern = z
  .string()
  .toLowerCase()
  .transform((text) => text.replace(/\/$/, ''))
  .refine(
    (text) => /^https?:\/\/(?:\*\.)?[a-z0-9.[\]:-]+$/.test(text) && isOrigin(text),
    'must be an origin such as https://apps.example.org or https://*.apps.example.org',
  );

const COMMON = {
  GATEFOLD_HOST: text.default('127.0.0.1').describe('Address to listen on'),
  GATEFOLD_PORT: wholeNumber(0, 65_535)
    .default(8080)
    .describe('Port to listen on; 0 takes any free port'),
  GATEFOLD_DATA_DIR: text
    .default('./data')
    .describe('Folder for the embedded database, keys and files'),
  DATABASE_URL: postgresUrl
    .describe('PostgreSQL 15 or newer to use instead of the embedded one')
    .meta({ isSecret: true }),
  DATABASE_DIRECT_URL: postgresUrl
    .describe(
      'The same database without the connection pooler by transaction that DATABASE_URL names',
    )
    .meta({ isSecret: true, needs: 'DATABASE_URL' }),
  GATEFOLD_SECRET_KEY: longText(32)
    .describe('Key that encrypts stored secrets; default: secret.key in the data folder')
    .meta({ isSecret: true }),
  GATEFOLD_BACKUP_PASSPHRASE: longText(12)
    .describe(
      'Passphrase that encrypts the secret key in backups, and opens it in a restore; unset: backups are without the key',
    )
    .meta({ isSecret: true }),
  GATEFOLD_DATABASE_CONNECTIONS: wholeNumber(4, 500)
    .default(20)
    .describe('Maximum database connections per process'),
  GATEFOLD_DATABASE_WAIT_SECONDS: wholeNumber(1, 300)
    .default(10)
    .describe('Timeout for a free database connection; then requests get 503'),
  GATEFOLD_STATEMENT_SECONDS: wholeNumber(0, 3600)
    .default(60)
    .describe('Timeout of a database statement of a request; then it gets 503; 0: none'),
  GATEFOLD_BACKGROUND_STATEMENT_SECONDS: wholeNumber(0, 86_400)
    .default(600)
    .describe('The same for background work and commands; migrations have none'),
  GATEFOLD_LOCK_SECONDS: wholeNumber(0, 3600)
    .default(20)
    .describe('Timeout of a statement that waits for a lock in the database; 0: none'),
  GATEFOLD_DRAIN_SECONDS: wholeNumber(0, 300)
    .default(0)
    .describe('Time to serve on after SIGTERM while not ready, for load balancers to notice'),
  GATEFOLD_SHUTDOWN_SECONDS: wholeNumber(1, 600)
    .default(14)
    .describe('Timeout of a shutdown, after draining; then the process exits with work unfinished'),
  GATEFOLD_ALLOW_NEWER_SCHEMA: onOff
    .default(false)
    .describe('Start on a database that a newer version of Gatefold has migrated'),
  GATEFOLD_BASE_URL: httpAddress
    .transform((url) => url.replace(/\/+$/, ''))
    .describe(
      'Public address with path prefix; default: http://host:port. Publishers see it in the user agent if it is https at a public name',
    ),
  GATEFOLD_APPS_ORIGIN: originPattern
    .describe(
      'Origin of its own for pages of external apps; with * one per app; see operations/external-apps.md. Unset: they share the origin of Gatefold',
    )
    .meta({ needs: 'GATEFOLD_BASE_URL' }),
  GATEFOLD_CLAIMED_VERSION: wholeNumber(29, 33)
    .default(33)
    .describe(
      'Major version of Nextcloud that clients and external apps are told; 29 for apps with old SDKs, which register their providers up to 29 only',
    ),
  GATEFOLD_TRUSTED_PROXIES: cidrList
    .default([])
    .describe('Reverse proxies whose X-Forwarded-* headers are trusted'),
  GATEFOLD_PROOF_MINUTES: wholeNumber(0, 1440)
    .default(15)
    .describe(
      'Minutes after which a browser asks for the password or a code again, before administration and changes to logins; 0: never',
    ),
  GATEFOLD_FETCH_ALLOW_PRIVATE: cidrList
    .default([])
    .describe('Private addresses from which feeds may be fetched'),
  GATEFOLD_OUTGOING_PROXY: proxyUrl
    .describe('Proxy for outgoing requests, http:// or https://, with user and password')
    .meta({ isSecret: true }),
  GATEFOLD_OUTGOING_PROXY_EXCEPT: exceptionList
    .default([])
    .describe('Servers reached without it: names, with all names below them, and CIDR ranges')
    .meta({ needs: 'GATEFOLD_OUTGOING_PROXY' }),
  GATEFOLD_CA_FILE: readBy(readAuthorities).describe(
    'PEM file with certificates of authorities to trust beside the built-in ones, in all connections; see operations/private-authorities.md',
  ),
  GATEFOLD_PARTS: partsSetting
    .default(new Set(NAMED_PARTS))
    .describe(
      'What the service consists of, and what each of these needs; see docs/operations/parts.md',
    ),
  GATEFOLD_PICTURES: z
    .enum(['direct', 'proxy'])
    .default('direct')
    .describe(
      'Pictures of articles on the pages: direct, loaded by browsers from the publishers; proxy, through this service',
    ),
  GATEFOLD_DISK_RESERVE_MIB: wholeNumber(0, 1_000_000)
    .default(1024)
    .describe(
      'Disk space, in MiB, that uploads leave free, at most 5 % of the disk; 0 disables it',
    ),
  GATEFOLD_LIMITS: readBy(readLimits)
    .default(readLimits(''))
    .describe('Limits other than the defaults, e.g. files-per-user=1000; see operations/limits.md'),
  GATEFOLD_RATE_LIMITS: onOff
    .default(true)
    .describe('Throttle failed logins, and limit concurrent expensive requests per user'),
  GATEFOLD_CONNECTIONS: wholeNumber(10, 100_000)
    .default(2000)
    .describe('Maximum client connections per process'),
  GATEFOLD_CONNECTIONS_PER_ADDRESS: wholeNumber(1, 100_000)
    .default(500)
    .describe('Maximum client connections per address or IPv6 /64; trusted proxies are exempt'),
  GATEFOLD_ANONYMOUS_BODY_KIB: wholeNumber(16, 1024)
    .default(64)
    .describe('Maximum size, in KiB, of an unauthenticated request body'),
  GATEFOLD_ANONYMOUS_BODIES_MIB: wholeNumber(1, 1024)
    .default(8)
    .describe('Maximum memory, in MiB, for such bodies; one address may use a quarter of it'),
  GATEFOLD_ANONYMOUS_BODY_SECONDS: wholeNumber(1, 300)
    .default(20)
    .describe('Timeout for receiving such a body'),
  GATEFOLD_USER_BODIES_MIB: wholeNumber(10, 4096)
    .default(32)
    .describe('Maximum memory, in MiB, for request bodies of one user or external app'),
  GATEFOLD_METRICS_PORT: wholeNumber(0, 65_535).describe(
    'Port of its own for /metrics; 0 takes any free port. Unset: none',
  ),
  GATEFOLD_METRICS_HOST: text.default('127.0.0.1').describe('Address to listen on for that port'),
  GATEFOLD_METRICS_TOKEN: longText(16)
    .describe('Bearer token for /metrics at the port of the service. Unset: not served there')
    .meta({ isSecret: true }),
  GATEFOLD_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Minimum level of log lines'),
  GATEFOLD_LOG_FORMAT: z
    .enum(['text', 'json'])
    .default('text')
    .describe('text for terminals, json for log collectors'),
  GATEFOLD_TRACES: z
    .enum(['off', 'otlp'])
    .default('off')
    .describe('Traces by OpenTelemetry; OTEL_EXPORTER_OTLP_ENDPOINT and the like say where to')
    .meta({ turnsOn: 'tracing' }),
};

/**
 * The settings that several rooms use; those of one subject are beside it, in `x.settings.ts`. Injected, as those are;
 * nothing else reads the environment. `dataDir` is absolute; `parts` has those that their own settings turn on.
 */
export class Config extends settings('GATEFOLD_', COMMON) {
  /** All settings by their classes, these as well. */
  readonly subjects: ReadonlyMap<SettingsClass, object>;

  /** @param values of all settings, by the names of environment variables */
  constructor(values: Readonly<Record<string, unknown>>, subjects: readonly SettingsClass[] = []) {
    super(values);
    Object.assign(this, {
      dataDir: path.resolve(this.dataDir),
      parts: new Set([...this.parts, ...turnedOn(values, shapeOf([Config, ...subjects]))]),
    });
    const others = subjects.map((subject) => [subject, new subject(values)] as const);
    this.subjects = new Map<SettingsClass, object>([[Config, this], ...others]);
  }

  /** The settings of a subject, which are injected as well. */
  of<Settings extends object>(subject: SettingsClass<Settings>): Settings {
    return this.subjects.get(subject) as Settings;
  }

  /** Pages of apps must be of another origin, and get none of the cookies of Gatefold. */
  static override faultsOf({ appsOrigin: origin, baseUrl }: Config): string[] {
    if (origin === undefined || baseUrl === undefined) {
      return [];
    }
    const { hostname, protocol } = new URL(baseUrl);
    const [, star, name = ''] = /^(\*\.)?(.*)$/.exec(hostnameOfPattern(origin)) ?? [];
    const rules = {
      'have another host name than GATEFOLD_BASE_URL, because all ports of a name share their cookies':
        star === undefined ? hostname === name : hostname.endsWith(`.${name}`),
      'be https, as GATEFOLD_BASE_URL is, because browsers show nothing else there':
        protocol === 'https:' && !origin.startsWith('https:'),
    };
    return Object.entries(rules)
      .filter(([, isBroken]) => isBroken)
      .map(([rule]) => `GATEFOLD_APPS_ORIGIN must ${rule}, but is "${origin}".`);
  }
}

/** Lists all faults together. */
export class InvalidConfiguration extends Error {
  constructor(readonly faults: readonly string[]) {
    super(
      `The configuration has ${faults.length} fault(s):\n${faults.map((f) => `  ${f}`).join('\n')}`,
    );
    this.name = 'InvalidConfiguration';
  }
}

/**
 * Reads the settings from environment variables, secrets also from files. An empty variable counts as
 * unset.
 *
 * @param subjects with settings of their own; `src/settings.ts` has all of them
 * @throws InvalidConfiguration naming every invalid variable, its rule and its value
 */
export function readConfig(
  variables: Readonly<Record<string, string | undefined>>,
  subjects: readonly SettingsClass[],
): Config {
  const shape = shapeOf([Config, ...subjects]);
  const secrets = Object.keys(shape).filter((name) => shape[name]?.meta()?.isSecret);
  const { env, faults: faultsOfFiles } = withSecretFiles(variables, secrets);
  const given = Object.fromEntries(
    Object.keys(shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith('GATEFOLD_') && !(name in shape),
  );
  const parsed = z.object(shape).partial().safeParse(given);
  const config = parsed.data && new Config(parsed.data, subjects);
  const all = [...(config?.subjects ?? [])];
  const faults = [
    ...faultsOfFiles,
    ...(parsed.error?.issues ?? []).map((issue) => describeFault(issue, given, shape)),
    ...missingPartners(given, shape),
    ...all.flatMap(([subject, settings]) => subject.faultsOf(settings)),
    ...unknown.map((name) => `${name} is not a setting of Gatefold; see docs/configuration.md.`),
  ];
  if (config === undefined || faults.length > 0) {
    throw new InvalidConfiguration(faults);
  }
  return config;
}

/** Parts whose own settings have other values than the defaults. */
function turnedOn(values: Readonly<Record<string, unknown>>, shape: SettingsShape): PartName[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const { turnsOn } = schema.meta() ?? {};
    return turnsOn === undefined || values[name] === defaultOf(schema) ? [] : [turnsOn];
  });
}

const defaultOf = (schema: z.ZodType | undefined): unknown => schema?.safeParse(undefined).data;

function missingPartners(given: Readonly<Record<string, unknown>>, shape: SettingsShape): string[] {
  return Object.keys(given).flatMap((name) => {
    const { needs, needsOneOf } = shape[name]?.meta() ?? {};
    const isDefault = shape[name]?.safeParse(given[name]).data === defaultOf(shape[name]);
    const lacksAll = needsOneOf?.every((other) => !(other in given)) === true && !isDefault;
    return [
      ...(needs === undefined || needs in given ? [] : [`${name} needs ${needs} to be set, too.`]),
      ...(lacksAll
        ? [`${name}=${given[name]} needs one of ${needsOneOf.join(', ')} to be set, too.`]
        : []),
    ];
  });
}

function describeFault(
  issue: z.core.$ZodIssue,
  given: Readonly<Record<string, string | undefined>>,
  shape: SettingsShape,
): string {
  const name = String(issue.path[0]);
  const { isSecret, mayNameKeys } = shape[name]?.meta() ?? {};
  const shown = isSecret || mayNameKeys ? '' : `, but is "${given[name]}"`;
  const rule =
    issue.code === 'invalid_value' ? `must be one of ${issue.values.join(', ')}` : issue.message;
  return `${name} ${rule}${shown}.`;
}

/** Browsers do not accept `*` in a name. */
function hostnameOfPattern(origin: string): string {
  const plain = URL.parse(origin.replace('://*.', '://'))?.hostname ?? '';
  return origin.includes('://*.') ? `*.${plain}` : plain;
}

function isOrigin(text: string): boolean {
  const plain = text.replace('://*.', '://');
  const url = URL.parse(plain);
  // Omits the default port of the scheme.
  return (
    url !== null && url.hostname !== '' && url.pathname === '/' && plain.startsWith(url.origin)
  );
}
