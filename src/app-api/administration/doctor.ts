import { table } from '../../common/command-line/say.js';
import { isBeingInstalled, stateOf, type ExAppStatus } from '../apps/app-state.js';
import { REFUSED_LINE } from '../apps/log/ex-app-log.service.js';
import type { LogLine } from '../apps/log/log-lines.repository.js';
import type { ServiceLocation } from '../host/service-probe.service.js';
import type { BrowserAccess } from '../proxy/declared-routes.service.js';
import type { Examination, MoreFindings } from './app-records.service.js';

const MOST_WARNINGS = 5;

/** Formats an examination of an app as a table. */
export function describeExamination(
  examination: Examination,
  service: ServiceLocation,
  more: MoreFindings,
): string {
  const { app, browserAccess, heartbeat, initTimeoutMinutes, registeredInVain, warnings } =
    examination;
  const { status } = app;
  return table([
    ['App', `${app.appId} (${app.name}) ${app.version}`],
    ['State', stateOf(app)],
    ['Error', status.error || 'none'],
    ['Under way', underWay(status)],
    ['Initialised', `${status.init} % (limit ${initTimeoutMinutes} min)`],
    ['Last reached', lastReached(app.lastCheckSeconds)],
    ['Address', app.daemonName === null ? app.baseUrl : `${app.baseUrl} (${app.daemonName})`],
    ['Browsers reach', reachOf(browserAccess)],
    ['Heartbeat', `GET ${heartbeat.address}`],
    ['  status', heartbeat.status === null ? 'no answer' : String(heartbeat.status)],
    ['  body', heartbeat.body || '-'],
    ['  error', heartbeat.error || 'none'],
    ['Calls back at', callsBackAt(service)],
    ['Calls refused', refusalsAmong(warnings)],
    ...registeredInVain.map((text, index) => [index === 0 ? 'Has no effect' : '', text]),
    ...more.rows,
    ...warnings
      .slice(-MOST_WARNINGS)
      .map(({ loggedMillis, message }, index) => [
        index === 0 ? 'Latest warnings' : '',
        `${at(loggedMillis)}: ${message}`,
      ]),
  ]);
}

function callsBackAt({ address, answersAt }: ServiceLocation): string {
  if (answersAt === address) {
    return `${address} (answers)`;
  }
  return answersAt === null
    ? `${address} (does not answer this command)`
    : `${address} (does not answer this command; the service answers at ${answersAt})`;
}

/** The latest refusal per reason. */
function refusalsAmong(warnings: readonly LogLine[]): string {
  const latest = new Map(
    warnings
      .filter(({ message }) => message.startsWith(REFUSED_LINE))
      .map(({ loggedMillis, message }) => [message.slice(REFUSED_LINE.length), loggedMillis]),
  );
  const texts = [...latest].map(([text, millis]) => `${text} ${at(millis)}`);
  return texts.slice(-MOST_WARNINGS).join('; ') || 'none';
}

function at(millis: number): string {
  return new Date(millis).toISOString();
}

function underWay(status: ExAppStatus): string {
  const goesOn = isBeingInstalled(status) || status.action !== '';
  return goesOn && status.error === ''
    ? [status.type, status.action].filter(Boolean).join(', ')
    : 'nothing';
}

function reachOf({ routes, closedFiles }: BrowserAccess): string {
  const opened =
    routes.length === 0
      ? 'nothing: the app declares no routes'
      : `the paths of ${routes.length} declared ${routes.length === 1 ? 'route' : 'routes'}`;
  return closedFiles.length === 0 ? opened : `${opened}; not ${closedFiles.join(', ')}`;
}

function lastReached(seconds: number | null): string {
  return seconds === null ? 'never' : new Date(seconds * 1000).toISOString();
}
