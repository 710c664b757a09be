import { BadRequestException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { DomainError } from '../../../common/errors/domain-error.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { inputBodiesOf } from '../../../common/http/input-bodies.js';
import type { Fields } from '../../../common/http/read-fields.js';
import { shownSentence } from '../../../common/texts/visitor-language.js';
import { titleOrHost } from '../../news.wire.js';
import { OpmlExport } from '../../opml/opml-export.service.js';
import { OpmlService } from '../../opml/opml.service.js';
import { LARGEST_OPML_BYTES } from '../../opml/read-opml.js';
import { sendOpml } from '../../opml/write-opml.js';
import { CurrentReader } from '../../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { StreamField, QuickAddFields, SubscriptionFields } from '../http/form-fields.input.js';
import {
  PlainText,
  OK_TEXT,
  GoogleReaderController,
  SentFields,
  sendCachedJson,
} from '../http/google-reader-controller.decorator.js';
import { FeedIcons } from '../icons/feed-icons.service.js';
import { feedStreamId, labelId } from '../stream-names.js';
import { StreamSetsService } from '../streams/stream-sets.service.js';
import { subscriptionEditOf } from './subscription-edit.input.js';
import { GoogleSubscriptionsService, type FiledFeed } from './subscriptions.service.js';

export const SubscriptionsAnswer = z.object({
  subscriptions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      categories: z.array(z.object({ id: z.string(), label: z.string() })),
      url: z.string(),
      htmlUrl: z.string(),
      iconUrl: z.string(),
    }),
  ),
});

/** Failures have `error` and no stream. */
export const QuickAddAnswer = z.object({
  numResults: z.int(),
  query: z.string(),
  streamId: z.string().optional(),
  streamName: z.string().optional(),
  error: z.string().optional(),
});

/** @see docs/google-reader-api.md "Feeds" */
@GoogleReaderController()
export class GoogleSubscriptionsController {
  constructor(
    private readonly subscriptions: GoogleSubscriptionsService,
    private readonly sets: StreamSetsService,
    private readonly icons: FeedIcons,
    private readonly disk: DiskSpace,
    private readonly opml: OpmlService,
    private readonly exports: OpmlExport,
  ) {}

  @InTurn()
  @Get('subscription/list', 'Lists the feeds of the caller.', SubscriptionsAnswer, { empty: [304] })
  async list(
    @CurrentReader() reader: Reader,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const filed = await this.subscriptions.list(reader);
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
  @PlainText()
  async isSubscribed(@CurrentReader() reader: Reader, @SentFields() fields: Fields) {
    const feedId = await this.sets.feedIdOf(reader, fields.one('s') ?? '');
    return String(feedId !== null);
  }

  @Get('subscription/quickadd', 'Subscribes to an address.', QuickAddAnswer, {
    input: QuickAddFields,
  })
  async quickAddByQuery(@CurrentReader() reader: Reader, @SentFields() fields: Fields) {
    return this.#quickAdd(reader, fields);
  }

  @ApiPost('subscription/quickadd', 'Subscribes to an address.', QuickAddAnswer, {
    input: QuickAddFields,
  })
  async quickAdd(@CurrentReader() reader: Reader, @SentFields() fields: Fields) {
    return this.#quickAdd(reader, fields);
  }

  @ApiPost('subscription/edit', 'Subscribes to feeds, removes, renames or moves them.', OK_TEXT, {
    input: SubscriptionFields,
  })
  @PlainText()
  @WorksOnFullDisk()
  async edit(@CurrentReader() reader: Reader, @SentFields() fields: Fields) {
    const edit = subscriptionEditOf(fields);
    if (edit.action === 'subscribe') {
      await this.disk.assertRoomFor(0);
    }
    await this.subscriptions.edit(reader, edit);
    return 'OK';
  }

  @Get(
    'subscription/export',
    'Sends the feeds of the caller as OPML.',
    new Media('text/x-opml', 'An OPML file.'),
  )
  async export(@CurrentReader() reader: Reader, @Res() response: Response): Promise<void> {
    await sendOpml(response, await this.exports.of(reader));
  }

  /** The body is the file; its type is ignored. */
  @ApiPost('subscription/import', 'Subscribes to the feeds of an OPML file.', OK_TEXT, {
    body: new Media('text/xml', 'The OPML file, whatever its type.'),
  })
  @ConcurrencyLimit('imports')
  @PlainText()
  async import(@CurrentReader() reader: Reader, @Req() request: Request) {
    const file = await inputBodiesOf(request).readBytes(request, LARGEST_OPML_BYTES);
    await this.opml.import(reader, file);
    return 'OK';
  }

  /** Failures are answered with 200 and a sentence, as Google did. */
  async #quickAdd(reader: Reader, fields: Fields) {
    const query = fields.one('quickadd');
    if (query === undefined) {
      throw new BadRequestException('The parameter "quickadd" is missing.');
    }
    await this.disk.assertRoomFor(0);
    try {
      const added = await this.subscriptions.quickAdd(reader, query);
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

/**
 * Nothing in it is null, and neither id, title nor address is empty; clients give up otherwise.
 *
 * @param iconUrl absolute; empty without an icon
 */
export function toSubscriptionJson({ feed, folder }: FiledFeed, iconUrl: string) {
  return {
    id: feedStreamId(feed.id),
    title: titleOrHost(feed.title, feed.url),
    categories: folder === null ? [] : [{ id: labelId(folder), label: folder }],
    url: feed.url,
    htmlUrl: feed.link ?? '',
    iconUrl,
  };
}
