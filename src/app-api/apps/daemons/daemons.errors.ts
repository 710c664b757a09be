import { conflict, notFound } from '../../../common/errors/domain-error.js';

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
