import { z } from 'zod';
import { Delete, Get, Post } from '../../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../../common/disk/disk-reserve.interceptor.js';
import { InTurn } from '../../../../common/http/answer-turns.js';
import { CurrentUser } from '../../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../../common/http/input.decorator.js';
import { orElse } from '../../../../common/http/loose-inputs.js';
import { OcsController } from '../../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../../common/ports/user-directory.js';
import { ConversationPath, integer, nonEmptyName, text } from '../../chat.input.js';
import { ConversationViewsService } from '../conversation-views.service.js';
import { ConversationsService } from '../conversations.service.js';
import { toConversationJson, PERMISSIONS, ConversationAnswer } from '../conversations.wire.js';
import { ParticipantType } from '../model/conversation.js';
import { ParticipantsService, type NamedParticipant } from './participants.service.js';

const ParticipantsAnswer = z.array(
  z.object({
    attendeeId: z.int(),
    actorType: z.string(),
    actorId: z.string(),
    displayName: z.string(),
    participantType: z.int(),
    lastPing: z.int(),
    inCall: z.int(),
    permissions: z.int(),
    attendeePermissions: z.int(),
    sessionIds: z.array(z.string()),
  }),
);

const Invitation = ConversationPath.extend({
  newParticipant: nonEmptyName,
  source: orElse(text, 'users'),
});

const ParticipantName = ConversationPath.extend({ participant: nonEmptyName });
const Attendee = ConversationPath.extend({ attendeeId: integer });

/** Lists, invites and removes participants, and changes their roles. */
@OcsController('apps/spreed/api/v4/room/:token')
export class ParticipantsController {
  constructor(
    private readonly participants: ParticipantsService,
    private readonly conversations: ConversationsService,
    private readonly views: ConversationViewsService,
  ) {}

  @InTurn()
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
  ) {
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

function toParticipantJson({ id, userId, displayName, type }: NamedParticipant) {
  return {
    attendeeId: id,
    actorType: 'users',
    actorId: userId,
    displayName,
    participantType: type,
    lastPing: 0,
    inCall: 0,
    permissions: PERMISSIONS,
    attendeePermissions: 0,
    sessionIds: [],
  };
}
