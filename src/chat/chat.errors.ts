import { DomainError } from '../common/errors/domain-error.js';

/** The conversation does not exist, or the user is no participant. */
export class ConversationNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(token: string) {
    super(`You are not a participant of any conversation "${token}".`);
  }
}

export class ModeratorRequired extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('Only moderators of the conversation can do this.');
  }
}

/** One-to-one conversations cannot be renamed, extended or deleted. */
export class NotBetweenTwo extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('A one-to-one conversation cannot be changed like this. Create a group instead.');
  }
}

export class ConversationReadOnly extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('This conversation is read-only: the account of the other user was deleted.');
  }
}

export class InviteeNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(userId: string) {
    super(`There is no user "${userId}".`);
  }
}

export class CannotTalkToOneself extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('A one-to-one conversation needs another user.');
  }
}

/** Only users of this installation can be invited. */
export class InvitationSourceUnknown extends DomainError {
  readonly kind = 'malformed';

  constructor(source: string) {
    super(`Participants of the source "${source}" are not supported, only "users".`);
  }
}

export class ParticipantNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor() {
    super('The conversation has no such participant.');
  }
}

export class OwnerStays extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('The owner of a conversation cannot be removed or demoted.');
  }
}

/** A group needs a moderator. */
export class LastModeratorStays extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('You are the last moderator. Promote somebody else first, or delete the conversation.');
  }
}

export class RoleUnchanged extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('The participant already has this role.');
  }
}

export class MessageNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(id: number) {
    super(`The conversation has no message ${id}.`);
  }
}

export class NotReplyable extends DomainError {
  readonly kind = 'malformed';

  constructor(id: number) {
    super(`Message ${id} cannot be replied to: it is not a message of this conversation.`);
  }
}

/** The caller is neither the author nor a moderator. */
export class NotYourMessage extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('Only the author of a message and moderators can do this.');
  }
}

/** A system message or a deleted one cannot be edited, deleted or reacted to. */
export class MessageFixed extends DomainError {
  readonly kind = 'malformed';

  constructor(id: number) {
    super(`Message ${id} is a system message or was deleted.`);
  }
}

export class EditedTooLate extends DomainError {
  readonly kind = 'malformed';

  constructor(hours: number) {
    super(`Messages can be edited for ${hours} hours after they were sent.`);
  }
}

export class ReactionNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor() {
    super('You have not given this reaction.');
  }
}

export class BotNotFound extends DomainError {
  readonly kind = 'malformed';

  constructor(id: number) {
    super(`There is no bot ${id}, or its external app is not enabled.`);
  }
}

/** The signature is wrong or the bot is no member; the response does not tell which. */
export class BotNotVerified extends DomainError {
  readonly kind = 'unauthenticated';

  constructor() {
    super('The bot could not be verified for this conversation.');
  }
}
