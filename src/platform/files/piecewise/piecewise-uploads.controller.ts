import {
  Controller,
  Delete,
  Mkcol,
  Move,
  Param,
  Propfind,
  Put,
  Req,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { abortWhenStalled } from '../dav/upload-limit.js';
import { DavErrorFilter } from '../dav/dav-error.filter.js';
import { response as nodeStatuses, sendMultistatus } from '../properties/multistatus.js';
import { setUploadHeaders } from '../dav/node-headers.js';
import {
  readPreconditions,
  readMoveRequest,
  readSizeBytes,
  readTotalBytes,
  readUploadHeaders,
} from '../dav/request-headers.js';
import { Listing } from '../properties/listing.js';
import { FilesService } from '../tree/files.service.js';
import { OwnUpload, type UploadAddress } from './own-upload.decorator.js';
import { PiecewiseUploadsService } from './piecewise-uploads.service.js';

/** The virtual file that stands for all pieces together. */
const WHOLE = '.file';

const TOP: readonly string[] = [];

/**
 * Uploads in pieces: clients create a folder, put the pieces into it, and move `.file` to the
 * destination.
 */
@Controller('remote.php/dav/uploads/:userId/:upload')
@UseFilters(DavErrorFilter)
@InScope('files')
@UseGuards(BasicAuthGuard)
export class PiecewiseUploadsController {
  constructor(
    private readonly uploads: PiecewiseUploadsService,
    private readonly files: FilesService,
    private readonly listing: Listing,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Mkcol()
  async begin(
    @OwnUpload() { userId, upload }: UploadAddress,
    @Res() response: Response,
  ): Promise<void> {
    await this.uploads.begin(userId, upload);
    response.status(201).end();
  }

  @Put(':piece')
  @ConcurrencyLimit('uploads')
  async add(
    @OwnUpload() { userId, upload }: UploadAddress,
    @Param('piece') piece: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    abortWhenStalled(request);
    const incoming = { body: request, sizeBytes: readSizeBytes(request) };
    const isNew = await this.uploads.add(userId, upload, piece, incoming);
    response.status(isNew ? 201 : 204).end();
  }

  /** Lists the stored pieces, for clients that resume an upload. */
  @Propfind()
  async list(
    @OwnUpload() { userId, upload }: UploadAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const pieces = await this.uploads.list(userId, upload);
    const href = `${this.listing.prefix}/remote.php/dav/uploads/${[userId, upload].map(encodeURIComponent).join('/')}/`;
    const folder = shown(href, '<d:resourcetype><d:collection/></d:resourcetype>');
    const members = pieces.map(({ name, sizeBytes }) =>
      shown(
        `${href}${encodeURIComponent(name)}`,
        `<d:resourcetype/><d:getcontentlength>${sizeBytes}</d:getcontentlength>`,
      ),
    );
    await sendMultistatus(response, request.get('depth') === '0' ? [folder] : [folder, ...members]);
  }

  @Move(WHOLE)
  async finish(
    @OwnUpload() { userId, upload }: UploadAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const context = { userId, root: this.publicAddress.root };
    const { to, overwrite } = readMoveRequest(request, TOP, context);
    const headers = readUploadHeaders(request);
    const preconditions = readPreconditions(request, context);
    const { node, isNew } = await this.uploads.finish(userId, upload, to, {
      ...headers,
      totalBytes: readTotalBytes(request),
      preconditions: overwrite ? preconditions : { ...preconditions, ifNoneMatch: '*' },
    });
    setUploadHeaders(response, node, headers, await this.files.instanceId());
    response.status(isNew ? 201 : 204).end();
  }

  @Delete()
  async abandon(
    @OwnUpload() { userId, upload }: UploadAddress,
    @Res() response: Response,
  ): Promise<void> {
    await this.uploads.abandon(userId, upload);
    response.status(204).end();
  }
}

function shown(href: string, properties: string): string {
  return nodeStatuses(href, [{ status: '200 OK', elements: [properties] }]);
}
