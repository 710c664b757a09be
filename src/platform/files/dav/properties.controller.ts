import { Propfind, Proppatch, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { hrefOf } from '../dav-format/dav-address.js';
import { DavController, EVERY_PATH } from './dav-controller.decorator.js';
import { Dav, type DavRequest } from './dav-request.js';
import { readXml } from '../dav-format/dav-xml.js';
import { response as nodeStatuses, sendMultistatus } from '../properties/multistatus.js';
import { readDepth } from './request-headers.js';
import { FileChangesService } from '../changes/file-changes.service.js';
import { Listing } from '../properties/listing.js';
import { readPropertyRequest } from '../properties/property-request.js';
import {
  decideUpdate,
  readPropertyUpdate,
  type PropertyVerdict,
} from '../properties/property-update.js';

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
