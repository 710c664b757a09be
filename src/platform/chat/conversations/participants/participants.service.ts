import { Injectable } from '@nestjs/common';
import { Config } from '../../../../common/config/config.js';
import { assertBelowLimit } from '../../../../common/errors/limit-reached.js';
import { UserDirectory, type Account } from '../../../../common/ports/user-directory.js';
import {
  InvitationSourceUnknown,
  InviteeIsFull,
  InviteeNotFound,
  LastModeratorStays,
  OwnerStays,
  ParticipantNotFound,
  RoleUnchanged,
} from '../../chat.errors.js';
import { ChatNotificationsService } from '../chat-notifications.service.js';
import { ConversationWriter, type LockedConversation } from '../conversation-writer.service.js';
import { assertGroupModerator, ConversationsService } from '../conversations.service.js';
import { DisplayNames } from '../display-names.service.js';
import {
  ConversationType,
  isBetweenTwo,
  isModerator,
  ParticipantType,
} from '../model/conversation.js';
import type { Membership, ConversationSummary } from '../model/conversations.repository.js';
import { actorParameter, actorOf, type Actor } from '../model/message.js';
import { ParticipantsRepository, type Participant } from '../model/participants.repository.js';
import { roomFor } from '../room-for.js';

export interface NamedParticipant extends Participant {
  readonly displayName: string;
}

/** Participants of conversations and their roles. */
@Injectable()
export class ParticipantsService {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly participants: ParticipantsRepository,
    private readonly writer: ConversationWriter,
    private readonly notifications: ChatNotificationsService,
    private readonly directory: UserDirectory,
    private readonly displayNames: DisplayNames,
    private readonly config: Config,
  ) {}

  async list(userId: string, token: string): Promise<NamedParticipant[]> {
    const { conversation } = await this.conversations.show(userId, token);
    const participants = await this.participants.list(conversation.id);
    const names = await this.displayNames.of(participants.map((one) => one.userId));
    return participants.map((one) => ({
      ...one,
      displayName: names.get(one.userId) ?? one.userId,
    }));
  }

  /**
   * Does nothing for a participant.
   *
   * @throws InviteeNotFound
   * @throws InviteeIsFull
   * @throws InvitationSourceUnknown
   */
  async invite(account: Account, token: string, inviteeId: string, source: string): Promise<void> {
    assertGroupModerator(await this.conversations.show(account.userId, token));
    if (source !== 'users') {
      throw new InvitationSourceUnknown(source);
    }
    const invitee = InviteeNotFound.unless(await this.directory.find(inviteeId), inviteeId);
    const invitedTo = await this.writer.change(token, account.userId, async (open) => {
      assertGroupModerator(open);
      const added = await this.#add(open, account, invitee, ParticipantType.user);
      return added ? open.conversation : null;
    });
    if (invitedTo !== null) {
      await this.notifications.invitation(invitedTo, actorOf(account), invitee.userId);
    }
  }

  /** Opens a conversation. Opening a public one is joining it. */
  async enter(account: Account, token: string): Promise<ConversationSummary> {
    await this.writer.changeAsSystem(async (_tx, openByToken) => {
      const open = await openByToken(token);
      if (open?.conversation.type === ConversationType.public) {
        await this.#add(open, account, account, ParticipantType.selfJoined);
      }
    });
    const summary = await this.conversations.show(account.userId, token);
    await this.notifications.withdraw(account.userId, token);
    return summary;
  }

  /**
   * Removes the caller. The last participant to leave deletes the conversation.
   *
   * @throws LastModeratorStays
   */
  async leave(account: Account, token: string): Promise<void> {
    const { conversation } = await this.conversations.show(account.userId, token);
    const name = await this.conversations.nameFor(conversation);
    await this.writer.change(token, account.userId, (open) =>
      this.#leave(open, actorOf(account), name),
    );
    await this.notifications.withdraw(account.userId, token);
  }

  /**
   * @throws ParticipantNotFound
   * @throws OwnerStays
   */
  async remove(account: Account, token: string, which: ParticipantRef): Promise<void> {
    // Read before the lock, see `DisplayNames`.
    const known = await this.list(account.userId, token);
    const removedId = await this.writer.change(token, account.userId, async (open) => {
      assertGroupModerator(open);
      const removed = await this.#find(open, which);
      if (removed.id === open.self.id) {
        await this.#leave(open, actorOf(account), open.conversation.name);
        return removed.userId;
      }
      if (removed.type === ParticipantType.owner) {
        throw new OwnerStays();
      }
      await this.participants.remove(removed.id, open.tx);
      await this.writer.addSystemMessage(open, {
        actor: actorOf(account),
        systemMessage: 'user_removed',
        message: '{actor} removed {user}',
        parameters: { user: actorParameter(named(removed, known)) },
      });
      return removed.userId;
    });
    await this.notifications.withdraw(removedId, token);
  }

  /**
   * @throws ParticipantNotFound
   * @throws OwnerStays
   * @throws RoleUnchanged
   */
  async changeRole(
    account: Account,
    token: string,
    participantId: number,
    type: typeof ParticipantType.moderator | typeof ParticipantType.user,
  ): Promise<void> {
    const known = await this.list(account.userId, token);
    await this.writer.change(token, account.userId, async (open) => {
      assertGroupModerator(open);
      const changed = await this.#find(open, { id: participantId });
      if (changed.type === ParticipantType.owner) {
        throw new OwnerStays();
      }
      if (isModerator(changed) === isModerator({ type })) {
        throw new RoleUnchanged();
      }
      if (changed.id === open.self.id) {
        await this.#assertAnotherModerator(open);
      }
      await this.participants.changeType(changed.id, type, open.tx);
      const promoted = type === ParticipantType.moderator;
      await this.writer.addSystemMessage(open, {
        actor: actorOf(account),
        systemMessage: promoted ? 'moderator_promoted' : 'moderator_demoted',
        message: promoted
          ? '{actor} promoted {user} to moderator'
          : '{actor} demoted {user} from moderator',
        parameters: { user: actorParameter(named(changed, known)) },
      });
    });
  }

  async #add(
    open: LockedConversation,
    account: Account,
    { userId, displayName }: Pick<Account, 'userId' | 'displayName'>,
    type: ParticipantType,
  ): Promise<boolean> {
    const { tx, conversation } = open;
    if ((await this.participants.find(conversation.id, userId, tx)) !== null) {
      return false;
    }
    const byThemselves = account.userId === userId;
    const room = roomFor(this.config, byThemselves || account.isAdmin);
    if ((await this.participants.full([userId], conversation.id, room, tx)).has(userId)) {
      throw new InviteeIsFull(userId);
    }
    await this.participants.add(conversation.id, userId, type, tx);
    const most = this.config.limits['participants-per-conversation'];
    const count = await this.participants.count(conversation.id, most + 1, tx);
    assertBelowLimit(this.config, 'participants-per-conversation', count, 0);
    await this.writer.addSystemMessage(open, {
      actor: actorOf(account),
      systemMessage: 'user_added',
      message: byThemselves ? '{actor} joined the conversation' : '{actor} added {user}',
      parameters: { user: actorParameter(actorOf({ userId, displayName })) },
    });
    return true;
  }

  /** @param name of the conversation, for bots */
  async #leave(open: LockedConversation & Membership, actor: Actor, name: string): Promise<void> {
    const { tx, conversation, self } = open;
    const participants = await this.participants.list(conversation.id, tx);
    if (!isBetweenTwo(conversation) && isModerator(self)) {
      await this.#assertAnotherModerator(open);
    }
    if (participants.length === 1) {
      await this.conversations.end(open, name);
      return;
    }
    await this.participants.remove(self.id, tx);
    await this.writer.addSystemMessage(open, {
      actor,
      systemMessage: 'user_removed',
      message: '{actor} left the conversation',
      parameters: { user: actorParameter(actor) },
    });
  }

  async #assertAnotherModerator({ tx, conversation, self }: LockedConversation & Membership) {
    const participants = await this.participants.list(conversation.id, tx);
    if (!participants.some((one) => one.id !== self.id && isModerator(one))) {
      throw new LastModeratorStays();
    }
  }

  async #find(
    { tx, conversation }: LockedConversation,
    which: ParticipantRef,
  ): Promise<Participant> {
    const found =
      'id' in which
        ? await this.participants.findById(conversation.id, which.id, tx)
        : await this.participants.find(conversation.id, which.userId, tx);
    return ParticipantNotFound.unless(found);
  }
}

/** Older clients name participants by user id. */
type ParticipantRef = { readonly id: number } | { readonly userId: string };

function named({ userId }: Participant, known: readonly NamedParticipant[]): Actor {
  const displayName = known.find((one) => one.userId === userId)?.displayName ?? userId;
  return actorOf({ userId, displayName });
}
