import { Copy, Delete, Mkcol, Move, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { PublicAddress } from '../../common/http/public-address.js';
import type { Account } from '../../common/ports/user-directory.js';
import { UnsupportedBody } from '../files.errors.js';
import { FileChangesService, type Arrival } from './file-changes.service.js';
import { FilesService } from './files.service.js';
import { Address, type DavAddress } from '../dav/dav-address.js';
import { DavController, EVERY_PLACE } from '../dav/dav-controller.decorator.js';
import { announceNode } from '../dav/node-headers.js';
import { isShallow, readConditions, readJourney, type Bearings } from '../dav/request-headers.js';

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
    const conditions = readConditions(request, this.#bearings(userId));
    const node = await this.changes.makeFolder(userId, path, conditions);
    announceNode(response, node, await this.files.instanceId());
    response.status(201).end();
  }

  @Delete(EVERY_PLACE)
  async remove(
    @CurrentUser() { userId }: Account,
    @Address() { path }: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.changes.remove(userId, path, readConditions(request, this.#bearings(userId)));
    response.status(204).end();
  }

  @Move(EVERY_PLACE)
  async move(
    @CurrentUser() { userId }: Account,
    @Address() { path }: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const bearings = this.#bearings(userId);
    const journey = readJourney(request, path, bearings);
    const conditions = readConditions(request, bearings);
    await this.#answer(response, await this.changes.move(userId, journey, conditions));
  }

  @Copy(EVERY_PLACE)
  async copy(
    @CurrentUser() { userId }: Account,
    @Address() { path }: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const bearings = this.#bearings(userId);
    const journey = readJourney(request, path, bearings);
    const conditions = readConditions(request, bearings);
    const arrival = await this.changes.copy(userId, journey, isShallow(request), conditions);
    await this.#answer(response, arrival);
  }

  #bearings(userId: string): Bearings {
    return { userId, root: this.publicAddress.root };
  }

  async #answer(response: Response, { node, replaced }: Arrival): Promise<void> {
    announceNode(response, node, await this.files.instanceId());
    response.status(replaced ? 204 : 201).end();
  }
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
