import { invalid, notFound, tooMany } from '../../../common/errors/domain-error.js';

export class ChannelNotFound extends notFound((id: number) => `There is no channel ${id}.`) {}

export class InvalidChannel extends invalid((rule: string) => `The channel ${rule}.`) {}

export class NoticeNotFound extends notFound((id: number) => `There is no failed notice ${id}.`) {}

export class InvalidChannelName extends invalid(
  (rule: string) => `The name of a channel ${rule}.`,
) {}

export class PushNotOffered extends invalid(
  'Push notices need GATEFOLD_BASE_URL with a public https address, or a mail sender with a public domain.',
) {}

export class TooManyTrials extends tooMany(
  (retryAfterSeconds: number) => `Too many trials. Try again in ${retryAfterSeconds} s.`,
  (retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

/** Says why. */
export class MailNotOffered extends invalid() {}

/** Says why. */
export class NotSentOn extends invalid() {}

export class TooManySentOn extends tooMany(
  (retryAfterSeconds: number) =>
    `You sent on too many articles. Try again in ${retryAfterSeconds} s.`,
  (retryAfterSeconds) => ({ retryAfterSeconds }),
) {}
