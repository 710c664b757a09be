import { Delete, Get, Post, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { z } from 'zod';
import { ChangingGet } from '../../common/auth/changing-get.decorator.js';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { Input } from '../../common/http/input.decorator.js';
import { OcsSuccess } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { ConversationViewsService } from '../conversations/conversation-views.service.js';
import { MessagesService, type Changed } from './messages.service.js';
import { ReadMarkersService } from '../read-markers/read-markers.service.js';
import type { Overview } from '../conversations/conversations.repository.js';
import { TimelineService, type Timeline } from './timeline.service.js';
import {
  ChatPage,
  EditedMessage,
  MentionSearch,
  MessagePath,
  NewChatMessage,
  ReadUpTo,
  RoomPath,
  spoken,
} from '../chat.input.js';
import {
  toMentionsJson,
  toMessageJson,
  toRoomJson,
  type MessageJson,
  type RoomJson,
} from './messages.wire.js';

const LAST_GIVEN = 'X-Chat-Last-Given';
const LAST_COMMON_READ = 'X-Chat-Last-Common-Read';

/** What is said in a conversation. */
@OcsController('apps/spreed/api/v1/chat/:token')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly timeline: TimelineService,
    private readonly markers: ReadMarkersService,
    private readonly views: ConversationViewsService,
  ) {}

  /**
   * Backwards through what was said, or forwards and then waiting for more. Marks it as read, unless
   * asked not to.
   */
  @Get()
  @ChangingGet()
  async read(
    @CurrentUser() user: Account,
    @Input(ChatPage) page: z.output<typeof ChatPage>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MessageJson[]> {
    const found = page.lookIntoFuture
      ? await this.#future(user, page, response)
      : await this.timeline.history(user.userId, page.token, pageOf(page));
    if (found === null) {
      response.status(304);
      return [];
    }
    const { messages, commonReadId } = found;
    const last = messages.at(-1)?.message.id;
    response.setHeader(LAST_COMMON_READ, String(commonReadId));
    response.setHeader(LAST_GIVEN, String(last ?? page.lastKnownMessageId));
    return messages.map((shown) => toMessageJson(shown, page.token, user.userId));
  }

  @Post()
  async send(
    @CurrentUser() user: Account,
    @Input(NewChatMessage) { token, message, ...more }: z.output<typeof NewChatMessage>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OcsSuccess> {
    const draft = { ...more, text: spoken(message) };
    const { shown, commonReadId } = await this.messages.send(user, token, draft);
    response.setHeader(LAST_COMMON_READ, String(commonReadId));
    return new OcsSuccess(201, toMessageJson(shown, token, user.userId));
  }

  @Get('mentions')
  async mentionable(
    @CurrentUser() user: Account,
    @Input(MentionSearch) { token, search, limit }: z.output<typeof MentionSearch>,
  ) {
    const { people, conversation } = await this.messages.mentionable(user.userId, token);
    return toMentionsJson(people, conversation, search, limit);
  }

  @Post('read')
  async markRead(
    @CurrentUser() user: Account,
    @Input(ReadUpTo) { token, lastReadMessage }: z.output<typeof ReadUpTo>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RoomJson> {
    return this.#shown(await this.markers.markRead(user.userId, token, lastReadMessage), response);
  }

  @Delete('read')
  async markUnread(
    @CurrentUser() user: Account,
    @Input(RoomPath) { token }: z.output<typeof RoomPath>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RoomJson> {
    return this.#shown(await this.markers.markUnread(user.userId, token), response);
  }

  @Put(':messageId')
  async edit(
    @CurrentUser() user: Account,
    @Input(EditedMessage) { token, messageId, message }: z.output<typeof EditedMessage>,
  ): Promise<MessageJson | OcsSuccess> {
    const changed = await this.messages.edit(user, token, messageId, spoken(message));
    return present(changed, token, user);
  }

  @Delete(':messageId')
  async delete(
    @CurrentUser() user: Account,
    @Input(MessagePath) { token, messageId }: z.output<typeof MessagePath>,
  ): Promise<MessageJson | OcsSuccess> {
    return present(await this.messages.delete(user, token, messageId), token, user);
  }

  async #future(
    user: Account,
    page: z.output<typeof ChatPage>,
    response: Response,
  ): Promise<Timeline | null> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    return this.timeline.future(user.userId, page.token, pageOf(page), {
      timeoutSeconds: page.timeout,
      lastCommonReadId: page.lastCommonReadId,
      marksRead: page.setReadMarker,
      signal: gone.signal,
    });
  }

  async #shown(overview: Overview, response: Response): Promise<RoomJson> {
    response.setHeader(LAST_COMMON_READ, String(overview.commonReadMessageId));
    return toRoomJson(await this.views.ofOne(overview));
  }
}

function pageOf({ lastKnownMessageId, limit, includeLastKnown }: z.output<typeof ChatPage>) {
  return { lastKnownId: lastKnownMessageId, limit, includeLastKnown };
}

/** Says 202 when the old words may live on elsewhere. */
function present({ shown, spread }: Changed, token: string, { userId }: Account) {
  const message = toMessageJson(shown, token, userId);
  return spread ? new OcsSuccess(202, message) : message;
}
