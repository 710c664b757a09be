import { DomainError } from '../common/errors/domain-error.js';

/** Nothing is open here to who asks. Does not say whether there is an app, nor what would help. */
export class NotProxied extends DomainError {
  readonly kind = 'not-found';

  constructor() {
    super('There is nothing here.');
  }
}

/** A worker would go on answering for our own pages after its app was removed. */
export class ServiceWorkerRefused extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('Pages of external apps cannot install service workers.');
  }
}

/** The action is not for these files: their kind, the user's permissions, or no file at all. */
export class FileActionNotOffered extends DomainError {
  readonly kind = 'not-found';

  constructor(appId: string, name: string) {
    super(`The external app "${appId}" offers no action "${name}" for the chosen files.`);
  }
}

export class FileActionFailed extends DomainError {
  readonly kind = 'unavailable';

  /** @param reasons what happened, a sentence each */
  constructor(appId: string, name: string, reasons: readonly string[]) {
    super(`The action "${name}" of the external app "${appId}" failed. ${reasons.join(' ')}`);
  }
}

/** The message is the one that operators' scripts know, with what happened after it. */
export class CommandFailed extends DomainError {
  readonly kind = 'unavailable';

  constructor(name: string, reason: string) {
    super(`[${name}] command executeHandler failed: ${reason}`);
  }
}

/** What was typed after a command's name does not fit the command; the message says what. */
export class CommandLineInvalid extends DomainError {
  readonly kind = 'invalid';
}

/** No such bot, or not signed by the chat. The two look the same. */
export class TalkBotNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor() {
    super('There is no such bot.');
  }
}
