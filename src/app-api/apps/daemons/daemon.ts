import type { AppDaemonEntity } from './app-daemon.entity.js';

/** A host that external apps run on. */
export type Daemon = Readonly<
  Pick<
    AppDaemonEntity,
    'name' | 'displayName' | 'acceptsDeployId' | 'protocol' | 'host' | 'deployConfig' | 'isDefault'
  >
>;

/** The only supported value of `acceptsDeployId`: the operator runs the processes. */
export const MANUAL_INSTALL = 'manual-install';
