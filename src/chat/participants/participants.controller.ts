import { Delete, Get, Post } from '@nestjs/common';
import type { z } from 'zod';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { Input } from '../../common/http/input.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { ParticipantType } from '../conversations/conversation.js';
import { ConversationsService } from '../conversations/conversations.service.js';
import { ConversationViewsService } from '../conversations/conversation-views.service.js';
import { ParticipantsService } from './participants.service.js';
import { Attendee, Invitation, ParticipantName, RoomPath } from '../chat.input.js';
import { toParticipantJson, toRoomJson, type RoomJson } from '../messages/messages.wire.js';

/** Who takes part in a conversation. */
@OcsController('apps/spreed/api/v4/room/:token')
export class ParticipantsController {
  constructor(
    private readonly participants: ParticipantsService,
    private readonly conversations: ConversationsService,
    private readonly views: ConversationViewsService,
  ) {}

  @Get('participants')
  async list(@CurrentUser() user: Account, @Input(RoomPath) { token }: z.output<typeof RoomPath>) {
    return (await this.participants.list(user.userId, token)).map(toParticipantJson);
  }

  @Post('participants')
  async invite(
    @CurrentUser() user: Account,
    @Input(Invitation) { token, newParticipant, source }: z.output<typeof Invitation>,
  ): Promise<void> {
    await this.participants.invite(user, token, newParticipant, source);
  }

  /** Clients open a conversation by this before they show it. */
  @Post('participants/active')
  async enter(
    @CurrentUser() user: Account,
    @Input(RoomPath) { token }: z.output<typeof RoomPath>,
  ): Promise<RoomJson> {
    return toRoomJson(await this.views.ofOne(await this.participants.enter(user, token)));
  }

  /** Clients close a conversation by this. They still take part, so there is nothing to change. */
  @Delete('participants/active')
  async close(
    @CurrentUser() user: Account,
    @Input(RoomPath) { token }: z.output<typeof RoomPath>,
  ): Promise<void> {
    await this.conversations.show(user.userId, token);
  }

  @Delete('participants/self')
  async leave(
    @CurrentUser() user: Account,
    @Input(RoomPath) { token }: z.output<typeof RoomPath>,
  ): Promise<void> {
    await this.participants.leave(user, token);
  }

  @Delete('participants')
  async removeByName(
    @CurrentUser() user: Account,
    @Input(ParticipantName) { token, participant }: z.output<typeof ParticipantName>,
  ): Promise<void> {
    await this.participants.remove(user, token, { userId: participant });
  }

  @Delete('attendees')
  async remove(
    @CurrentUser() user: Account,
    @Input(Attendee) { token, attendeeId }: z.output<typeof Attendee>,
  ): Promise<void> {
    await this.participants.remove(user, token, { id: attendeeId });
  }

  @Post('moderators')
  async promote(
    @CurrentUser() user: Account,
    @Input(Attendee) { token, attendeeId }: z.output<typeof Attendee>,
  ): Promise<void> {
    await this.participants.changeRole(user, token, attendeeId, ParticipantType.moderator);
  }

  @Delete('moderators')
  async demote(
    @CurrentUser() user: Account,
    @Input(Attendee) { token, attendeeId }: z.output<typeof Attendee>,
  ): Promise<void> {
    await this.participants.changeRole(user, token, attendeeId, ParticipantType.user);
  }
}
