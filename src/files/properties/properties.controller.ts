import { Propfind, Proppatch, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { PublicAddress } from '../../common/http/public-address.js';
import type { Account } from '../../common/ports/user-directory.js';
import { FileChangesService } from '../tree/file-changes.service.js';
import { Address, hrefOf, type DavAddress } from '../dav/dav-address.js';
import { DavController, EVERY_PLACE } from '../dav/dav-controller.decorator.js';
import { readXml } from '../dav/dav-xml.js';
import { Listing } from './listing.js';
import { response as nodeStatuses, sendMultistatus } from '../dav/multistatus.js';
import { readPropertyRequest } from './property-request.js';
import { decideUpdate, readPropertyUpdate, type PropertyVerdict } from './property-update.js';
import { readPreconditions, readDepth } from '../dav/request-headers.js';

/** What is known about files and folders. */
@DavController()
export class PropertiesController {
  constructor(
    private readonly changes: FileChangesService,
    private readonly listing: Listing,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Propfind(EVERY_PLACE)
  async list(
    @CurrentUser() account: Account,
    @Address() address: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const wanted = readPropertyRequest(await readXml(request));
    const levels = readDepth(request);
    await sendMultistatus(response, this.listing.of(account, address, wanted, levels));
  }

  @Proppatch(EVERY_PLACE)
  async change(
    @CurrentUser() { userId }: Account,
    @Address() address: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const instructions = readPropertyUpdate(await readXml(request));
    const preconditions = readPreconditions(request, { userId, root: this.publicAddress.root });
    let verdict: PropertyVerdict = { change: {}, statuses: [] };
    const node = await this.changes.setProperties(userId, address.path, preconditions, (node) => {
      verdict = decideUpdate(instructions, node);
      return verdict.change;
    });
    const href = hrefOf(this.listing.prefix, address, node.isFolder);
    await sendMultistatus(response, [nodeStatuses(href, verdict.statuses)]);
  }
}
