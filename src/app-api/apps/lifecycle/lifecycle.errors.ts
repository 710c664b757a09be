import { conflict, notFound, unavailable } from '../../../common/errors/domain-error.js';

export class ExAppAlreadyRegistered extends conflict(
  (appId: string) => `ExApp \`${appId}\` is already registered.`,
) {}

export class InitStatusRejected extends notFound(
  'The progress must be a number from 0 to 100, and the error a text.',
) {}

/** Another caller holds the app's lease. */
export class ExAppBusy extends conflict(
  (appId: string, busyWith: string) =>
    `ExApp \`${appId}\` is busy: ${busyWith || 'its state is being changed'}. Try again later.`,
) {}

/** The lease was lost or the process stops. */
export class LifecycleInterrupted extends conflict() {}

/** The app did not answer or refused. The message is also the error of its status. */
export class LifecycleFailed extends unavailable() {}
