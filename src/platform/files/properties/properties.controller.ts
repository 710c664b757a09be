import { Propfind, Proppatch, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { hrefOf } from '../dav/dav-address.js';
import { DavController, EVERY_PATH } from '../dav/dav-controller.decorator.js';
import { Dav, type DavRequest } from '../dav/dav-request.js';
import { readXml } from '../dav/dav-xml.js';
import { response as nodeStatuses, sendMultistatus } from '../dav/multistatus.js';
import { readDepth } from '../dav/request-headers.js';
import { FileChangesService } from '../tree/file-changes.service.js';
import { Listing } from './listing.js';
import { readPropertyRequest } from './property-request.js';
import { decideUpdate, readPropertyUpdate, type PropertyVerdict } from './property-update.js';

/** `PROPFIND` and `PROPPATCH`. */
@DavController()
export class PropertiesController {
  constructor(
    private readonly changes: FileChangesService,
    private readonly listing: Listing,
  ) {}

  @Propfind(EVERY_PATH)
  @ConcurrencyLimit('lists of files')
  async list(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    const wanted = readPropertyRequest(await readXml(dav.http));
    const levels = readDepth(dav.http);
    await sendMultistatus(response, this.listing.of(dav.account, dav.address, wanted, levels));
  }

  @Proppatch(EVERY_PATH)
  async change(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    const instructions = readPropertyUpdate(await readXml(dav.http));
    const preconditions = dav.readPreconditions();
    let verdict: PropertyVerdict = { change: {}, statuses: [] };
    const { userId, path } = dav;
    const node = await this.changes.setProperties(userId, path, preconditions, (node) => {
      verdict = decideUpdate(instructions, node);
      return verdict.change;
    });
    const href = hrefOf(this.listing.prefix, dav.address, node.isFolder);
    await sendMultistatus(response, [nodeStatuses(href, verdict.statuses)]);
  }
}
