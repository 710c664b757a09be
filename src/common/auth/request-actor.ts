import { AsyncLocalStorage } from 'node:async_hooks';

/** On whose behalf something is done, for the security events. Nothing else may depend on it. */
export interface RequestActor {
  /** Undefined without a login, and on the command line. */
  readonly userId: string | undefined;
  /** Kind of credential, with the id of an app password or of an external app. */
  readonly credential: string | undefined;
  /** Client address; undefined on the command line. */
  readonly address: string | undefined;
  /** Set when an event of this request was recorded. */
  isRecorded: boolean;
}

export const COMMAND_LINE = 'command line';

const actors = new AsyncLocalStorage<RequestActor>();

/** Runs `work` on behalf of somebody. */
export function onBehalfOf<Result>(
  actor: Omit<RequestActor, 'isRecorded'>,
  work: (actor: RequestActor) => Result,
): Result {
  const current = { ...actor, isRecorded: false };
  return actors.run(current, () => work(current));
}

/** @returns undefined for what the service does by itself */
export function currentActor(): RequestActor | undefined {
  return actors.getStore();
}
