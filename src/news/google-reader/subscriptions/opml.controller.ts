import { Header, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { inputBodiesOf } from '../../../common/http/input-bodies.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { OpmlExportService } from '../../opml/opml-export.service.js';
import { OpmlImportService } from '../../opml/opml-import.service.js';
import { LARGEST_OPML_BYTES } from '../../opml/read-opml.js';
import { sendOpml } from '../../opml/send-opml.js';
import { GoogleReaderController } from '../http/google-reader-controller.decorator.js';
import { Media } from '../../../common/contracts/operation.decorator.js';

/** @see docs/google-reader-api.md "Feeds" */
@GoogleReaderController()
export class GoogleOpmlController {
  constructor(
    private readonly imports: OpmlImportService,
    private readonly exports: OpmlExportService,
  ) {}

  @Get(
    'subscription/export',
    'Sends the feeds of the caller as OPML.',
    new Media('text/x-opml', 'An OPML file.'),
  )
  async export(@CurrentUser() { userId }: Account, @Res() response: Response): Promise<void> {
    await sendOpml(response, await this.exports.export(userId));
  }

  /** The body is the file, whatever type the client gives it. */
  @ApiPost(
    'subscription/import',
    'Subscribes to the feeds of an OPML file.',
    new Media('text/plain', '`OK`'),
    {
      body: new Media('text/xml', 'The OPML file, whatever its type.'),
    },
  )
  @ConcurrencyLimit('imports')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  async import(@CurrentUser() { userId }: Account, @Req() request: Request): Promise<string> {
    const file = await inputBodiesOf(request).readBytes(request, LARGEST_OPML_BYTES);
    await this.imports.import(userId, file);
    return 'OK';
  }
}
