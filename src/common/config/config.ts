import ipaddr from 'ipaddr.js';
import path from 'node:path';
import { z } from 'zod';
import { readFilesStore, type BucketSettings } from './files-store.js';
import { readLimits } from './limits.js';
import { NAMED_PARTS, partsSetting, type ConfiguredPart, type PartName } from './parts.js';
import { withSecretFiles } from './secret-files.js';

const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');

const wholeNumber = (from: number, to: number) =>
  z.coerce
    .number({ error: `must be a whole number from ${from} to ${to}` })
    .int(`must be a whole number from ${from} to ${to}`)
    .min(from, `must be a whole number from ${from} to ${to}`)
    .max(to, `must be a whole number from ${from} to ${to}`);

const text = z.string().min(1);

const longText = (characters: number) =>
  z.string().min(characters, `must have at least ${characters} characters`);

const list = z.string().transform((text) => text.split(/[\s,]+/).filter(Boolean));

const cidrList = list.refine(
  (cidrs) => cidrs.every(isCidr),
  'must be addresses in CIDR form, for instance 10.0.0.0/8',
);

const exceptionList = list.refine(
  (texts) => texts.every((text) => isCidr(text) || /^[\w.*-]+$/.test(text)),
  'must be host names, and addresses in CIDR form, for instance 10.0.0.0/8',
);

const contactList = list.refine(
  (uris) => uris.every((uri) => /^(?:mailto:|tel:|https:\/\/)[!-~]+$/.test(uri)),
  'must be addresses such as mailto:security@example.org or https://example.org/report',
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

const httpAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

const smtpUrl = z
  .url({
    protocol: /^smtps?$/,
    error: 'must be an address such as smtps://user:password@mail.example.org',
  })
  .refine((text) => {
    const { hostname = '', pathname = '', search = '', hash = '' } = URL.parse(text) ?? {};
    return hostname !== '' && /^\/?$/.test(pathname) && search === '' && hash === '';
  }, 'must have a host, and neither a path nor parameters')
  .refine((text) => isPercentEncoded(text), 'must have user and password percent-encoded');

const sender = z
  .string()
  .regex(
    /^(?:[^<>\r\n]{1,100} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
    'must be an address such as gatefold@example.org or Gatefold <gatefold@example.org>',
  );

const ldapUrl = z
  .url({ protocol: /^ldaps?$/, error: 'must be an address such as ldaps://ldap.example.org' })
  .refine((text) => {
    const { hostname = '', pathname = '', username = '', search = '' } = URL.parse(text) ?? {};
    return hostname !== '' && /^\/?$/.test(pathname) && username === '' && search === '';
  }, 'must have a host, and neither a path nor a user');

const attributeName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of an attribute, such as uid');

/** @param gap that it must contain */
const ldapFilter = (gap: RegExp, names: string) =>
  z
    .string()
    .refine(
      (text) => /^\(.+\)$/s.test(text) && gap.test(text) && hasBalancedParentheses(text),
      `must be a filter in parentheses that contains ${names}`,
    );

/** An origin, or a pattern of origins with `*` as the first label. */
const originPattern = z
  .string()
  .toLowerCase()
  .transform((text) => text.replace(/\/$/, ''))
  .refine(
    (text) => /^https?:\/\/(?:\*\.)?[a-z0-9.[\]:-]+$/.test(text) && isOrigin(text),
    'must be an origin such as https://apps.example.org or https://*.apps.example.org',
  );

/** @param read throws an error with the rule that a text breaks */
const readBy = <Value>(read: (text: string) => Value) =>
  z.string().transform((given, context): Value => {
    try {
      return read(given);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

const filesStore = readBy(readFilesStore);

/**
 * Every setting: its environment variable, default, unit and meaning. `docs/configuration.md` holds the
 * same table, and a test compares the two. Values of an `isSecret` are not shown and may be read from a
 * file, named by the variable with `_FILE`; values with `mayNameKeys` are not shown either: such addresses
 * may contain keys. `needs` names a setting that must be given as well.
 */
export const SETTINGS = z.object({
  // The process, its data and its database
  GATEFOLD_HOST: text.default('127.0.0.1').describe('Address to listen on'),
  GATEFOLD_PORT: wholeNumber(0, 65_535)
    .default(8080)
    .describe('Port to listen on; 0 takes any free port'),
  GATEFOLD_DATA_DIR: text
    .default('./data')
    .describe('Folder for the embedded database, keys and files'),
  DATABASE_URL: postgresUrl
    .optional()
    .describe('PostgreSQL 15 or newer to use instead of the embedded one')
    .meta({ isSecret: true }),
  DATABASE_DIRECT_URL: postgresUrl
    .optional()
    .describe(
      'The same database without the connection pooler by transaction that DATABASE_URL names',
    )
    .meta({ isSecret: true, needs: 'DATABASE_URL' }),
  GATEFOLD_SECRET_KEY: longText(32)
    .optional()
    .describe('Key that encrypts stored secrets; default: secret.key in the data folder')
    .meta({ isSecret: true }),
  GATEFOLD_BACKUP_PASSPHRASE: longText(12)
    .optional()
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

  // Addresses
  GATEFOLD_BASE_URL: httpAddress
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Public address with path prefix; default: http://host:port. Publishers see it in the user agent if it is https at a public name',
    ),
  GATEFOLD_APPS_ORIGIN: originPattern
    .optional()
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

  // Accounts and passwords
  GATEFOLD_ADMIN_USER: text.default('admin').describe('Administrator that the first start creates'),
  GATEFOLD_ADMIN_PASSWORD: text
    .optional()
    .describe(
      'Password of that administrator; unset: generated and shown once. Ignored, with a warning, once an administrator exists',
    )
    .meta({ isSecret: true }),
  GATEFOLD_SHORTEST_PASSWORD: wholeNumber(8, 128)
    .default(10)
    .describe('Minimum length of passwords, from 8 to 128'),
  GATEFOLD_LONGEST_APP_PASSWORD_DAYS: wholeNumber(0, 3650)
    .default(0)
    .describe('Days after which a new app password ends at the latest; 0: never'),
  GATEFOLD_SECOND_FACTOR: z
    .enum(['optional', 'administrators', 'required'])
    .default('optional')
    .describe(
      'Who needs a second factor to log in with a password: nobody, administrators or everybody; who has none sets one up at the next login',
    ),
  GATEFOLD_PROOF_MINUTES: wholeNumber(0, 1440)
    .default(15)
    .describe(
      'Minutes after which a browser asks for the password or a code again, before administration and changes to logins; 0: never',
    ),

  // Mail
  GATEFOLD_SMTP_URL: smtpUrl
    .optional()
    .describe(
      'Mail server, smtp:// (with STARTTLS) or smtps://, with user and password. Unset: no mail is sent',
    )
    .meta({ isSecret: true, needs: 'GATEFOLD_MAIL_FROM' }),
  GATEFOLD_MAIL_FROM: sender
    .optional()
    .describe('Sender of mails, such as Gatefold <gatefold@example.org>')
    .meta({ needs: 'GATEFOLD_SMTP_URL' }),
  GATEFOLD_INVITATION_DAYS: wholeNumber(1, 90)
    .default(7)
    .describe('Days for which the link of an invitation is valid'),

  // OpenID Connect
  GATEFOLD_OIDC_ISSUER: httpAddress
    .optional()
    .describe('Issuer address of an OpenID Connect provider for logins')
    .meta({ needs: 'GATEFOLD_OIDC_CLIENT_ID' }),
  GATEFOLD_OIDC_CLIENT_ID: text
    .optional()
    .describe('Client id of Gatefold at that provider')
    .meta({ needs: 'GATEFOLD_OIDC_ISSUER' }),
  GATEFOLD_OIDC_CLIENT_SECRET: text
    .optional()
    .describe('Client secret; unset for a public client')
    .meta({ isSecret: true }),
  GATEFOLD_OIDC_NAME: text
    .max(60, 'must have at most 60 characters')
    .default('OpenID Connect')
    .describe('Name of the provider on the login page'),
  GATEFOLD_OIDC_SCOPES: z
    .string()
    .regex(/^(?:.* )?openid(?: .*)?$/, 'must contain the word openid')
    .default('openid profile email')
    .describe('Requested scopes, separated by spaces'),
  GATEFOLD_OIDC_USER_CLAIM: text
    .default('preferred_username')
    .describe('Claim with the user name for a first login'),
  GATEFOLD_OIDC_CREATE_ACCOUNTS: onOff.default(true).describe('Create an account at a first login'),
  GATEFOLD_OIDC_LINK_ACCOUNTS: onOff
    .default(false)
    .describe('Link a first OIDC login to an existing account of the same name'),
  GATEFOLD_OIDC_GROUPS_CLAIM: text.default('groups').describe('Claim with the names of groups'),
  GATEFOLD_OIDC_FOLLOW_GROUPS: onOff
    .default(false)
    .describe('At each login, put the user into the groups of that claim'),
  GATEFOLD_OIDC_GROUP_PREFIX: z
    .string()
    .regex(/^[^/\p{Cc}]{0,30}$/u, 'must have at most 30 characters, and no slash')
    .optional()
    .describe('Put before the names of such groups'),
  GATEFOLD_OIDC_ADMIN_GROUP: text
    .optional()
    .describe(
      'Value in that claim that grants administrator rights; unset: rights are not changed',
    ),

  // LDAP
  GATEFOLD_LDAP_URL: ldapUrl
    .optional()
    .describe('Directory for logins with a password, ldaps:// or ldap:// (with StartTLS)')
    .meta({ needs: 'GATEFOLD_LDAP_USER_BASE' }),
  GATEFOLD_LDAP_START_TLS: onOff
    .default(true)
    .describe('Encrypt connections to ldap:// addresses; off only within one machine'),
  GATEFOLD_LDAP_CA_FILE: text
    .optional()
    .describe('PEM file with the certificates of authorities for that server'),
  GATEFOLD_LDAP_BIND_DN: text
    .optional()
    .describe('Distinguished name with which the service searches; unset: anonymously')
    .meta({ needs: 'GATEFOLD_LDAP_BIND_PASSWORD' }),
  GATEFOLD_LDAP_BIND_PASSWORD: text
    .optional()
    .describe('Its password')
    .meta({ isSecret: true, needs: 'GATEFOLD_LDAP_BIND_DN' }),
  GATEFOLD_LDAP_USER_BASE: text
    .optional()
    .describe('Where users are searched')
    .meta({ needs: 'GATEFOLD_LDAP_URL' }),
  GATEFOLD_LDAP_USER_FILTER: ldapFilter(/\{login\}/, '{login}')
    .optional()
    .describe('Filter for users, with {login}; default: GATEFOLD_LDAP_LOGIN_ATTRIBUTE equals it'),
  GATEFOLD_LDAP_LOGIN_ATTRIBUTE: attributeName
    .default('uid')
    .describe('Attribute with the user name for a first login'),
  GATEFOLD_LDAP_NAME_ATTRIBUTE: attributeName
    .default('cn')
    .describe('Attribute with the display name'),
  GATEFOLD_LDAP_MAIL_ATTRIBUTE: attributeName
    .default('mail')
    .describe('Attribute with the email address'),
  GATEFOLD_LDAP_GROUP_BASE: text
    .optional()
    .describe('Where groups are searched; unset: groups are not followed'),
  GATEFOLD_LDAP_GROUP_FILTER: ldapFilter(/\{(?:login|dn)\}/, '{dn} or {login}')
    .optional()
    .describe(
      'Filter for the groups of a user, with {dn} or {login}; default: member or uniqueMember is {dn}, or memberUid is {login}',
    ),
  GATEFOLD_LDAP_ADMIN_GROUP: text
    .optional()
    .describe('Group (cn) that grants administrator rights; unset: rights are not changed')
    .meta({ needs: 'GATEFOLD_LDAP_GROUP_BASE' }),
  GATEFOLD_LDAP_LINK_ACCOUNTS: onOff
    .default(false)
    .describe('Link a first LDAP login to an existing account of the same name'),
  GATEFOLD_LDAP_CHECK_MINUTES: wholeNumber(0, 10_080)
    .default(60)
    .describe('Minutes between checks whether the users are still in the directory; 0: none'),

  // SCIM, and logins by a reverse proxy
  GATEFOLD_SCIM_TOKEN: longText(32)
    .optional()
    .describe('Bearer token of a provisioning service for /scim/v2. Unset: not served')
    .meta({ isSecret: true }),
  GATEFOLD_SCIM_LINK_ACCOUNTS: onOff
    .default(false)
    .describe('Let SCIM manage existing accounts of the same name, except administrators'),
  GATEFOLD_TRUSTED_LOGIN_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header')
    .optional()
    .describe('Header in which GATEFOLD_TRUSTED_PROXIES send the name of the logged-in user')
    .meta({ needs: 'GATEFOLD_TRUSTED_PROXIES' }),
  GATEFOLD_TRUSTED_LOGIN_CREATE_ACCOUNTS: onOff
    .default(false)
    .describe('Create an account for an unknown user in that header'),

  // Outgoing requests
  GATEFOLD_FETCH_ALLOW_PRIVATE: cidrList
    .default([])
    .describe('Private addresses from which feeds may be fetched'),
  GATEFOLD_OUTGOING_PROXY: proxyUrl
    .optional()
    .describe('Proxy for outgoing requests, http:// or https://, with user and password')
    .meta({ isSecret: true }),
  GATEFOLD_OUTGOING_PROXY_EXCEPT: exceptionList
    .default([])
    .describe('Servers reached without it: names, with all names below them, and CIDR ranges')
    .meta({ needs: 'GATEFOLD_OUTGOING_PROXY' }),

  // Feeds and articles
  GATEFOLD_SCHEDULER: onOff
    .default(true)
    .describe('on fetches feeds in this process; off expects an external updater'),
  GATEFOLD_UPDATE_INTERVAL_SECONDS: wholeNumber(60, 604_800)
    .default(3600)
    .describe('Maximum time between updates of a healthy feed'),
  GATEFOLD_FETCHES: wholeNumber(1, 1000)
    .default(128)
    .describe('Feeds that the scheduler fetches at the same time, per process'),
  GATEFOLD_FETCH_TRANSFER_MIB: wholeNumber(1, 32)
    .default(5)
    .describe('MiB of a feed that are transferred; of a larger one the beginning is read'),
  GATEFOLD_FETCH_DOCUMENT_MIB: wholeNumber(1, 32)
    .default(10)
    .describe('The same after decompression; more memory and time per feed'),
  GATEFOLD_REFRESH_REST_SECONDS: wholeNumber(0, 86_400)
    .default(60)
    .describe('Refreshes by users skip feeds that were fetched more recently'),
  GATEFOLD_REFRESH_FEEDS: wholeNumber(1, 100_000)
    .default(500)
    .describe('Maximum feeds per refresh by a user, least recently fetched first'),
  GATEFOLD_REFRESH_FEEDS_PER_HOUR: wholeNumber(1, 1_000_000)
    .default(2000)
    .describe('Maximum feeds that refreshes of one user fetch per hour'),
  GATEFOLD_KEEP_READ_ITEMS: wholeNumber(0, 1_000_000)
    .default(200)
    .describe('Read, unstarred items kept per feed by the clean-up; 0 keeps all'),
  GATEFOLD_READ_ITEMS_GRACE_DAYS: wholeNumber(0, 3650)
    .default(14)
    .describe(
      'Days after its last change before the clean-up may remove an item, so that all clients can sync it',
    ),
  GATEFOLD_KEEP_ARTICLES_DAYS: wholeNumber(0, 36_500)
    .default(90)
    .describe('Days before articles without items are removed; 0 keeps all'),
  GATEFOLD_REMEMBERED_ARTICLES: wholeNumber(0, 10_000_000)
    .default(20_000)
    .describe('Removed articles remembered per source, so that they do not come back as new'),
  GATEFOLD_WEBSUB: z
    .enum(['auto', 'on', 'off'])
    .default('auto')
    .describe('Subscribe to WebSub hubs; auto: when GATEFOLD_BASE_URL is public and https'),

  // Parts, pages and tasks
  GATEFOLD_PARTS: partsSetting
    .default(new Set(NAMED_PARTS))
    .describe(
      'What the service consists of, and what each of these needs; see docs/operations/parts.md',
    ),
  GATEFOLD_API_DOCS: onOff
    .default(true)
    .describe('Show users who are logged in descriptions of the APIs at /api/docs'),
  GATEFOLD_PICTURES: z
    .enum(['direct', 'proxy'])
    .default('direct')
    .describe(
      'Pictures of articles on the pages: direct, loaded by browsers from the publishers; proxy, through this service',
    ),
  GATEFOLD_PICTURES_CACHE_MIB: wholeNumber(0, 10_000_000)
    .default(1024)
    .describe('Maximum size, in MiB, of such pictures kept in the data folder; 0 keeps none'),
  GATEFOLD_LARGEST_PICTURE_MIB: wholeNumber(1, 100)
    .default(10)
    .describe('Maximum size, in MiB, of such a picture'),
  GATEFOLD_LARGEST_RECORDING_MIB: wholeNumber(1, 2000)
    .default(100)
    .describe('Maximum size, in MiB, of a recording to transcribe'),
  GATEFOLD_LARGEST_TASK_FILE_MIB: wholeNumber(1, 100_000)
    .default(200)
    .describe('Maximum size, in MiB, of a file that an external app adds to a task'),
  GATEFOLD_LONGEST_TASK_HOURS: wholeNumber(1, 24 * 30)
    .default(24)
    .describe('Hours after which a task of task processing fails unless it has ended'),
  GATEFOLD_KEEP_NOTIFICATIONS_DAYS: wholeNumber(0, 36_500)
    .default(90)
    .describe('Days before undismissed notifications are removed; 0 keeps all'),

  // Files
  GATEFOLD_FILES_STORE: filesStore
    .default('folder')
    .describe(
      'Where contents of files are stored: folder, that is in the data folder; or an object store, e.g. s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-1&path-style=true; see operations/storage.md',
    )
    .meta({ mayNameKeys: true }),
  GATEFOLD_FILES_FORMER_STORE: filesStore
    .refine((store) => store !== 'folder', 'must be an object store; the folder is always read')
    .optional()
    .describe('An object store from which contents are still read, until files:move has ended')
    .meta({ mayNameKeys: true }),
  GATEFOLD_S3_ACCESS_KEY_ID: text
    .optional()
    .describe('Id of the access key for the object stores')
    .meta({ isSecret: true }),
  GATEFOLD_S3_SECRET_ACCESS_KEY: text
    .optional()
    .describe('Secret of that access key')
    .meta({ isSecret: true }),
  GATEFOLD_S3_CONNECTIONS: wholeNumber(1, 1000)
    .default(64)
    .describe('Maximum connections to an object store per process'),
  GATEFOLD_S3_SECONDS: wholeNumber(1, 600)
    .default(30)
    .describe('Timeout of an object store that sends nothing; then requests get 503'),
  GATEFOLD_FILES_QUOTA_BYTES: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .default(10 * 1024 ** 3)
    .describe(
      'Storage quota per user, in bytes; 0 sets no limit. Accounts may have one of their own (operations/accounts.md)',
    ),
  GATEFOLD_TRASH_DAYS: wholeNumber(0, 36_500)
    .default(30)
    .describe('Days before deleted files leave the trash; 0 deletes files at once, without trash'),
  GATEFOLD_PREVIEW_CACHE_MIB: wholeNumber(1, 1_000_000)
    .default(256)
    .describe('Disk space, in MiB, for resized pictures; the least recently used are deleted'),
  GATEFOLD_DISK_RESERVE_MIB: wholeNumber(0, 1_000_000)
    .default(1024)
    .describe(
      'Disk space, in MiB, that uploads leave free, at most 5 % of the disk; 0 disables it',
    ),

  // Limits, security and audit log
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
  GATEFOLD_KEEP_FAILED_LOGINS: wholeNumber(100, 10_000_000)
    .default(100_000)
    .describe('Maximum rows per table of failed logins, their counters and wrong secrets'),
  GATEFOLD_SECURITY_CONTACT: contactList
    .default([])
    .describe('Addresses for reports of weaknesses, shown in /.well-known/security.txt'),
  GATEFOLD_KEEP_AUDIT_DAYS: wholeNumber(0, 36_500)
    .default(90)
    .describe('Days before entries of the audit log are removed; 0 keeps all'),
  GATEFOLD_AUDIT_IN_LOG: onOff
    .default(false)
    .describe('Write entries of the audit log to the log, too, for collectors'),
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

  // Metrics, log and traces
  GATEFOLD_METRICS_PORT: wholeNumber(0, 65_535)
    .optional()
    .describe('Port of its own for /metrics; 0 takes any free port. Unset: none'),
  GATEFOLD_METRICS_HOST: text.default('127.0.0.1').describe('Address to listen on for that port'),
  GATEFOLD_METRICS_TOKEN: longText(16)
    .optional()
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
    .describe('Traces by OpenTelemetry; OTEL_EXPORTER_OTLP_ENDPOINT and the like say where to'),
});

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the beginning; otherwise STARTTLS. */
  readonly usesTls: boolean;
  /** Undefined for a server without login. */
  readonly login: { readonly user: string; readonly password: string } | undefined;
  /** An address, or `Name <address>`. */
  readonly from: string;
}

/** Settings of the login by a reverse proxy's header. */
export interface TrustedLoginSettings {
  /** Header name in lower case. */
  readonly header: string;
  readonly createAccounts: boolean;
}

type Values = z.output<typeof SETTINGS>;

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;
type WithoutPrefix<Name, Prefix extends string> = Name extends `${Prefix}${infer Rest}`
  ? CamelCase<Rest>
  : never;

/** Settings with a prefix, by the rest of their names in camel case. */
type Group<Prefix extends string> = {
  readonly [Name in keyof Values as WithoutPrefix<Name, Prefix>]: Values[Name];
};

function groupOf<Prefix extends string>(values: Values, prefix: Prefix): Group<Prefix> {
  return Object.fromEntries(
    Object.keys(SETTINGS.shape)
      .filter((name) => name.startsWith(prefix))
      .map((name) => [
        name
          .slice(prefix.length)
          .toLowerCase()
          .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
        values[name as keyof Values],
      ]),
  ) as Group<Prefix>;
}

/** `GATEFOLD_PROOF_MINUTES` is the property `proofMinutes`. */
const Settings = class {
  constructor(values: Values) {
    Object.assign(this, groupOf(values, 'GATEFOLD_'));
  }
} as unknown as new (values: Values) => Omit<Group<'GATEFOLD_'>, 'parts' | 'filesFormerStore'>;

/** The parsed settings. Injected; nothing else reads the environment. */
export class Config extends Settings {
  /** Absolute. */
  override readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly databaseDirectUrl: string | undefined;
  readonly statementLimits: {
    readonly requestSeconds: number;
    readonly backgroundSeconds: number;
    readonly lockSeconds: number;
  };
  /** Undefined when no mail is sent. */
  readonly mail: MailSettings | undefined;
  readonly oidc: OidcSettings | undefined;
  readonly ldap: LdapSettings | undefined;
  readonly trustedLogin: TrustedLoginSettings | undefined;
  readonly parts: ReadonlySet<PartName>;
  readonly filesFormerStore: BucketSettings | undefined;
  /** Credentials of the object stores. */
  readonly s3: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly connections: number;
    readonly silenceSeconds: number;
  };

  constructor(settings: Values) {
    super(settings);
    this.dataDir = path.resolve(settings.GATEFOLD_DATA_DIR);
    this.databaseUrl = settings.DATABASE_URL;
    this.databaseDirectUrl = settings.DATABASE_DIRECT_URL;
    this.statementLimits = {
      requestSeconds: settings.GATEFOLD_STATEMENT_SECONDS,
      backgroundSeconds: settings.GATEFOLD_BACKGROUND_STATEMENT_SECONDS,
      lockSeconds: settings.GATEFOLD_LOCK_SECONDS,
    };
    this.mail = mailSettings(settings);
    this.oidc = oidcSettings(settings);
    this.ldap = ldapSettings(settings);
    this.trustedLogin = trustedLoginSettings(settings);
    this.parts = new Set([...settings.GATEFOLD_PARTS, ...configuredParts(settings)]);
    const former = settings.GATEFOLD_FILES_FORMER_STORE;
    this.filesFormerStore = former === 'folder' ? undefined : former;
    this.s3 = {
      accessKeyId: settings.GATEFOLD_S3_ACCESS_KEY_ID ?? '',
      secretAccessKey: settings.GATEFOLD_S3_SECRET_ACCESS_KEY ?? '',
      connections: settings.GATEFOLD_S3_CONNECTIONS,
      silenceSeconds: settings.GATEFOLD_S3_SECONDS,
    };
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
 * @throws InvalidConfiguration naming every invalid variable, its rule and its value
 */
export function loadConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const secrets = Object.keys(SETTINGS.shape).filter((name) => metaOf(name)['isSecret']);
  const { env, faults: faultsOfFiles } = withSecretFiles(variables, secrets);
  const given = Object.fromEntries(
    Object.keys(SETTINGS.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const unknown = Object.keys(env).filter(
    (name) => name.startsWith('GATEFOLD_') && !(name in SETTINGS.shape),
  );
  const parsed = SETTINGS.safeParse(given);
  const faults = [
    ...faultsOfFiles,
    ...(parsed.error?.issues ?? []).map((issue) => describeFault(issue, given)),
    ...missingPartners(given),
    ...faultsOfAppsOrigin(parsed.data),
    ...faultsOfStores(parsed.data),
    ...unknown.map((name) => `${name} is not a setting of Gatefold; see docs/configuration.md.`),
  ];
  if (!parsed.success || faults.length > 0) {
    throw new InvalidConfiguration(faults);
  }
  return new Config(parsed.data);
}

/** Metadata of a setting; empty for an unknown name. */
const metaOf = (name: string) => SETTINGS.shape[name as keyof Values]?.meta() ?? {};

function missingPartners(given: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(given).flatMap((name) => {
    const { needs } = metaOf(name);
    return needs === undefined || String(needs) in given
      ? []
      : [`${name} needs ${String(needs)} to be set, too.`];
  });
}

/** Object stores need keys, and the former one must be another. */
function faultsOfStores(settings: Values | undefined): string[] {
  const { GATEFOLD_FILES_STORE: store, GATEFOLD_FILES_FORMER_STORE: former } = settings ?? {};
  const buckets = [store, former].filter((one) => one !== undefined && one !== 'folder');
  const keys = ['GATEFOLD_S3_ACCESS_KEY_ID', 'GATEFOLD_S3_SECRET_ACCESS_KEY'] as const;
  const missing = buckets.length === 0 ? [] : keys.filter((name) => settings?.[name] === undefined);
  const [one, other] = buckets;
  return [
    ...missing.map((name) => `An object store for files needs ${name} to be set, too.`),
    ...(one !== undefined && one.address === other?.address
      ? ['GATEFOLD_FILES_FORMER_STORE must be another object store than GATEFOLD_FILES_STORE.']
      : []),
  ];
}

/** Pages of apps must be of another origin, and get none of the cookies of Gatefold. */
function faultsOfAppsOrigin(settings: Values | undefined): string[] {
  const { GATEFOLD_APPS_ORIGIN: origin, GATEFOLD_BASE_URL: baseUrl } = settings ?? {};
  if (origin === undefined || baseUrl === undefined) {
    return [];
  }
  const { hostname, protocol } = new URL(baseUrl);
  const [, star, name = ''] = /^(\*\.)?(.*)$/.exec(hostnameOfPattern(origin)) ?? [];
  const isOurs = star === undefined ? hostname === name : hostname.endsWith(`.${name}`);
  return [
    ...(isOurs
      ? [
          `GATEFOLD_APPS_ORIGIN must have another host name than GATEFOLD_BASE_URL, because all ports of a name share their cookies, but is "${origin}".`,
        ]
      : []),
    ...(protocol === 'https:' && !origin.startsWith('https:')
      ? [
          `GATEFOLD_APPS_ORIGIN must be https, as GATEFOLD_BASE_URL is, because browsers show nothing else there, but is "${origin}".`,
        ]
      : []),
  ];
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

const SMTP_PORTS = { submission: 587, submissions: 465 } as const;

function mailSettings(settings: Values): MailSettings | undefined {
  const { GATEFOLD_SMTP_URL: url, GATEFOLD_MAIL_FROM: from } = settings;
  if (url === undefined || from === undefined) {
    return undefined;
  }
  const { protocol, hostname, port, username, password } = new URL(url);
  const usesTls = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (usesTls ? SMTP_PORTS.submissions : SMTP_PORTS.submission)),
    usesTls,
    login:
      username === ''
        ? undefined
        : { user: decodeURIComponent(username), password: decodeURIComponent(password) },
    from,
  };
}

/** Whether user and password of an address can be decoded. */
function isPercentEncoded(address: string): boolean {
  const { username = '', password = '' } = URL.parse(address) ?? {};
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

export type OidcSettings = NonNullable<ReturnType<typeof oidcSettings>>;

function oidcSettings(values: Values) {
  const group = groupOf(values, 'GATEFOLD_OIDC_');
  const { issuer, clientId } = group;
  if (issuer === undefined || clientId === undefined) {
    return undefined;
  }
  /** Undefined when groups are not followed. */
  const groupPrefix = group.followGroups ? (group.groupPrefix ?? '') : undefined;
  return { ...group, issuer, clientId, groupPrefix };
}

export type LdapSettings = NonNullable<ReturnType<typeof ldapSettings>>;

const MEMBERS = '(|(member={dn})(uniqueMember={dn})(memberUid={login}))';

function ldapSettings(values: Values) {
  const group = groupOf(values, 'GATEFOLD_LDAP_');
  const { url, userBase, bindDn: dn, bindPassword: password = '', loginAttribute } = group;
  if (url === undefined || userBase === undefined) {
    return undefined;
  }
  return {
    ...group,
    url,
    userBase,
    startTls: url.startsWith('ldap:') && group.startTls,
    /** Undefined for anonymous searches. */
    bind: dn === undefined ? undefined : { dn, password },
    userFilter: group.userFilter ?? `(${loginAttribute}={login})`,
    groupFilter: group.groupFilter ?? MEMBERS,
  };
}

function hasBalancedParentheses(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    if (depth < 0) {
      return false;
    }
  }
  return depth === 0;
}

function trustedLoginSettings(settings: Values): TrustedLoginSettings | undefined {
  const header = settings.GATEFOLD_TRUSTED_LOGIN_HEADER?.toLowerCase();
  const createAccounts = settings.GATEFOLD_TRUSTED_LOGIN_CREATE_ACCOUNTS;
  return header === undefined ? undefined : { header, createAccounts };
}

function describeFault(issue: z.core.$ZodIssue, given: Record<string, string | undefined>): string {
  const name = String(issue.path[0]);
  const { isSecret, mayNameKeys } = metaOf(name);
  const shown = isSecret === true || mayNameKeys === true ? '' : `, but is "${given[name]}"`;
  const rule =
    issue.code === 'invalid_value' ? `must be one of ${issue.values.join(', ')}` : issue.message;
  return `${name} ${rule}${shown}.`;
}

function isCidr(text: string): boolean {
  return ipaddr.isValidCIDR(text);
}

/** Parts that their own settings turn on. */
function configuredParts(settings: Values): ConfiguredPart[] {
  const stores = [settings.GATEFOLD_FILES_STORE, settings.GATEFOLD_FILES_FORMER_STORE];
  const configured: Readonly<Record<ConfiguredPart, boolean>> = {
    ldap: settings.GATEFOLD_LDAP_URL !== undefined,
    scim: settings.GATEFOLD_SCIM_TOKEN !== undefined,
    oidc: settings.GATEFOLD_OIDC_ISSUER !== undefined,
    mail: settings.GATEFOLD_SMTP_URL !== undefined,
    'object-store': stores.some((store) => store !== undefined && store !== 'folder'),
    tracing: settings.GATEFOLD_TRACES === 'otlp',
  };
  return (Object.keys(configured) as ConfiguredPart[]).filter((part) => configured[part]);
}
