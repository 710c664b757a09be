import type { BrowserAccess } from '../proxy/declared-routes.service.js';
import type { KnownApp } from './ex-apps.service.js';
import type { ServiceLocation } from '../host/service-probe.js';
import type { LogLine } from './log/log-lines.repository.js';
import type { RegistrationSummary } from '../capabilities/capability.js';
import type { TrustAnswer } from './trust/app-trust.repository.js';
import type { Daemon } from './daemons/daemon.js';
import type { ExAppRoute } from '../proxy/ex-app-routes.sql.js';

/** The union of the fields of the specification and those that existing apps use. */
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

/** With the fields for administrators. */
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

export function toDaemonJson(daemon: Daemon) {
  return {
    name: daemon.name,
    display_name: daemon.displayName,
    accepts_deploy_id: daemon.acceptsDeployId,
    protocol: daemon.protocol,
    host: daemon.host,
    deploy_config: daemon.deployConfig,
    is_default: daemon.isDefault,
  };
}
