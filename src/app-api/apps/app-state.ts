import type { ExApp, ExAppStatus } from './ex-apps.repository.js';

/** One word or two for what an app is, for people. */
export type AppState =
  'enabled' | 'disabled' | 'installing' | 'updating' | 'install failed' | 'update failed';

export function stateOf({ enabled, status }: Pick<ExApp, 'enabled' | 'status'>): AppState {
  if (enabled) {
    return 'enabled';
  }
  switch (status.type) {
    case '':
      return 'disabled';
    case 'install':
      // The app may still go on after an error that it reported itself.
      return status.error === '' ? 'installing' : 'install failed';
    case 'update':
      return status.error === '' ? 'updating' : 'update failed';
    default:
      return status.type;
  }
}

/**
 * Whether an installation or an update goes on. The app's credentials then count for its state and
 * status alone; a failure ends even that.
 */
export function isBeingInstalled({ type }: ExAppStatus): boolean {
  return type === 'install' || type === 'update';
}
