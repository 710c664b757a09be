import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { ChangingGet } from '../../../../common/auth/changing-get.decorator.js';
import { Delete, Get, Post, Put } from '../../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../../common/disk/disk-reserve.interceptor.js';
import { InTurn } from '../../../../common/http/answer-turns.js';
import { CurrentUser } from '../../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../../common/http/input.decorator.js';
import { whenClosed } from '../../../../common/http/when-closed.js';
import { OcsSuccess } from '../../../../common/ocs/envelope.js';
import { OcsController } from '../../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../../common/ports/user-directory.js';
import { ConversationPath, integer, MessagePath } from '../../chat.input.js';
import { ConversationViewsService } from '../conversation-views.service.js';
import { toConversationJson, ConversationAnswer } from '../conversations.wire.js';
import type { ConversationSummary } from '../model/conversations.repository.js';
import { ReadMarkersService } from '../participants/read-markers.service.js';
import { MentionsService } from './mentions.service.js';
import { MessageChangesService, type Changed } from './message-changes.service.js';
import {
  ChatPage,
  EditedMessage,
  MentionSearch,
  NewChatMessage,
  readMessageText,
} from './messages.input.js';
import { MessagesService } from './messages.service.js';
import {
  toMentionsJson,
  toMessageJson,
  MessagesAnswer,
  MessageAnswer,
  MentionsAnswer,
} from './messages.wire.js';
import { TimelineService } from './timeline.service.js';

const ReadUpTo = ConversationPath.extend({
  lastReadMessage: z.preprocess((value) => value ?? undefined, integer.optional()),
});

const LAST_GIVEN = 'X-Chat-Last-Given';
const LAST_COMMON_READ = 'X-Chat-Last-Common-Read';

/** Reads, sends, edits and deletes messages, and marks them read. */
@OcsController('apps/spreed/api/v1/chat/:token')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly changes: MessageChangesService,
    private readonly mentions: MentionsService,
    private readonly timeline: TimelineService,
    private readonly markers: ReadMarkersService,
    private readonly views: ConversationViewsService,
  ) {}

  /**
   * Reads the history, or with `lookIntoFuture` waits for new messages and, by default, moves the
   * read marker to the last known one.
   */
  @Get('', 'Reads the messages of a conversation, or waits for new ones.', MessagesAnswer, {
    empty: [304],
  })
  @ChangingGet()
  async read(
    @CurrentUser() user: Account,
    @Input(ChatPage) page: In<typeof ChatPage>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const gone = new AbortController();
    whenClosed(response, () => gone.abort());
    const found = page.lookIntoFuture
      ? await this.timeline.future(user.userId, page.token, pageOf(page), {
          timeoutSeconds: page.timeout,
          lastCommonReadId: page.lastCommonReadId,
          marksRead: page.setReadMarker,
          signal: gone.signal,
        })
      : await this.timeline.history(user.userId, page.token, pageOf(page), gone.signal);
    if (found === null) {
      response.status(304);
      return [];
    }
    const { messages, commonReadId } = found;
    const last = messages.at(-1)?.message.id;
    response.setHeader(LAST_COMMON_READ, String(commonReadId));
    response.setHeader(LAST_GIVEN, String(last ?? page.lastKnownMessageId));
    return messages.map((shown) => toMessageJson(shown, page.token));
  }

  @Post('', 'Sends a message.', MessageAnswer, { also: [201] })
  async send(
    @CurrentUser() user: Account,
    @Input(NewChatMessage) { token, message, ...more }: In<typeof NewChatMessage>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = { ...more, text: readMessageText(message) };
    const { shown, commonReadId } = await this.messages.send(user, token, draft);
    response.setHeader(LAST_COMMON_READ, String(commonReadId));
    return new OcsSuccess(201, toMessageJson(shown, token));
  }

  @Post('read', 'Marks a conversation read, up to a message.', ConversationAnswer)
  @WorksOnFullDisk()
  async markRead(
    @CurrentUser() user: Account,
    @Input(ReadUpTo) { token, lastReadMessage }: In<typeof ReadUpTo>,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.#show(await this.markers.markRead(user.userId, token, lastReadMessage), response);
  }

  @Delete('read', 'Marks a conversation unread.', ConversationAnswer)
  @WorksOnFullDisk()
  async markUnread(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: In<typeof ConversationPath>,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.#show(await this.markers.markUnread(user.userId, token), response);
  }

  @InTurn()
  @Get('mentions', 'Suggests whom to mention.', MentionsAnswer)
  async mentionable(
    @CurrentUser() user: Account,
    @Input(MentionSearch) { token, search, limit }: In<typeof MentionSearch>,
  ) {
    const { people, conversation } = await this.mentions.suggestions(user.userId, token);
    return toMentionsJson(people, conversation, search, limit);
  }

  @Put(':messageId', 'Changes a message.', MessageAnswer, { also: [202] })
  async edit(
    @CurrentUser() user: Account,
    @Input(EditedMessage) { token, messageId, message }: In<typeof EditedMessage>,
  ) {
    const changed = await this.changes.edit(user, token, messageId, readMessageText(message));
    return present(changed, token);
  }

  @Delete(':messageId', 'Deletes a message.', MessageAnswer, { also: [202] })
  async delete(
    @CurrentUser() user: Account,
    @Input(MessagePath) { token, messageId }: In<typeof MessagePath>,
  ) {
    return present(await this.changes.delete(user, token, messageId), token);
  }

  async #show(summary: ConversationSummary, response: Response) {
    response.setHeader(LAST_COMMON_READ, String(summary.commonReadMessageId));
    return toConversationJson(await this.views.ofOne(summary));
  }
}

function pageOf({ lastKnownMessageId, limit, includeLastKnown }: In<typeof ChatPage>) {
  return { lastKnownId: lastKnownMessageId, limit, includeLastKnown };
}

/** 202 when bots may have received the old text. */
function present({ shown, sentToBots }: Changed, token: string) {
  const message = toMessageJson(shown, token);
  return sentToBots ? new OcsSuccess(202, message) : message;
}
