import { All, MethodNotAllowedException, Options, Res } from '@nestjs/common';
import type { Response } from 'express';
import { UnsupportedReport } from '../files.errors.js';
import { Listing } from '../properties/listing.js';
import { readPropertyRequest, requestFor } from '../properties/property-request.js';
import { DavController, EVERY_PATH } from './dav-controller.decorator.js';
import { Dav, type DavRequest } from './dav-request.js';
import { childOf, DAV, isNamed, OWNCLOUD, readXml, textOf } from '../dav-format/dav-xml.js';
import { sendMultistatus } from '../properties/multistatus.js';

const VERBS =
  'OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK, REPORT';

/** `OPTIONS`, `REPORT`, and 405 for the rest. Must be registered after the other controllers. */
@DavController()
export class OtherVerbsController {
  constructor(private readonly listing: Listing) {}

  @Options(EVERY_PATH)
  describe(@Res() response: Response): void {
    response
      .status(200)
      // Windows does not mount a share without MS-Author-Via.
      .set({ DAV: '1, 2, 3', Allow: VERBS, 'MS-Author-Via': 'DAV' })
      .end();
  }

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
