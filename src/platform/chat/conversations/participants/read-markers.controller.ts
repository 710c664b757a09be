import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { Delete, Post } from '../../../../common/contracts/routes.js';
import { CurrentUser } from '../../../../common/http/current-user.decorator.js';
import { WorksOnFullDisk } from '../../../../common/disk/disk-reserve.interceptor.js';
import { Input, type In } from '../../../../common/http/input.decorator.js';
import { OcsController } from '../../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../../common/ports/user-directory.js';
import { ConversationPath } from '../../chat.input.js';
import { ConversationViewsService } from '../conversation-views.service.js';
import type { ConversationSummary } from '../conversations.repository.js';
import {
  toConversationJson,
  ConversationAnswer,
  type ConversationJson,
} from '../conversations.wire.js';
import { ReadUpTo } from './read-markers.input.js';
import { ReadMarkersService } from './read-markers.service.js';

/** Must be registered before the messages controller, whose `:messageId` matches "read". */
@OcsController('apps/spreed/api/v1/chat/:token/read')
@WorksOnFullDisk()
export class ReadMarkersController {
  constructor(
    private readonly markers: ReadMarkersService,
    private readonly views: ConversationViewsService,
  ) {}

  @Post('', 'Marks a conversation read, up to a message.', ConversationAnswer)
  async markRead(
    @CurrentUser() user: Account,
    @Input(ReadUpTo) { token, lastReadMessage }: In<typeof ReadUpTo>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConversationJson> {
    return this.#present(
      await this.markers.markRead(user.userId, token, lastReadMessage),
      response,
    );
  }

  @Delete('', 'Marks a conversation unread.', ConversationAnswer)
  async markUnread(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: In<typeof ConversationPath>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConversationJson> {
    return this.#present(await this.markers.markUnread(user.userId, token), response);
  }

  async #present(summary: ConversationSummary, response: Response): Promise<ConversationJson> {
    response.setHeader('X-Chat-Last-Common-Read', String(summary.commonReadMessageId));
    return toConversationJson(await this.views.ofOne(summary));
  }
}
