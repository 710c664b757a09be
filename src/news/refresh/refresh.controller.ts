import { Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Media } from '../../common/contracts/operation.decorator.js';
import { ApiPost } from '../../common/contracts/routes.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { EVERY_LEVEL, NewsController } from '../http/levels.guard.js';
import { titleOrHost } from '../news.wire.js';
import { FeedPath, FolderPath } from '../parameters.js';
import { PROGRESS_LINES, ProgressLines } from '../progress-lines.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { RefreshService, type RefreshReport } from './refresh.service.js';
import type { FeedSelection } from './refreshes.repository.js';

const RefreshAnswer = z.object({
  feeds: z.int(),
  asked: z.int(),
  newItems: z.int(),
  newFeeds: z.int(),
  failures: z.array(z.object({ feedId: z.int(), title: z.string(), message: z.string() })),
  fresh: z.int(),
  resting: z.int(),
  left: z.int(),
});

const AS_LINES = {
  otherForms: [new Media(PROGRESS_LINES, 'One JSON object a line, while the work goes on.')],
};

/**
 * Fetches a user's feeds now. Not part of the specification.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(EVERY_LEVEL, '')
export class RefreshController {
  constructor(private readonly refreshes: RefreshService) {}

  @ApiPost('feeds/refresh', 'Fetches the feeds of the caller now.', RefreshAnswer, AS_LINES)
  async everything(
    @CurrentReader() reader: Reader,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.#refresh(reader, { of: 'everything' }, request, response);
  }

  @ApiPost('feeds/:feedId/refresh', 'Fetches a feed now.', RefreshAnswer, AS_LINES)
  async feed(
    @CurrentReader() reader: Reader,
    @Input(FeedPath) { feedId }: In<typeof FeedPath>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.#refresh(reader, { of: 'feed', feedId }, request, response);
  }

  @ApiPost(
    'folders/:folderId/refresh',
    'Fetches the feeds of a folder now.',
    RefreshAnswer,
    AS_LINES,
  )
  async folder(
    @CurrentReader() reader: Reader,
    @Input(FolderPath) { folderId }: In<typeof FolderPath>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const selection = { of: 'folder', folderId: folderId === 0 ? null : folderId } as const;
    await this.#refresh(reader, selection, request, response);
  }

  async #refresh(
    reader: Reader,
    selection: FeedSelection,
    request: Request,
    response: Response,
  ): Promise<void> {
    if (request.accepts(['json', PROGRESS_LINES]) === PROGRESS_LINES) {
      const lines = new ProgressLines(response);
      const report = await this.refreshes.refresh(reader, selection, ({ done, total }) =>
        lines.say({ step: 'fetching', done, total }),
      );
      lines.end({ step: 'fetched', ...toRefreshJson(report) });
      return;
    }
    response.status(200).json(toRefreshJson(await this.refreshes.refresh(reader, selection)));
  }
}

/** Beyond the specification; see docs/news-api.md. */
function toRefreshJson(report: RefreshReport) {
  return {
    ...report,
    failures: report.failures.map(({ feedId, title, url, message }) => ({
      feedId,
      title: titleOrHost(title, url),
      message: shownSentence(message),
    })),
  };
}
