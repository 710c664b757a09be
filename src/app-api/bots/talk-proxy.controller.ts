import { HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Public } from '../../common/http/current-user.decorator.js';
import { inputBodiesOf } from '../../common/http/input-bodies.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { ExAppUnreachable } from '../app-api.errors.js';
import { withoutLeadingSlash } from '../field-schemas.js';
import { TalkBotWebhooksService } from './talk-bot-webhooks.service.js';

const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * Receives messages of chats for bots. Public, because the signature authenticates the chat. It covers
 * the raw body, which the HTTP edge therefore does not parse.
 */
@Public()
@OcsController('apps/app_api/api/v1/talk_proxy', { bare: true, guards: [] })
export class TalkProxyController {
  constructor(private readonly webhooks: TalkBotWebhooksService) {}

  @Post(':appId/*route')
  @HttpCode(200)
  async receive(@Req() request: Request): Promise<void> {
    const { appId = '', route = [] } = request.params as { appId?: string; route?: string[] };
    const message = {
      random: request.get('x-nextcloud-talk-random') ?? '',
      signature: request.get('x-nextcloud-talk-signature') ?? '',
      backend: request.get('x-nextcloud-talk-backend') ?? '',
      readBody: () => inputBodiesOf(request).readBytes(request, MAX_MESSAGE_BYTES),
      clientAddress: request.ip ?? '',
    };
    try {
      await this.webhooks.receive(appId, withoutLeadingSlash(route.join('/')), message);
    } catch (error) {
      throw error instanceof ExAppUnreachable ? new OcsFailure(500, error.told) : error;
    }
  }
}
