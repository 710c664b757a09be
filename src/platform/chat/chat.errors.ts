import {
  forbidden,
  invalid,
  malformed,
  notFound,
  unauthenticated,
} from '../../common/errors/domain-error.js';

/** The conversation does not exist, or the user is no participant. */
export class ConversationNotFound extends notFound(
  (token: string) => `You are not a participant of any conversation "${token}".`,
) {}

export class ModeratorRequired extends forbidden(
  'Only moderators of the conversation can do this.',
) {}

/** One-to-one conversations cannot be renamed, extended or deleted. */
export class NotBetweenTwo extends malformed(
  'A one-to-one conversation cannot be changed like this. Create a group instead.',
) {}

export class ConversationReadOnly extends forbidden(
  'This conversation is read-only: the account of the other user was deleted.',
) {}

export class InviteeNotFound extends notFound(
  (userId: string) => `There is no user "${userId}".`,
) {}

export class CannotTalkToOneself extends malformed(
  'A one-to-one conversation needs another user.',
) {}

/** The user is in as many conversations as the limits allow. */
export class InviteeIsFull extends invalid(
  (userId: string) =>
    `"${userId}" cannot be added to more conversations, and has to leave some of them first.`,
) {}

/** Only users of this installation can be invited. */
export class InvitationSourceUnknown extends malformed(
  (source: string) => `Participants of the source "${source}" are not supported, only "users".`,
) {}

export class ParticipantNotFound extends notFound('The conversation has no such participant.') {}

export class OwnerStays extends forbidden(
  'The owner of a conversation cannot be removed or demoted.',
) {}

/** A group needs a moderator. */
export class LastModeratorStays extends malformed(
  'You are the last moderator. Promote somebody else first, or delete the conversation.',
) {}

export class RoleUnchanged extends malformed('The participant already has this role.') {}

export class MessageNotFound extends notFound(
  (id: number) => `The conversation has no message ${id}.`,
) {}

export class NotReplyable extends malformed(
  (id: number) => `Message ${id} cannot be replied to: it is not a message of this conversation.`,
) {}

/** The caller is neither the author nor a moderator. */
export class NotYourMessage extends forbidden(
  'Only the author of a message and moderators can do this.',
) {}

/** A system message or a deleted one cannot be edited, deleted or reacted to. */
export class MessageFixed extends malformed(
  (id: number) => `Message ${id} is a system message or was deleted.`,
) {}

export class EditedTooLate extends malformed(
  (hours: number) => `Messages can be edited for ${hours} hours after they were sent.`,
) {}

export class ReactionNotFound extends notFound('You have not given this reaction.') {}

export class BotNotFound extends malformed(
  (id: number) => `There is no bot ${id}, or its external app is not enabled.`,
) {}

/** The signature is wrong or the bot is no member; the response does not reveal which. */
export class BotNotVerified extends unauthenticated(
  'The bot could not be verified for this conversation.',
) {}
