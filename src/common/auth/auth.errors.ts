import { forbidden, preconditionFailed, tooMany, unauthenticated } from '../errors/domain-error.js';

/**
 * Missing or wrong credentials, which look alike. The text is deliberate: elfeed prompts for the
 * password again only for this message, and reports a server error otherwise.
 */
export class CredentialsRequired extends unauthenticated('CORS requires basic auth') {}

/** An external app's credentials are missing or wrong; the message does not say which. */
export class GatewayAuthenticationFailed extends unauthenticated('AppAPI authentication failed') {}

export class TooManyGatewayFailures extends tooMany(
  (retryAfterSeconds: number) =>
    `Too many wrong gateway credentials. Try again in ${retryAfterSeconds} seconds.`,
  (retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

/** What the sender may do changed between the head and the body of the request. */
export class RightsChanged extends forbidden(
  'Your rights have changed while the request was sent. Send it again.',
) {}

/** A change by session or remembered credentials without proof of origin. */
export class CsrfCheckFailed extends preconditionFailed('CSRF check failed', {
  code: 'stale-token',
}) {}

/** An administrator's app password, or an external app acting for one, cannot administer. */
export class AdministrationRefused extends forbidden(
  'An app password or an external app cannot do this. Use a browser, the account password, or an app password with administrator rights.',
) {}

/** The session is too old for this: the user has to prove who they are, and to try again. */
export class ProofRequired extends forbidden(
  'Confirm first that it is you, with your password or a code.',
  { code: 'proof-required' },
) {}

export class AdministratorRequired extends forbidden('Logged in user must be an admin') {}

const SCOPE_SENTENCES = {
  reader: 'This app password is for the feed reader only.',
  files: 'This app password is for files only.',
  reading: 'This app password can read, but change nothing.',
} as const;

/**
 * The scope of the app password does not contain the request.
 *
 * @param limit scope of the app password
 */
export class OutsideOfScope extends forbidden(
  (limit: keyof typeof SCOPE_SENTENCES) => SCOPE_SENTENCES[limit],
) {}
