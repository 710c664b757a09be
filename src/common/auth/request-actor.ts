import { AsyncLocalStorage } from 'node:async_hooks';

/** The actor of the current work, for security events, and for the end of connections that it keeps open. */
export interface RequestActor {
  /** Undefined without a login, and on the command line. */
  readonly userId: string | undefined;
  /** Kind of credential, with the id of an app password or of an external app. */
  readonly credential: string | undefined;
  /** An external app that acts for the user. */
  readonly appId?: string | undefined;
  /** Client address; undefined on the command line. */
  readonly address: string | undefined;
  /** Set when an event of this request was recorded. */
  isRecorded: boolean;
  /** Set when this request changed who has access, perhaps its own. */
  changesAccess: boolean;
  /** Time of its work on the database so far, waits for a connection included. */
  databaseMs: number;
}

export const COMMAND_LINE = 'command line';

const actors = new AsyncLocalStorage<RequestActor>();

/** Runs `work` with an actor. */
export function onBehalfOf<Result>(
  actor: Omit<RequestActor, 'isRecorded' | 'changesAccess' | 'databaseMs'>,
  work: (actor: RequestActor) => Result,
): Result {
  const current = { ...actor, isRecorded: false, changesAccess: false, databaseMs: 0 };
  return actors.run(current, () => work(current));
}

/** Adds the time of this work on the database to its actor's. */
export async function timed<Result>(work: Promise<Result>): Promise<Result> {
  const [actor, begunAt] = [currentActor(), performance.now()];
  return work.finally(() => {
    if (actor !== undefined) {
      actor.databaseMs += performance.now() - begunAt;
    }
  });
}

/** @returns undefined for the service itself */
export function currentActor(): RequestActor | undefined {
  return actors.getStore();
}
