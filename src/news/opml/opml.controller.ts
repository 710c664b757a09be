import {
  Catch,
  Req,
  Res,
  UseFilters,
  UnsupportedMediaTypeException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Media } from '../../common/contracts/operation.decorator.js';
import { ApiPost, Get } from '../../common/contracts/routes.js';
import { InvalidInput } from '../../common/errors/domain-error.js';
import { beginFailure } from '../../common/errors/failure.js';
import { ConcurrencyLimit } from '../../common/http/concurrency-limit.decorator.js';
import { Input, parseInput, type In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { readUpload } from '../../common/http/read-upload.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { Turns } from '../../common/turns.js';
import { EVERY_LEVEL, NewsController } from '../http/levels.guard.js';
import { integer } from '../parameters.js';
import { PROGRESS_LINES, ProgressLines } from '../progress-lines.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { startUnread } from '../reader/feeds/feeds.input.js';
import { OpmlExport } from './opml-export.service.js';
import { OpmlService } from './opml.service.js';
import { LARGEST_OPML_BYTES } from './read-opml.js';
import { sendOpml } from './write-opml.js';

const ACCEPTED_TYPES = [
  'text/xml',
  'application/xml',
  'text/x-opml',
  'text/x-opml+xml',
  'application/x-opml+xml',
  'text/plain',
  'application/octet-stream',
  '+xml',
];

const ImportAnswer = z.object({
  imported: z.int(),
  alreadyThere: z.int(),
  invalid: z.array(z.looseObject({ reason: z.string() })),
  moreInvalid: z.int().optional(),
  notTaken: z
    .array(z.looseObject({ attribute: z.string(), reason: z.string() }))
    .optional()
    .describe('Settings of other readers that feeds of the file have, and that became nothing.'),
  moreNotTaken: z.int().optional(),
});

const ImportProgressAnswer = z.object({
  feeds: z.int(),
  fetched: z.int(),
  failing: z.int(),
  failures: z.array(
    z.object({ feedId: z.int(), title: z.string(), url: z.string(), reason: z.string() }),
  ),
});

const StatusAndMessageAnswer = z.object({ status: z.string(), message: z.string() });

/** `after` is a feed id: only feeds with higher ids; by default all feeds of the user. */
const ImportFeeds = z.object({ startUnread });

const WatchImport = z.object({ after: orElse(integer, 0) });

/**
 * Import and export of OPML. Not part of the specification.
 *
 * @see docs/migration.md
 */
@NewsController(EVERY_LEVEL, 'opml')
export class OpmlController {
  constructor(
    private readonly opml: OpmlService,
    private readonly exports: OpmlExport,
  ) {}

  @ApiPost('import', 'Subscribes to the feeds of an OPML file.', ImportAnswer, {
    body: new Media('multipart/form-data', 'A form with the OPML file; or the file as the body.'),
    input: ImportFeeds,
    otherForms: [new Media(PROGRESS_LINES, 'One JSON object a line, while the work goes on.')],
  })
  @ConcurrencyLimit('imports')
  async import(
    @CurrentReader() reader: Reader,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { startUnread } = parseInput(ImportFeeds, { startUnread: request.query['startUnread'] });
    const file = await opmlIn(request);
    if (request.accepts(['json', PROGRESS_LINES]) === PROGRESS_LINES) {
      await this.#importWithProgress(new ProgressLines(response), reader, file, startUnread);
      return;
    }
    const {
      afterFeedId: _after,
      invalid,
      notTaken,
      ...result
    } = await this.opml.import(reader, file, { startUnread });
    response.status(200).json({
      ...result,
      invalid: await toRefusedFeedsJson(invalid),
      ...(notTaken && { notTaken: await toRefusedFeedsJson(notTaken) }),
    });
  }

  /** Progress of the first fetches of imported feeds. */
  @Get('progress', 'Tells how many imported feeds were fetched.', ImportProgressAnswer)
  async progress(
    @CurrentReader() reader: Reader,
    @Input(WatchImport) { after }: In<typeof WatchImport>,
  ) {
    const progress = await this.opml.fetchProgress(reader, after);
    return { ...progress, failures: await toRefusedFeedsJson(progress.failures) };
  }

  @Get(
    'export',
    'Sends the feeds of the caller as OPML.',
    new Media('text/x-opml', 'An OPML file.'),
  )
  async export(@CurrentReader() reader: Reader, @Res() response: Response): Promise<void> {
    await sendOpml(response, await this.exports.of(reader));
  }

  async #importWithProgress(
    lines: ProgressLines,
    reader: Reader,
    file: Uint8Array,
    startUnread: number | undefined,
  ): Promise<void> {
    const onProgress = (done: number, total: number): void =>
      lines.say({ step: 'subscribing', done, total });
    const imported = await this.opml.import(reader, file, { startUnread, onProgress });
    const { afterFeedId, invalid, notTaken, ...result } = imported;
    lines.end({
      step: 'subscribed',
      ...result,
      invalid: await toRefusedFeedsJson(invalid),
      ...(notTaken && { notTaken: await toRefusedFeedsJson(notTaken) }),
      after: afterFeedId,
    });
  }
}

/** The reference answers this route with a status and a message, errors included. */
@Catch()
class StatusAndMessageFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const failure = beginFailure(error, http.getRequest<Request>(), response);
    if (failure !== null) {
      response.status(failure.status).json({ status: 'error', message: failure.message });
    }
  }
}

/** Routes at the paths of the reference's web interface, for scripts written for it. */
@NewsController('apps/news', '')
export class OpmlOfWebInterfaceController {
  constructor(
    private readonly opml: OpmlService,
    private readonly exports: OpmlExport,
  ) {}

  @ApiPost('import/opml', 'Subscribes to the feeds of an OPML file.', StatusAndMessageAnswer, {
    body: new Media('multipart/form-data', 'A form with the OPML file; or the file as the body.'),
  })
  @ConcurrencyLimit('imports')
  @UseFilters(StatusAndMessageFilter)
  async import(@CurrentReader() reader: Reader, @Req() request: Request) {
    const file = await opmlIn(request);
    const {
      imported,
      alreadyThere,
      invalid,
      moreInvalid = 0,
    } = await this.opml.import(reader, file);
    const message =
      `${imported} feeds imported, ${alreadyThere} already there, ` +
      `${invalid.length + moreInvalid} could not be imported.`;
    return { status: 'ok', message };
  }

  @Get(
    'export/opml',
    'Sends the feeds of the caller as OPML.',
    new Media('text/x-opml', 'An OPML file.'),
  )
  async export(@CurrentReader() reader: Reader, @Res() response: Response): Promise<void> {
    await sendOpml(response, await this.exports.of(reader));
  }
}

/** Feeds that were not imported or cannot be fetched, with the reason in the user's language. */
async function toRefusedFeedsJson<Refused extends { readonly reason: string }>(
  feeds: readonly Refused[],
): Promise<Refused[]> {
  return new Turns().map(feeds, (feed) => ({ ...feed, reason: shownSentence(feed.reason) }));
}

/**
 * The file of an import: the file of a form, or the body, read up to the size limit.
 *
 * @throws InvalidInput for a form without a file
 * @throws UnsupportedMediaTypeException
 */
export async function opmlIn(request: Request): Promise<Uint8Array> {
  if (
    request.headers['content-type'] !== undefined &&
    request.is(['multipart/form-data', ...ACCEPTED_TYPES]) === false
  ) {
    throw new UnsupportedMediaTypeException(
      'Send the file as the body with Content-Type: text/x-opml, or as the file of a form.',
    );
  }
  const file = await readUpload(request, LARGEST_OPML_BYTES);
  if (file === null) {
    throw new InvalidInput('The form has no file; send it in the field "file".');
  }
  return file;
}
