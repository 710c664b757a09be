import { Get, Put, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { DavController, EVERY_PATH } from './dav-controller.decorator.js';
import { Dav, type DavRequest } from './dav-request.js';
import { setNodeHeaders, setUploadHeaders } from './node-headers.js';
import { readUploadHeaders, readSizeBytes } from './request-headers.js';
import { InvalidDavRequest, IsFolder } from '../files.errors.js';
import { toText } from '../tree/file-path.js';
import { FilesService } from '../tree/files.service.js';
import { ArchivesOffer } from './archives-offer.js';
import { ContentService } from '../content/content.service.js';
import { sendContent, type SentContent } from './send-content.js';
import { abortWhenStalled } from './upload-limit.js';
import { UploadsService } from '../changes/uploads.service.js';

/** `GET`, `HEAD` and `PUT`. */
@DavController()
export class ContentController {
  constructor(
    private readonly files: FilesService,
    private readonly uploads: UploadsService,
    private readonly content: ContentService,
    private readonly archives: ArchivesOffer,
  ) {}

  /** Serves `HEAD` as well. */
  @Get(EVERY_PATH)
  async download(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    const { node } = await this.files.locate(dav.userId, dav.path);
    const { blobId, sizeBytes } = node;
    if (blobId !== null) {
      const open: SentContent['open'] = (part) => this.content.read(blobId, part);
      await sendContent(response, node, { sizeBytes, open });
      return;
    }
    if (dav.http.method === 'HEAD') {
      // Clients check this way whether a folder exists.
      setNodeHeaders(response, node, await this.files.instanceId());
      response.status(200).end();
      return;
    }
    const { service: archives } = this.archives;
    if (archives === undefined || !wantsArchive(dav.http)) {
      throw new IsFolder(toText(dav.path));
    }
    await archives.send(response, dav.userId, dav.path);
  }

  @Put(EVERY_PATH)
  @ConcurrencyLimit('uploads')
  async upload(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    if (dav.http.get('content-range') !== undefined) {
      throw new InvalidDavRequest('Partial uploads (Content-Range) are not supported.');
    }
    abortWhenStalled(dav.http);
    const headers = readUploadHeaders(dav.http);
    const uploaded = await this.uploads.upload(dav.userId, dav.path, {
      ...headers,
      body: dav.http,
      sizeBytes: readSizeBytes(dav.http),
      preconditions: dav.readPreconditions(),
    });
    setUploadHeaders(response, uploaded.node, headers, await this.files.instanceId());
    response.status(uploaded.isNew ? 201 : 204).end();
  }
}

/** Only an explicit `application/zip` counts; a wildcard is not a request for an archive. */
function wantsArchive(request: Request): boolean {
  return /\bapplication\/zip\b/i.test(request.get('accept') ?? '');
}
