import { BadRequestException, Header, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import type { Fields } from '../../../common/http/read-fields.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { shownSentence } from '../../../common/texts/visitor-language.js';
import { titleOrHost } from '../../news.wire.js';
import { GoogleReaderController } from '../http/google-reader-controller.decorator.js';
import { sendCachedJson } from '../http/send-json.js';
import { SentFields } from '../http/sent-fields.decorator.js';
import { FeedIcons } from '../icons/feed-icons.service.js';
import { feedStreamId } from '../stream-names.js';
import { StreamSetsService } from '../streams/stream-sets.service.js';
import { subscriptionEditOf } from './subscription-edit.input.js';
import { GoogleSubscriptionsService } from './subscriptions.service.js';
import { toSubscriptionJson, SubscriptionsAnswer, QuickAddAnswer } from './subscriptions.wire.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { StreamField, QuickAddFields, SubscriptionFields } from '../http/form-fields.input.js';

/** @see docs/google-reader-api.md "Feeds" */
@GoogleReaderController()
export class GoogleSubscriptionsController {
  constructor(
    private readonly subscriptions: GoogleSubscriptionsService,
    private readonly sets: StreamSetsService,
    private readonly icons: FeedIcons,
    private readonly disk: DiskSpace,
  ) {}

  @Get('subscription/list', 'Lists the feeds of the caller.', SubscriptionsAnswer, { empty: [304] })
  async list(
    @CurrentUser() { userId }: Account,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const filed = await this.subscriptions.list(userId);
    const subscriptions = filed.map((one) =>
      toSubscriptionJson(one, this.icons.addressOf(one.feed.iconId, request)),
    );
    sendCachedJson(request, response, { subscriptions });
  }

  @Get(
    'subscribed',
    'Tells whether the caller has a feed.',
    new Media('text/plain', '`true` or `false`'),
    {
      input: StreamField,
    },
  )
  @Header('Content-Type', 'text/plain; charset=utf-8')
  async isSubscribed(
    @CurrentUser() { userId }: Account,
    @SentFields() fields: Fields,
  ): Promise<string> {
    const feedId = await this.sets.feedIdOf(userId, fields.one('s') ?? '');
    return String(feedId !== null);
  }

  @Get('subscription/quickadd', 'Subscribes to an address.', QuickAddAnswer, {
    input: QuickAddFields,
  })
  async quickAddByQuery(
    @CurrentUser() user: Account,
    @SentFields() fields: Fields,
  ): Promise<object> {
    return this.#quickAdd(user, fields);
  }

  @ApiPost('subscription/quickadd', 'Subscribes to an address.', QuickAddAnswer, {
    input: QuickAddFields,
  })
  async quickAdd(@CurrentUser() user: Account, @SentFields() fields: Fields): Promise<object> {
    return this.#quickAdd(user, fields);
  }

  @ApiPost(
    'subscription/edit',
    'Subscribes to feeds, removes, renames or moves them.',
    new Media('text/plain', '`OK`'),
    { input: SubscriptionFields },
  )
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @WorksOnFullDisk()
  async edit(@CurrentUser() { userId }: Account, @SentFields() fields: Fields): Promise<string> {
    const edit = subscriptionEditOf(fields);
    if (edit.action === 'subscribe') {
      await this.disk.assertRoomFor(0);
    }
    await this.subscriptions.edit(userId, edit);
    return 'OK';
  }

  /** Failures are answered with 200 and a sentence, as Google did. */
  async #quickAdd({ userId }: Account, fields: Fields): Promise<object> {
    const query = fields.one('quickadd');
    if (query === undefined) {
      throw new BadRequestException('The parameter "quickadd" is missing.');
    }
    await this.disk.assertRoomFor(0);
    try {
      const added = await this.subscriptions.quickAdd(userId, query);
      if ('alreadyAt' in added) {
        // Clients compare the words, and find the feed by the address.
        return { numResults: 0, query, error: `Already subscribed! ${added.alreadyAt}` };
      }
      const { id, title, url } = added.feed;
      const streamName = titleOrHost(title, url);
      return { numResults: 1, query, streamId: feedStreamId(id), streamName };
    } catch (error) {
      if (!(error instanceof DomainError)) {
        throw error;
      }
      return { numResults: 0, query, error: shownSentence(error.message) };
    }
  }
}
