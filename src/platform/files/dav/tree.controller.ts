import { Copy, Delete, Get, Mkcol, Move, Put, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { streamOfBody } from '../../../common/http/read-bounded-body.js';
import { FileChangesService, type MoveResult } from '../changes/file-changes.service.js';
import { UploadsService } from '../changes/uploads.service.js';
import { BlobStore } from '../content/blob-store.service.js';
import { InvalidDavRequest, IsFolder, UnsupportedBody } from '../files.errors.js';
import { toText } from '../tree/file-path.js';
import { FilesService } from '../tree/files.service.js';
import { Dav, type DavRequest } from './dav-request.service.js';
import { EVERY_PATH, FilesController, MOUNTS } from './files-controller.decorator.js';
import { setNodeHeaders, setUploadHeaders } from './node-headers.js';
import {
  abortWhenStalled,
  isShallow,
  readSizeBytes,
  readUploadHeaders,
} from './request-headers.js';
import { ArchivesOffer, sendContent, type SentContent } from './send-content.js';

/** `GET`, `HEAD`, `PUT`, `MKCOL`, `DELETE`, `MOVE` and `COPY`. */
@FilesController(MOUNTS)
export class TreeController {
  constructor(
    private readonly changes: FileChangesService,
    private readonly files: FilesService,
    private readonly uploads: UploadsService,
    private readonly blobs: BlobStore,
    private readonly archives: ArchivesOffer,
  ) {}

  /** Serves `HEAD` as well. */
  @Get(EVERY_PATH)
  async download(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    const { node } = await this.files.locate(dav.userId, dav.path);
    const { blobId, sizeBytes } = node;
    if (blobId !== null) {
      const open: SentContent['open'] = (part) => this.blobs.read(blobId, part);
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
      body: streamOfBody(dav.http),
      sizeBytes: readSizeBytes(dav.http),
      preconditions: dav.readPreconditions(),
    });
    setUploadHeaders(response, uploaded.node, headers, await this.files.instanceId());
    response.status(uploaded.isNew ? 201 : 204).end();
  }

  @Mkcol(EVERY_PATH)
  async makeFolder(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    if (hasBody(dav.http)) {
      throw new UnsupportedBody();
    }
    const node = await this.changes.makeFolder(dav.userId, dav.path, dav.readPreconditions());
    setNodeHeaders(response, node, await this.files.instanceId());
    response.status(201).end();
  }

  @Delete(EVERY_PATH)
  async remove(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    await this.changes.remove(dav.userId, dav.path, dav.readPreconditions());
    response.status(204).end();
  }

  @Move(EVERY_PATH)
  async move(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    const moved = await this.changes.move(
      dav.userId,
      dav.readMoveRequest(),
      dav.readPreconditions(),
    );
    await this.#answer(response, moved);
  }

  @Copy(EVERY_PATH)
  async copy(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    const copied = await this.changes.copy(
      dav.userId,
      dav.readMoveRequest(),
      isShallow(dav.http),
      dav.readPreconditions(),
    );
    await this.#answer(response, copied);
  }

  async #answer(response: Response, { node, replaced }: MoveResult): Promise<void> {
    setNodeHeaders(response, node, await this.files.instanceId());
    response.status(replaced ? 204 : 201).end();
  }
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Only an explicit `application/zip` counts; a wildcard is not a request for an archive. */
function wantsArchive(request: Request): boolean {
  return /\bapplication\/zip\b/i.test(request.get('accept') ?? '');
}
