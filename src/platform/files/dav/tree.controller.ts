import { Copy, Delete, Mkcol, Move, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DavController, EVERY_PATH } from './dav-controller.decorator.js';
import { Dav, type DavRequest } from './dav-request.js';
import { setNodeHeaders } from './node-headers.js';
import { isShallow } from './request-headers.js';
import { UnsupportedBody } from '../files.errors.js';
import { FileChangesService, type MoveResult } from '../changes/file-changes.service.js';
import { FilesService } from '../tree/files.service.js';

/** `MKCOL`, `DELETE`, `MOVE` and `COPY`. */
@DavController()
export class TreeController {
  constructor(
    private readonly changes: FileChangesService,
    private readonly files: FilesService,
  ) {}

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
