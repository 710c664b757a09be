import type { ExternalApp } from './apps.store.js';

export type AppCondition = 'busy' | 'failed' | 'unreachable' | 'enabled' | 'disabled';

/** The most important state of an app. */
export function conditionOf({ enabled, status }: ExternalApp): AppCondition {
  if (status.error !== '') {
    return 'failed';
  }
  if (status.type !== '' || status.action !== '') {
    return 'busy';
  }
  if (!enabled) {
    return 'disabled';
  }
  return (status.heartbeat_error ?? '') === '' ? 'enabled' : 'unreachable';
}
