import { CommandMisused } from '../common/command-line/command-refused.js';
import { forbidden, malformed, notFound, unavailable } from '../common/errors/domain-error.js';

export class ExAppNotFound extends notFound((appId: string) => `ExApp \`${appId}\` not found`) {}

export class ExAppDisabled extends unavailable(
  (appId: string) => `The external app "${appId}" is disabled.`,
) {}

/** An invalid manifest, daemon or registration; the message names the field. */
export class InvalidRegistration extends malformed() {}

/** No response from the app, or not in time. The message has the address, for operators and developers only. */
export class ExAppUnreachable extends unavailable() {
  override readonly told: string;

  constructor(appName: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.told = `The app "${appName}" does not answer at the moment. Try again later.`;
  }
}

/** The calling app has no such registration. */
export class RegistrationNotFound extends notFound() {}

export class DeadLetterNotFound extends notFound(
  (id: string) => `There is no dead letter "${id}".`,
) {}

/** An invalid key or value. */
export class ConfigValueRejected extends malformed() {}

export class UnknownSetting extends malformed(
  (appId: string, formId: string, fieldId: string) =>
    `There is no setting "${fieldId}" in a form "${formId}" of the app "${appId}".`,
) {}

/** Closed to this caller. Does not reveal whether the app exists, or the required rights. */
export class NotProxied extends notFound('Not found.') {}

/** A browser asks for a page of an app on our origin, although apps have their own. */
export class NotOnThisOrigin extends forbidden(
  (origin: string) =>
    `Pages of this external app are at ${origin}. Open the app in the menu of Gatefold.`,
) {}

/** A service worker would keep intercepting requests of the host after its app was removed. */
export class ServiceWorkerRefused extends forbidden(
  'Pages of external apps cannot install service workers.',
) {}

/** The action does not apply to the selection: MIME type, permissions, or empty. */
export class FileActionNotOffered extends notFound(
  (appId: string, name: string) =>
    `The external app "${appId}" offers no action "${name}" for the chosen files.`,
) {}

/** Users read this: it has the names for people. @param reasons one sentence each */
export class FileActionFailed extends unavailable(
  (appName: string, action: string, reasons: readonly string[]) =>
    `The action "${action}" of the app "${appName}" failed. ${reasons.join(' ')}`,
) {}

/** The message begins as scripts of operators expect. */
export class CommandFailed extends unavailable(
  (name: string, reason: string) => `[${name}] command executeHandler failed: ${reason}`,
) {}

/** Invalid arguments or options. */
export class CommandLineInvalid extends CommandMisused {}

/** No such bot, or a wrong signature; indistinguishable on purpose. */
export class TalkBotNotFound extends notFound('There is no such bot.') {}

/**
 * The user has not allowed the app to act.
 *
 * @param state `asked`: the user has not decided yet
 */
export class ConsentRequired extends forbidden(
  (appId: string, state: 'asked' | 'granted' | 'refused') =>
    state === 'refused'
      ? `The user has refused the app "${appId}" the use of the feed reader, and can change that in Settings > App access.`
      : `The user has not yet allowed the app "${appId}" to use the feed reader. A notification asks for it; the user decides in Settings > App access.`,
) {}

export class ConsentInPerson extends forbidden(
  'Apps are allowed in a browser or with the account password only.',
) {}
