import type { Language } from '../../../common/texts/languages.js';
import type { JobKind } from '../../../database/jobs/job-kind.js';

/** Send a link to a new user. The token is made when the mail is sent. */
export interface InvitationJob {
  readonly userId: string;
  /** Language of the inviting user, for a user who has not chosen one. */
  readonly language: Language;
}

/** A request for a link. The existence of the user is checked in the background. */
export interface ResetJob {
  /** A `ResetRequest` as JSON, sealed, in base64, since people type passwords into the wrong field. */
  readonly sealed: string;
}

export interface ResetRequest {
  /** User id or email address, as typed. */
  readonly asked: string;
  readonly language: Language;
}

export const SEALED_FOR = 'request for a password link';

export const INVITATION_JOBS: JobKind<InvitationJob> = {
  name: 'invitation',
  deadlineSeconds: 2 * 24 * 3600,
  retryDelaySeconds: 30,
  longestRetryDelaySeconds: 3600,
  attemptSeconds: 120,
  parallel: 1,
};

export const RESET_JOBS: JobKind<ResetJob> = {
  name: 'password-reset',
  // Later, the user no longer waits for it.
  deadlineSeconds: 3600,
  retryDelaySeconds: 20,
  longestRetryDelaySeconds: 600,
  attemptSeconds: 240,
  parallel: 1,
};

/** Ends with a slash, so that no key is a prefix of another one. */
export function invitationKey(userId: string): string {
  return `user/${userId}/`;
}
