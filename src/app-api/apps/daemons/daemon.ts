import { conflict, notFound } from '../../../common/errors/domain-error.js';
import { entityOf, p } from '../../../database/entity-of.js';

/** No daemon of that name, or no name given and no default daemon. */
export class DaemonNotFound extends notFound((name: string | undefined) =>
  name === undefined
    ? 'It is not known where the app runs: name a daemon, or give its address as "base_url".'
    : `There is no daemon "${name}"; app_api:daemon:list shows all daemons.`,
) {}

export class DaemonAlreadyRegistered extends conflict(
  (name: string) => `There is already a daemon "${name}".`,
) {}

export class DaemonInUse extends conflict(
  (name: string, appIds: readonly string[]) =>
    `The daemon "${name}" is in use by ${appIds.join(', ')}; unregister these apps first.`,
) {}

/** A host that external apps run on, as the `app_api:daemon:*` commands know it. */
export class AppDaemonEntity extends entityOf('app_daemon', {
  name: p.text().primary(),
  displayName: p.text(),
  /** `manual-install`: the operator runs the processes. */
  acceptsDeployId: p.text(),
  protocol: p.text(),
  /** Host name or address; the port is the app's. */
  host: p.text(),
  deployConfig: p.json().$type<Readonly<Record<string, unknown>>>().defaultRaw("'{}'::jsonb"),
  isDefault: p.boolean().default(false),
}) {}

/** A host that external apps run on. */
export type Daemon = Readonly<
  Pick<
    AppDaemonEntity,
    'name' | 'displayName' | 'acceptsDeployId' | 'protocol' | 'host' | 'deployConfig' | 'isDefault'
  >
>;

/** The only supported value of `acceptsDeployId`: the operator runs the processes. */
export const MANUAL_INSTALL = 'manual-install';
