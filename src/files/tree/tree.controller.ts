import { Copy, Delete, Mkcol, Move, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { PublicAddress } from '../../common/http/public-address.js';
import type { Account } from '../../common/ports/user-directory.js';
import { UnsupportedBody } from '../files.errors.js';
import { FileChangesService, type MoveResult } from './file-changes.service.js';
import { FilesService } from './files.service.js';
import { Address, type DavAddress } from '../dav/dav-address.js';
import { DavController, EVERY_PLACE } from '../dav/dav-controller.decorator.js';
import { setNodeHeaders } from '../dav/node-headers.js';
import {
  isShallow,
  readPreconditions,
  readMoveRequest,
  type DavRequestContext,
} from '../dav/request-headers.js';

/** Where files and folders are. */
@DavController()
export class TreeController {
  constructor(
    private readonly changes: FileChangesService,
    private readonly files: FilesService,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Mkcol(EVERY_PLACE)
  async makeFolder(
    @CurrentUser() { userId }: Account,
    @Address() { path }: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (hasBody(request)) {
      throw new UnsupportedBody();
    }
    const preconditions = readPreconditions(request, this.#context(userId));
    const node = await this.changes.makeFolder(userId, path, preconditions);
    setNodeHeaders(response, node, await this.files.instanceId());
    response.status(201).end();
  }

  @Delete(EVERY_PLACE)
  async remove(
    @CurrentUser() { userId }: Account,
    @Address() { path }: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.changes.remove(userId, path, readPreconditions(request, this.#context(userId)));
    response.status(204).end();
  }

  @Move(EVERY_PLACE)
  async move(
    @CurrentUser() { userId }: Account,
    @Address() { path }: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const context = this.#context(userId);
    const moveRequest = readMoveRequest(request, path, context);
    const preconditions = readPreconditions(request, context);
    await this.#answer(response, await this.changes.move(userId, moveRequest, preconditions));
  }

  @Copy(EVERY_PLACE)
  async copy(
    @CurrentUser() { userId }: Account,
    @Address() { path }: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const context = this.#context(userId);
    const moveRequest = readMoveRequest(request, path, context);
    const preconditions = readPreconditions(request, context);
    const result = await this.changes.copy(userId, moveRequest, isShallow(request), preconditions);
    await this.#answer(response, result);
  }

  #context(userId: string): DavRequestContext {
    return { userId, root: this.publicAddress.root };
  }

  async #answer(response: Response, { node, replaced }: MoveResult): Promise<void> {
    setNodeHeaders(response, node, await this.files.instanceId());
    response.status(replaced ? 204 : 201).end();
  }
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
