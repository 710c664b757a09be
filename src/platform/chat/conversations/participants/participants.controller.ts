import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CurrentUser } from '../../../../common/http/current-user.decorator.js';
import { WorksOnFullDisk } from '../../../../common/disk/disk-reserve.interceptor.js';
import { Input } from '../../../../common/http/input.decorator.js';
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
import { Operation } from '../../../../common/contracts/operation.decorator.js';

/** Lists, invites and removes participants, and changes their roles. */
@OcsController('apps/spreed/api/v4/room/:token')
export class ParticipantsController {
  constructor(
    private readonly participants: ParticipantsService,
    private readonly conversations: ConversationsService,
    private readonly views: ConversationViewsService,
  ) {}

  @Get('participants')
  @Operation('Lists the participants of a conversation.', ParticipantsAnswer)
  async list(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: z.output<typeof ConversationPath>,
  ) {
    return (await this.participants.list(user.userId, token)).map(toParticipantJson);
  }

  @Post('participants')
  @Operation('Invites a user to a conversation.', 'nothing')
  async invite(
    @CurrentUser() user: Account,
    @Input(Invitation) { token, newParticipant, source }: z.output<typeof Invitation>,
  ): Promise<void> {
    await this.participants.invite(user, token, newParticipant, source);
  }

  /** Called by clients before they display a conversation. */
  @Post('participants/active')
  @Operation('Opens a conversation.', ConversationAnswer)
  @WorksOnFullDisk()
  async enter(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: z.output<typeof ConversationPath>,
  ): Promise<ConversationJson> {
    return toConversationJson(await this.views.ofOne(await this.participants.enter(user, token)));
  }

  /** Called by clients when they close a conversation. Checks access only: there are no sessions. */
  @Delete('participants/active')
  @Operation('Closes a conversation.', 'nothing')
  async close(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: z.output<typeof ConversationPath>,
  ): Promise<void> {
    await this.conversations.show(user.userId, token);
  }

  @Delete('participants/self')
  @Operation('Leaves a conversation.', 'nothing')
  async leave(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: z.output<typeof ConversationPath>,
  ): Promise<void> {
    await this.participants.leave(user, token);
  }

  @Delete('participants')
  @Operation('Removes a user from a conversation.', 'nothing')
  async removeByName(
    @CurrentUser() user: Account,
    @Input(ParticipantName) { token, participant }: z.output<typeof ParticipantName>,
  ): Promise<void> {
    await this.participants.remove(user, token, { userId: participant });
  }

  @Delete('attendees')
  @Operation('Removes a participant from a conversation.', 'nothing')
  async remove(
    @CurrentUser() user: Account,
    @Input(Attendee) { token, attendeeId }: z.output<typeof Attendee>,
  ): Promise<void> {
    await this.participants.remove(user, token, { id: attendeeId });
  }

  @Post('moderators')
  @Operation('Makes a participant a moderator.', 'nothing')
  async promote(
    @CurrentUser() user: Account,
    @Input(Attendee) { token, attendeeId }: z.output<typeof Attendee>,
  ): Promise<void> {
    await this.participants.changeRole(user, token, attendeeId, ParticipantType.moderator);
  }

  @Delete('moderators')
  @Operation('Makes a moderator a participant.', 'nothing')
  async demote(
    @CurrentUser() user: Account,
    @Input(Attendee) { token, attendeeId }: z.output<typeof Attendee>,
  ): Promise<void> {
    await this.participants.changeRole(user, token, attendeeId, ParticipantType.user);
  }
}
