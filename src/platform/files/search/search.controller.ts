import { Options, Req, Res, Search } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PublicAddress } from '../../../common/config/public-address.js';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { readXml } from '../dav-format/dav-xml.js';
import { FilesController } from '../dav/files-controller.decorator.js';
import { sendMultistatus } from '../properties/multistatus.js';
import { readSearch } from './search-request.js';
import { SearchService } from './search.service.js';

/** `SEARCH`; the body names the folder. */
@FilesController('remote.php/dav')
export class SearchController {
  constructor(
    private readonly searches: SearchService,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Search()
  @ConcurrencyLimit('lists of files')
  async search(
    @CurrentUser() account: Account,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const context = { userId: account.userId, root: this.publicAddress.root };
    const search = readSearch(await readXml(request), context);
    await sendMultistatus(response, this.searches.find(account, search));
  }

  @Options()
  describe(@Res() response: Response): void {
    response
      .status(200)
      .set({ DAV: '1, 2, 3', DASL: '<DAV:basicsearch>', Allow: 'OPTIONS, SEARCH' })
      .end();
  }
}
