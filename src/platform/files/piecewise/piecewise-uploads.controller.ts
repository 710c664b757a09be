import { Delete, Mkcol, Move, Param, Propfind, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PublicAddress } from '../../../common/config/public-address.js';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { streamOfBody } from '../../../common/http/read-bounded-body.js';
import { FilesController, Own, type OwnRequest } from '../dav/files-controller.decorator.js';
import { setUploadHeaders } from '../dav/node-headers.js';
import {
  abortWhenStalled,
  readPreconditions,
  readMoveRequest,
  readSizeBytes,
  readTotalBytes,
  readUploadHeaders,
} from '../dav/request-headers.js';
import { Listing } from '../properties/listing.service.js';
import { response as nodeStatuses, sendMultistatus } from '../properties/multistatus.js';
import { FilesService } from '../tree/files.service.js';
import { PiecewiseUploadsService } from './piecewise-uploads.service.js';

/** The virtual file that represents all pieces together. */
const WHOLE = '.file';

const TOP: readonly string[] = [];

/**
 * Uploads in pieces: clients create a folder, put the pieces into it, and move `.file` to the
 * destination.
 */
@FilesController('remote.php/dav/uploads/:userId/:upload')
export class PiecewiseUploadsController {
  constructor(
    private readonly uploads: PiecewiseUploadsService,
    private readonly files: FilesService,
    private readonly listing: Listing,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Mkcol()
  async begin(
    @Own() { account: { userId } }: OwnRequest,
    @Param('upload') upload: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.uploads.begin(userId, upload);
    response.status(201).end();
  }

  @Put(':piece')
  @ConcurrencyLimit('uploads')
  async add(
    @Own() { http, account: { userId } }: OwnRequest,
    @Param('upload') upload: string,
    @Param('piece') piece: string,
    @Res() response: Response,
  ): Promise<void> {
    abortWhenStalled(http);
    const incoming = { body: streamOfBody(http), sizeBytes: readSizeBytes(http) };
    const isNew = await this.uploads.add(userId, upload, piece, incoming);
    response.status(isNew ? 201 : 204).end();
  }

  /** Lists the stored pieces, for clients that resume an upload. */
  @Propfind()
  async list(
    @Own() { http, account: { userId } }: OwnRequest,
    @Param('upload') upload: string,
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
    await sendMultistatus(response, http.get('depth') === '0' ? [folder] : [folder, ...members]);
  }

  @Move(WHOLE)
  async finish(
    @Own() { http, account: { userId } }: OwnRequest,
    @Param('upload') upload: string,
    @Res() response: Response,
  ): Promise<void> {
    const context = { userId, root: this.publicAddress.root };
    const { to, overwrite } = readMoveRequest(http, TOP, context);
    const headers = readUploadHeaders(http);
    const preconditions = readPreconditions(http, context);
    const { node, isNew } = await this.uploads.finish(userId, upload, to, {
      ...headers,
      totalBytes: readTotalBytes(http),
      preconditions: overwrite ? preconditions : { ...preconditions, ifNoneMatch: '*' },
    });
    setUploadHeaders(response, node, headers, await this.files.instanceId());
    response.status(isNew ? 201 : 204).end();
  }

  @Delete()
  async abandon(
    @Own() { account: { userId } }: OwnRequest,
    @Param('upload') upload: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.uploads.abandon(userId, upload);
    response.status(204).end();
  }
}

function shown(href: string, properties: string): string {
  return nodeStatuses(href, [{ status: '200 OK', elements: [properties] }]);
}
