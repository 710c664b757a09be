import { DomainError } from '../../../common/errors/domain-error.js';

export class ExAppAlreadyRegistered extends DomainError {
  readonly kind = 'conflict';

  constructor(appId: string) {
    super(`ExApp \`${appId}\` is already registered.`);
  }
}

/** There is no such daemon, or none was named and there is no usual one. */
export class DaemonNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(name: string | undefined) {
    super(
      name === undefined
        ? 'It is not known where the app runs: name a daemon, or give its address as "base_url".'
        : `There is no daemon "${name}"; app_api:daemon:list shows those that there are.`,
    );
  }
}

export class DaemonAlreadyRegistered extends DomainError {
  readonly kind = 'conflict';

  constructor(name: string) {
    super(`There is already a daemon "${name}".`);
  }
}

export class DaemonInUse extends DomainError {
  readonly kind = 'conflict';

  constructor(name: string, appIds: readonly string[]) {
    super(`The daemon "${name}" is in use by ${appIds.join(', ')}; unregister these apps first.`);
  }
}

/** Somebody else is changing the state of the app. */
export class ExAppBusy extends DomainError {
  readonly kind = 'conflict';

  constructor(appId: string, busyWith: string) {
    super(
      `ExApp \`${appId}\` is busy: ${busyWith || 'its state is being changed'}. Try again later.`,
    );
  }
}

/** The work on the app ended in the middle: the process stops, or somebody else took over. */
export class LifecycleInterrupted extends DomainError {
  readonly kind = 'conflict';
}

/** The app did not do its part. The message is what operators find in its status too. */
export class LifecycleFailed extends DomainError {
  readonly kind = 'unavailable';
}
