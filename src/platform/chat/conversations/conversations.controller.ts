import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Clock } from '../../../common/clock.js';
import { Delete, Get, Post, Put } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { orElse } from '../../../common/http/loose-inputs.js';
import { OcsFailure, OcsSuccess } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { InvitationSourceUnknown } from '../chat.errors.js';
import {
  ConversationPath,
  integer,
  MAX_NAME_CHARACTERS,
  nonEmptyName,
  shortText,
  text,
} from '../chat.input.js';
import { CAPABILITIES_HASH } from './chat.capabilities.js';
import { ConversationCreationService, type Opened } from './conversation-creation.service.js';
import { ConversationViewsService } from './conversation-views.service.js';
import { ConversationsService } from './conversations.service.js';
import {
  toConversationJson,
  ConversationsAnswer,
  ConversationAnswer,
} from './conversations.wire.js';
import { ConversationType } from './model/conversation.js';

const MAX_DESCRIPTION_CHARACTERS = 2000;

/** The end of the year 9999. */
const MAX_UNIX_SECONDS = 253_402_300_799;

const unixSeconds = integer.transform((value) => Math.min(value, MAX_UNIX_SECONDS));
const ConversationList = z.object({ modifiedSince: orElse(unixSeconds, 0) });

const ConversationDraft = z.object({
  roomType: integer,
  invite: orElse(text, ''),
  source: orElse(text, 'groups'),
  roomName: orElse(shortText(MAX_NAME_CHARACTERS), ''),
});

const ConversationName = ConversationPath.extend({ roomName: nonEmptyName });

const ConversationDescription = ConversationPath.extend({
  description: orElse(shortText(MAX_DESCRIPTION_CHARACTERS), ''),
});

const HASH = 'X-Nextcloud-Talk-Hash';
const MODIFIED_BEFORE = 'X-Nextcloud-Talk-Modified-Before';

/** Lists, creates, renames and deletes conversations, which the protocol calls rooms. */
@OcsController('apps/spreed/api/v4/room')
export class ConversationsController {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly creation: ConversationCreationService,
    private readonly views: ConversationViewsService,
    private readonly clock: Clock,
  ) {}

  @InTurn()
  @Get('', 'Lists the conversations of the caller.', ConversationsAnswer)
  async list(
    @CurrentUser() user: Account,
    @Input(ConversationList) { modifiedSince }: In<typeof ConversationList>,
    @Res({ passthrough: true }) response: Response,
  ) {
    response.setHeader(HASH, CAPABILITIES_HASH);
    // Taken before the query: concurrent changes are listed again by the next request.
    response.setHeader(MODIFIED_BEFORE, String(this.clock.nowSeconds()));
    const summaries = await this.conversations.list(user.userId, modifiedSince);
    return (await this.views.ofList(summaries)).map(toConversationJson);
  }

  @Post('', 'Creates a conversation, or opens that with a user.', ConversationAnswer, {
    also: [201],
  })
  async create(
    @CurrentUser() user: Account,
    @Input(ConversationDraft) room: In<typeof ConversationDraft>,
  ) {
    const { summary, created } = await this.#create(user, room);
    const shown = toConversationJson(await this.views.ofOne(summary));
    return created ? new OcsSuccess(201, shown) : shown;
  }

  @Get(':token', 'Shows a conversation.', ConversationAnswer)
  async show(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: In<typeof ConversationPath>,
    @Res({ passthrough: true }) response: Response,
  ) {
    response.setHeader(HASH, CAPABILITIES_HASH);
    const summary = await this.conversations.show(user.userId, token);
    return toConversationJson(await this.views.ofOne(summary));
  }

  @Put(':token', 'Renames a conversation.', 'nothing')
  async rename(
    @CurrentUser() user: Account,
    @Input(ConversationName) { token, roomName }: In<typeof ConversationName>,
  ): Promise<void> {
    await this.conversations.rename(user, token, roomName);
  }

  @Put(':token/description', 'Describes a conversation.', 'nothing')
  async describe(
    @CurrentUser() user: Account,
    @Input(ConversationDescription)
    { token, description }: In<typeof ConversationDescription>,
  ): Promise<void> {
    await this.conversations.describe(user, token, description);
  }

  @Delete(':token', 'Deletes a conversation.', 'nothing')
  async delete(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: In<typeof ConversationPath>,
  ): Promise<void> {
    await this.conversations.delete(user, token);
  }

  async #create(user: Account, room: In<typeof ConversationDraft>): Promise<Opened> {
    const { roomType, roomName, invite, source } = room;
    if (roomType === ConversationType.oneToOne) {
      return this.creation.openWith(user, invite);
    }
    if (roomType !== ConversationType.group && roomType !== ConversationType.public) {
      throw new OcsFailure(400, 'The parameter "roomType" must be 1, 2 or 3.', { error: 'type' });
    }
    if (invite !== '') {
      if (source !== 'groups') {
        throw new InvitationSourceUnknown(source);
      }
      return this.creation.createForGroup(user, roomType, roomName, invite);
    }
    if (roomName === '') {
      throw new OcsFailure(400, 'The parameter "roomName" must not be empty.', { error: 'name' });
    }
    return this.creation.create(user, roomType, roomName);
  }
}
