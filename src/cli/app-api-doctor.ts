import { isBeingInstalled, stateOf } from '../app-api/app-state.js';
import type { BrowserAccess } from '../app-api/declared-routes.service.js';
import type { Examination } from '../app-api/ex-apps.service.js';
import type { ExAppStatus } from '../app-api/store/ex-apps.repository.js';
import { table } from './say.js';

export interface ServiceSeen {
  /** Where apps are told to call Gatefold. */
  readonly address: string;
  readonly answers: boolean;
}

/** All that is known of an app that does not do what it should, for people. */
export function describeExamination(examination: Examination, service: ServiceSeen): string {
  const { app, browserAccess, heartbeat, initTimeoutMinutes } = examination;
  const { status } = app;
  return table([
    ['App', `${app.appId} (${app.name}) ${app.version}`],
    ['State', stateOf(app)],
    ['Initialised', `${status.init} % (limit ${initTimeoutMinutes} min)`],
    ['Under way', underWay(status)],
    ['Error', status.error || 'none'],
    ['Last reached', lastReached(app.lastCheckSeconds)],
    ['Address', app.daemonName === null ? app.baseUrl : `${app.baseUrl} (${app.daemonName})`],
    ['Browsers reach', reachOf(browserAccess)],
    ['Heartbeat', `GET ${heartbeat.address}`],
    ['  status', heartbeat.status === null ? 'no answer' : String(heartbeat.status)],
    ['  body', heartbeat.body || '-'],
    ['  error', heartbeat.error || 'none'],
    ['Calls back at', `${service.address} (${service.answers ? 'answers' : 'does not answer'})`],
  ]);
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
      : `what ${routes.length} declared ${routes.length === 1 ? 'route opens' : 'routes open'}`;
  return closedFiles.length === 0 ? opened : `${opened}; closed are ${closedFiles.join(', ')}`;
}

function lastReached(seconds: number | null): string {
  return seconds === null ? 'never' : new Date(seconds * 1000).toISOString();
}
