import { Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import type { Fields } from '../../../common/http/read-fields.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { streamList } from '../../http/json-list-stream.js';
import { StreamsService } from '../../reader/streams/streams.service.js';
import { GoogleReaderController } from '../http/google-reader-controller.decorator.js';
import { SentFields } from '../http/sent-fields.decorator.js';
import { decimalItemId } from '../item-ids.js';
import { pageOf } from '../streams/page-of.js';
import { shownStream, streamInPath } from '../streams/shown-stream.js';
import { streamRequestOf } from '../streams/stream-request.input.js';
import { StreamSetsService } from '../streams/stream-sets.service.js';
import { atomEntry, atomHead, atomTail } from './atom.wire.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { StreamFields } from '../http/form-fields.input.js';

const MOST_ENTRIES = 1000;

/**
 * Streams as Atom documents, which newsboat reads with `urls-source "feedhq"`.
 *
 * @see docs/google-reader-api.md "Streams"
 */
@GoogleReaderController('reader/atom')
export class AtomController {
  constructor(
    private readonly streams: StreamsService,
    private readonly sets: StreamSetsService,
  ) {}

  @Get(
    '*stream',
    'Sends the items of a stream as Atom.',
    new Media('application/atom+xml', 'An Atom feed.'),
    {
      input: StreamFields,
    },
  )
  async show(
    @CurrentUser() { userId }: Account,
    @SentFields() fields: Fields,
    @Req() { path }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const request = streamRequestOf(fields, MOST_ENTRIES, streamInPath(path, 'reader/atom'));
    const { oldestFirst, after, length } = request;
    const selection = await this.sets.selectionOf(userId, request);
    // One item more tells whether any remain.
    const wanted = { oldestFirst, after, limit: length + 1 };
    const page = pageOf(await this.streams.contents(userId, selection, wanted), length);
    const feeds = await this.sets.feedPlaces(userId);
    await streamList(response, page.batches, {
      head: atomHead(shownStream(request.stream, feeds)),
      toText: (item) => atomEntry(item, feeds.get(item.feedId)),
      tail: () => {
        const last = page.continuesAfter();
        return atomTail(last === null ? null : decimalItemId(last.id));
      },
      encoding: 'utf8',
      contentType: 'application/atom+xml; charset=utf-8',
      separator: '',
    });
  }
}
