import { z } from 'zod';
import type { KnownApp } from '../apps/lifecycle/ex-apps.service.js';
import type { LogLine } from '../apps/log/log-lines.repository.js';
import type { ExAppRoute } from '../apps/routes/ex-app-routes.repository.js';
import type { TrustAnswer } from '../apps/trust/app-trust.repository.js';
import type { RegistrationSummary } from '../capabilities/capability.js';
import type { ServiceLocation } from '../host/service-probe.service.js';
import type { BrowserAccess } from '../proxy/declared-routes.service.js';

/** The union of the specification's fields and the fields that existing apps use. */
export function toExAppJson(app: KnownApp) {
  return {
    id: app.appId,
    name: app.name,
    version: app.version,
    enabled: app.enabled,
    status: app.status,
    last_check_time: app.lastCheckSeconds ?? 0,
    system: app.isSystem,
  };
}

/** The JSON of an app, with the fields for administrators. */
export function toManagedAppJson(app: KnownApp) {
  return {
    ...toExAppJson(app),
    base_url: app.baseUrl,
    daemon: app.daemonName,
    previous_secret_until: app.previousSecretUntilSeconds ?? 0,
  };
}

/** The answer about trust in external apps; null before the first one. */
export function toTrustJson(answer: TrustAnswer | null) {
  return (
    answer && {
      user_id: answer.userId,
      answered_at: Math.floor(answer.answeredAt.getTime() / 1000),
    }
  );
}

export function toBrowserAccessJson({ routes, closedFiles }: BrowserAccess) {
  return { routes: routes.map(toRouteJson), closed_to_browsers: closedFiles };
}

function toRouteJson(route: ExAppRoute) {
  return {
    url: route.url,
    verb: route.verb,
    access_level: route.accessLevel,
    headers_to_exclude: route.headersToExclude,
    bruteforce_protection: route.bruteforceStatuses,
  };
}

export function toCallsBackJson({ address, answersAt }: ServiceLocation) {
  return { address, answers: answersAt === address };
}

export function toLogLineJson({ loggedMillis, level, source, message }: LogLine) {
  return { time: new Date(loggedMillis).toISOString(), level, source, message };
}

export function toAnnouncedJson({ kind, name, displayName }: RegistrationSummary) {
  return { kind, name, display_name: displayName };
}

const ExAppStatusSchema = z
  .object({
    deploy: z.number(),
    init: z.number(),
    action: z.string(),
    type: z.string(),
    error: z.string(),
    init_start_time: z.int().optional(),
    heartbeat_count: z.int().optional(),
    heartbeat_error: z.string().optional(),
  })
  .partial()
  .meta({ id: 'ExAppStatus' });

const exAppFields = {
  id: z.string(),
  name: z.string(),
  version: z.string(),
  enabled: z.boolean(),
  status: ExAppStatusSchema,
  last_check_time: z.int().describe('Unix seconds; 0 before the first check.'),
  system: z.boolean(),
};

const ManagedAppSchema = z
  .object({
    ...exAppFields,
    base_url: z.string(),
    daemon: z.string().nullable(),
    previous_secret_until: z.int().describe('Unix seconds, or 0.'),
  })
  .meta({ id: 'ManagedApp' });

export const HeartbeatSchema = {
  alive: z.boolean(),
  address: z.string(),
  status: z.int().nullable(),
  body: z.string(),
  error: z.string(),
};

const accessFields = {
  routes: z.array(
    z.object({
      url: z.string(),
      verb: z.string(),
      access_level: z.union([z.int(), z.string()]),
      headers_to_exclude: z.array(z.string()),
      bruteforce_protection: z.array(z.int()),
    }),
  ),
  closed_to_browsers: z.array(z.string()),
};

export const ExAppAnswer = z.object(exAppFields).meta({ id: 'ExApp' });

export const ExAppsAnswer = z.array(ExAppAnswer);

export const EmptyObjectAnswer = z.object({});

export const ManagedAppsAnswer = z.object({
  apps: z.array(ManagedAppSchema),
  trust: z.object({ user_id: z.string().nullable(), answered_at: z.int() }).nullable(),
});

export const RegisteredAppAnswer = z.object({
  app: ManagedAppSchema,
  secret: z.string().describe('Shown only now.'),
  environment: z.unknown(),
});

export const NewSecretAnswer = z.object({ app: ManagedAppSchema, secret: z.string() });

export const UpdatingAnswer = z.object({ updating: z.boolean() });

export const ChangedAnswer = z.object({ changed: z.boolean() });

export const DisabledAnswer = z.object({ changed: z.boolean(), complaint: z.string().nullable() });

export const ExAppStatusAnswer = ExAppStatusSchema;

export const AppInfoAnswer = z.object({
  app: ManagedAppSchema,
  ...accessFields,
  init_timeout_minutes: z.int(),
  registrations: z.array(
    z.object({ kind: z.string(), name: z.string(), display_name: z.string() }),
  ),
  registered_in_vain: z
    .array(z.string())
    .optional()
    .describe('What has no effect; one sentence each.'),
});

export const AppLogAnswer = z.object({
  lines: z.array(
    z.object({
      time: z.string(),
      level: z.union([z.int(), z.string()]),
      source: z.string(),
      message: z.string(),
    }),
  ),
});

export const CheckedAppAnswer = z.object({
  app: ManagedAppSchema,
  ...accessFields,
  init_timeout_minutes: z.int(),
  heartbeat: z.object(HeartbeatSchema),
  calls_back_at: z.object({ address: z.string(), answers: z.boolean() }),
});
