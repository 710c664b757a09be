import { All, MethodNotAllowedException, Options, Propfind, Proppatch, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { FileChangesService } from '../changes/file-changes.service.js';
import { hrefOf } from '../dav-format/dav-address.js';
import { childOf, DAV, isNamed, OWNCLOUD, readXml, textOf } from '../dav-format/dav-xml.js';
import { UnsupportedReport } from '../files.errors.js';
import { Listing } from '../properties/listing.service.js';
import { response as nodeStatuses, sendMultistatus } from '../properties/multistatus.js';
import { readPropertyRequest, requestFor } from '../properties/property-request.js';
import {
  decideUpdate,
  readPropertyUpdate,
  type PropertyVerdict,
} from '../properties/property-update.js';
import { Dav, type DavRequest } from './dav-request.service.js';
import { EVERY_PATH, FilesController, MOUNTS } from './files-controller.decorator.js';
import { readDepth } from './request-headers.js';

const VERBS =
  'OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK, REPORT';

/** `PROPFIND`, `PROPPATCH`, `REPORT`, `OPTIONS`, and 405 for the rest. */
@FilesController(MOUNTS)
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

  @Options(EVERY_PATH)
  describe(@Res() response: Response): void {
    response
      .status(200)
      // Windows does not mount a share without MS-Author-Via.
      .set({ DAV: '1, 2, 3', Allow: VERBS, 'MS-Author-Via': 'DAV' })
      .end();
  }

  /** `REPORT`, and 405 for every other verb. Must be the last route of these addresses. */
  @All(EVERY_PATH)
  async report(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    const { method } = dav.http;
    if (method !== 'REPORT') {
      response.setHeader('Allow', VERBS);
      throw new MethodNotAllowedException(`${method} is not supported for files.`);
    }
    const body = await readXml(dav.http);
    const rules = body && childOf(body, OWNCLOUD, 'filter-rules');
    const favorite = rules && childOf(rules, OWNCLOUD, 'favorite');
    if (
      !body ||
      !isNamed(body, OWNCLOUD, 'filter-files') ||
      !favorite ||
      textOf(favorite) !== '1'
    ) {
      throw new UnsupportedReport();
    }
    const prop = childOf(body, DAV, 'prop');
    const wanted = prop === null ? readPropertyRequest(null) : requestFor(prop);
    const favorites = await this.listing.favorites(dav.account, dav.address, wanted);
    await sendMultistatus(response, favorites);
  }
}
