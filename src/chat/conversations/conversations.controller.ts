import { Delete, Get, Post, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { z } from 'zod';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { Clock } from '../../common/clock.js';
import { Input } from '../../common/http/input.decorator.js';
import { OcsFailure, OcsSuccess } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { CAPABILITIES_HASH } from '../chat-capabilities.js';
import { InvitationSourceUnknown } from '../chat.errors.js';
import { ConversationType } from './conversation.js';
import { ConversationsService, type Opened } from './conversations.service.js';
import { ConversationViewsService } from './conversation-views.service.js';
import { NewRoom, RoomDescription, RoomList, RoomName, RoomPath } from '../chat.input.js';
import { toRoomJson, type RoomJson } from '../messages/messages.wire.js';

const HASH = 'X-Nextcloud-Talk-Hash';
const MODIFIED_BEFORE = 'X-Nextcloud-Talk-Modified-Before';

/** Conversations as a whole. */
@OcsController('apps/spreed/api/v4/room')
export class RoomsController {
  constructor(
    private readonly conversations: ConversationsService,
    private readonly views: ConversationViewsService,
    private readonly clock: Clock,
  ) {}

  @Get()
  async list(
    @CurrentUser() user: Account,
    @Input(RoomList) { modifiedSince }: z.output<typeof RoomList>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RoomJson[]> {
    response.setHeader(HASH, CAPABILITIES_HASH);
    // What changes while we look is listed once more the next time.
    response.setHeader(MODIFIED_BEFORE, String(this.clock.nowSeconds()));
    const overviews = await this.conversations.list(user.userId, modifiedSince);
    return (await this.views.of(overviews)).map(toRoomJson);
  }

  @Post()
  async create(
    @CurrentUser() user: Account,
    @Input(NewRoom) room: z.output<typeof NewRoom>,
  ): Promise<OcsSuccess | RoomJson> {
    const { overview, created } = await this.#open(user, room);
    const shown = toRoomJson(await this.views.ofOne(overview));
    return created ? new OcsSuccess(201, shown) : shown;
  }

  @Get(':token')
  async show(
    @CurrentUser() user: Account,
    @Input(RoomPath) { token }: z.output<typeof RoomPath>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RoomJson> {
    response.setHeader(HASH, CAPABILITIES_HASH);
    const overview = await this.conversations.show(user.userId, token);
    return toRoomJson(await this.views.ofOne(overview));
  }

  @Put(':token')
  async rename(
    @CurrentUser() user: Account,
    @Input(RoomName) { token, roomName }: z.output<typeof RoomName>,
  ): Promise<void> {
    await this.conversations.rename(user, token, roomName);
  }

  @Put(':token/description')
  async describe(
    @CurrentUser() user: Account,
    @Input(RoomDescription) { token, description }: z.output<typeof RoomDescription>,
  ): Promise<void> {
    await this.conversations.describe(user, token, description);
  }

  @Delete(':token')
  async delete(
    @CurrentUser() user: Account,
    @Input(RoomPath) { token }: z.output<typeof RoomPath>,
  ): Promise<void> {
    await this.conversations.delete(user, token);
  }

  async #open(user: Account, room: z.output<typeof NewRoom>): Promise<Opened> {
    const { roomType, roomName, invite, source } = room;
    if (roomType === ConversationType.oneToOne) {
      return this.conversations.openWith(user, invite);
    }
    if (roomType !== ConversationType.group && roomType !== ConversationType.public) {
      throw new OcsFailure(400, 'The parameter "roomType" must be 1, 2 or 3.', { error: 'type' });
    }
    if (invite !== '') {
      if (source !== 'groups') {
        throw new InvitationSourceUnknown(source);
      }
      return this.conversations.createForGroup(user, roomType, roomName, invite);
    }
    if (roomName === '') {
      throw new OcsFailure(400, 'The parameter "roomName" must not be empty.', { error: 'name' });
    }
    return this.conversations.create(user, roomType, roomName);
  }
}
