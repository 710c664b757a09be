import { DomainError } from '../common/errors/domain-error.js';

/** No such conversation, or not one of this user's: the two look the same. */
export class ConversationNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(token: string) {
    super(`There is no conversation "${token}" that you take part in.`);
  }
}

export class ModeratorRequired extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('Only moderators of the conversation can do this.');
  }
}

/** A conversation between two people is neither renamed nor extended nor deleted. */
export class NotBetweenTwo extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('A one-to-one conversation cannot be changed like this. Create a group instead.');
  }
}

export class ConversationReadOnly extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('Nobody is left to read this: the account of the other person was deleted.');
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
    super('A one-to-one conversation takes somebody else.');
  }
}

/** Only people of this installation can be invited. */
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
    super('The owner of a conversation can be neither removed nor demoted.');
  }
}

/** Somebody has to be able to invite and to delete. */
export class LastModeratorStays extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('You are the last moderator. Promote somebody else first, or delete the conversation.');
  }
}

export class RoleUnchanged extends DomainError {
  readonly kind = 'malformed';

  constructor() {
    super('The participant has this role already.');
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

/** Of somebody else, and not up to who asks. */
export class NotYourMessage extends DomainError {
  readonly kind = 'forbidden';

  constructor() {
    super('Only the author of a message and moderators can do this.');
  }
}

/** Neither edited, deleted nor reacted to: a message of the system, or one that was deleted. */
export class MessageFixed extends DomainError {
  readonly kind = 'malformed';

  constructor(id: number) {
    super(`Message ${id} is not one that people wrote, or it was deleted.`);
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
    super('There is no such reaction of yours.');
  }
}

export class BotNotFound extends DomainError {
  readonly kind = 'malformed';

  constructor(id: number) {
    super(`There is no bot ${id}, or its external app is not enabled.`);
  }
}

/** The signature is wrong, or the bot takes no part in the conversation: nobody learns which. */
export class BotNotVerified extends DomainError {
  readonly kind = 'unauthenticated';

  constructor() {
    super('The bot could not be verified for this conversation.');
  }
}
