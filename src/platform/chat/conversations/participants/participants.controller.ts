import { Delete, Get, Post } from '../../../../common/contracts/routes.js';
import { CurrentUser } from '../../../../common/http/current-user.decorator.js';
import { WorksOnFullDisk } from '../../../../common/disk/disk-reserve.interceptor.js';
import { Input, type In } from '../../../../common/http/input.decorator.js';
import { OcsController } from '../../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../../common/ports/user-directory.js';
import { ConversationPath } from '../../chat.input.js';
import { ConversationViewsService } from '../conversation-views.service.js';
import { ParticipantType } from '../conversation.js';
import { ConversationsService } from '../conversations.service.js';
import {
  toConversationJson,
  type ConversationJson,
  ConversationAnswer,
} from '../conversations.wire.js';
import { Attendee, Invitation, ParticipantName } from './participants.input.js';
import { ParticipantsService } from './participants.service.js';
import { toParticipantJson, ParticipantsAnswer } from './participants.wire.js';

/** Lists, invites and removes participants, and changes their roles. */
@OcsController('apps/spreed/api/v4/room/:token')
export class ParticipantsController {
  constructor(
    private readonly participants: ParticipantsService,
    private readonly conversations: ConversationsService,
    private readonly views: ConversationViewsService,
  ) {}

  @Get('participants', 'Lists the participants of a conversation.', ParticipantsAnswer)
  async list(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: In<typeof ConversationPath>,
  ) {
    return (await this.participants.list(user.userId, token)).map(toParticipantJson);
  }

  @Post('participants', 'Invites a user to a conversation.', 'nothing')
  async invite(
    @CurrentUser() user: Account,
    @Input(Invitation) { token, newParticipant, source }: In<typeof Invitation>,
  ): Promise<void> {
    await this.participants.invite(user, token, newParticipant, source);
  }

  /** Called by clients before they display a conversation. */
  @Post('participants/active', 'Opens a conversation.', ConversationAnswer)
  @WorksOnFullDisk()
  async enter(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: In<typeof ConversationPath>,
  ): Promise<ConversationJson> {
    return toConversationJson(await this.views.ofOne(await this.participants.enter(user, token)));
  }

  /** Called by clients when they close a conversation. Checks access only: there are no sessions. */
  @Delete('participants/active', 'Closes a conversation.', 'nothing')
  async close(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: In<typeof ConversationPath>,
  ): Promise<void> {
    await this.conversations.show(user.userId, token);
  }

  @Delete('participants/self', 'Leaves a conversation.', 'nothing')
  async leave(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: In<typeof ConversationPath>,
  ): Promise<void> {
    await this.participants.leave(user, token);
  }

  @Delete('participants', 'Removes a user from a conversation.', 'nothing')
  async removeByName(
    @CurrentUser() user: Account,
    @Input(ParticipantName) { token, participant }: In<typeof ParticipantName>,
  ): Promise<void> {
    await this.participants.remove(user, token, { userId: participant });
  }

  @Delete('attendees', 'Removes a participant from a conversation.', 'nothing')
  async remove(
    @CurrentUser() user: Account,
    @Input(Attendee) { token, attendeeId }: In<typeof Attendee>,
  ): Promise<void> {
    await this.participants.remove(user, token, { id: attendeeId });
  }

  @Post('moderators', 'Makes a participant a moderator.', 'nothing')
  async promote(
    @CurrentUser() user: Account,
    @Input(Attendee) { token, attendeeId }: In<typeof Attendee>,
  ): Promise<void> {
    await this.participants.changeRole(user, token, attendeeId, ParticipantType.moderator);
  }

  @Delete('moderators', 'Makes a moderator a participant.', 'nothing')
  async demote(
    @CurrentUser() user: Account,
    @Input(Attendee) { token, attendeeId }: In<typeof Attendee>,
  ): Promise<void> {
    await this.participants.changeRole(user, token, attendeeId, ParticipantType.user);
  }
}
