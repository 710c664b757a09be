import { All, MethodNotAllowedException, Options, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { UnsupportedReport } from '../files.errors.js';
import { Address, type DavAddress } from './dav-address.js';
import { DavController, EVERY_PLACE } from './dav-controller.decorator.js';
import { childOf, DAV, isNamed, OWNCLOUD, readXml, textOf } from './dav-xml.js';
import { Listing } from '../properties/listing.js';
import { sendMultistatus } from './multistatus.js';
import { readPropertyRequest, requestFor } from '../properties/property-request.js';

const VERBS =
  'OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK, REPORT';

/** What files can be done with, and what they cannot. Comes after the controllers that can. */
@DavController()
export class OtherVerbsController {
  constructor(private readonly listing: Listing) {}

  @Options(EVERY_PLACE)
  tell(@Res() response: Response): void {
    response
      .status(200)
      // Windows asks for no files where the last one is missing.
      .set({ DAV: '1, 2, 3', Allow: VERBS, 'MS-Author-Via': 'DAV' })
      .end();
  }

  @All(EVERY_PLACE)
  async report(
    @CurrentUser() account: Account,
    @Address() address: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (request.method !== 'REPORT') {
      response.setHeader('Allow', VERBS);
      throw new MethodNotAllowedException(`Files know no ${request.method}.`);
    }
    const body = await readXml(request);
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
    await sendMultistatus(response, await this.listing.favorites(account, address, wanted));
  }
}
