/** Progress of an app's installation. Operators see these names. */
export interface ExAppStatus {
  /** Per cent. */
  readonly deploy: number;
  /** Per cent, as reported by the app; 100 means initialised. */
  readonly init: number;
  readonly action: '' | 'deploy' | 'healthcheck' | 'init';
  /** The current or failed step; reset when it is retried or the app is disabled. */
  readonly type: '' | 'install' | 'update' | 'install failed' | 'update failed';
  /** Empty without an error. */
  readonly error: string;
  /** Unix seconds. */
  readonly init_start_time?: number;
  readonly heartbeat_count?: number;
  /** Error of the latest connection check; empty if it succeeded. */
  readonly heartbeat_error?: string;
}

/** @returns the state of an app as shown to people */
export function stateOf(app: { readonly enabled: boolean; readonly status: ExAppStatus }) {
  const { enabled, status } = app;
  if (enabled) {
    return 'enabled';
  }
  switch (status.type) {
    case '':
      return 'disabled';
    case 'install':
      // The app may still finish after an error that it reported itself.
      return status.error === '' ? 'installing' : 'install failed';
    case 'update':
      return status.error === '' ? 'updating' : 'update failed';
    default:
      return status.type;
  }
}

/**
 * Whether an installation or update is in progress. The app may then call only the routes for its
 * state and status; after a failure it may not call those either.
 */
export function isBeingInstalled({ type }: ExAppStatus): boolean {
  return type === 'install' || type === 'update';
}
