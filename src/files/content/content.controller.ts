import { Get, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { PublicAddress } from '../../common/http/public-address.js';
import { NeedsDiskSpace } from '../../common/disk/disk-reserve.guard.js';
import { ConcurrencyLimit } from '../../common/http/concurrency-limit.decorator.js';
import { OpenConnections } from '../../common/http/open-connections.js';
import type { Account } from '../../common/ports/user-directory.js';
import { ArchivesService } from '../archives/archives.service.js';
import { InvalidDavRequest, IsFolder } from '../files.errors.js';
import { toText } from '../tree/file-path.js';
import { FilesService } from '../tree/files.service.js';
import { BlobStore } from './blob-store.js';
import { UploadsService } from './uploads.service.js';
import { Address, type DavAddress } from '../dav/dav-address.js';
import { DavController, EVERY_PLACE } from '../dav/dav-controller.decorator.js';
import { setNodeHeaders } from '../dav/node-headers.js';
import {
  readChecksum,
  readPreconditions,
  readMtimeSeconds,
  readSizeBytes,
} from '../dav/request-headers.js';
import { sendArchive } from '../archives/send-archive.js';
import { sendContent } from './send-content.js';
import { abortWhenStalled } from './stalled-sender.js';
import { UPLOADS } from './upload-limit.js';

/** What is in files. */
@DavController()
export class ContentController {
  constructor(
    private readonly files: FilesService,
    private readonly uploads: UploadsService,
    private readonly blobs: BlobStore,
    private readonly archives: ArchivesService,
    private readonly connections: OpenConnections,
    private readonly publicAddress: PublicAddress,
  ) {}

  /** Answers HEAD as well. */
  @Get(EVERY_PLACE)
  async download(
    @CurrentUser() { userId }: Account,
    @Address() { path }: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { node } = await this.files.locate(userId, path);
    if (node.blobId === null && request.method === 'HEAD') {
      // So clients ask whether there is such a folder.
      setNodeHeaders(response, node, await this.files.instanceId());
      response.status(200).end();
      return;
    }
    if (node.blobId === null && wantsArchive(request)) {
      const archive = await this.archives.archive(userId, path);
      await sendArchive(response, archive, this.connections.open('archives', userId));
      return;
    }
    if (node.blobId === null) {
      throw new IsFolder(toText(path));
    }
    await this.blobs.assertPresent();
    await sendContent(response, node, this.blobs.pathOf(node.blobId));
  }

  @Put(EVERY_PLACE)
  @NeedsDiskSpace()
  @ConcurrencyLimit(UPLOADS)
  async upload(
    @CurrentUser() { userId }: Account,
    @Address() { path }: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (request.get('content-range') !== undefined) {
      throw new InvalidDavRequest('Content is uploaded as a whole, not in ranges.');
    }
    abortWhenStalled(request);
    const mtimeSeconds = readMtimeSeconds(request);
    const { node, isNew } = await this.uploads.upload(userId, path, {
      body: request,
      sizeBytes: readSizeBytes(request),
      mtimeSeconds,
      checksum: readChecksum(request),
      preconditions: readPreconditions(request, { userId, root: this.publicAddress.root }),
    });
    setNodeHeaders(response, node, await this.files.instanceId());
    if (mtimeSeconds !== undefined) {
      response.setHeader('X-OC-MTime', 'accepted');
    }
    response.status(isNew ? 201 : 204).end();
  }
}

/** Said by name: who takes anything did not ask for that. */
function wantsArchive(request: Request): boolean {
  return /\bapplication\/zip\b/i.test(request.get('accept') ?? '');
}
