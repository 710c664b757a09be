import { Controller, Get, Param, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PublicAddress } from '../../common/config/public-address.js';
import { Public } from '../../common/http/current-user.decorator.js';
import { FileNodesOffer } from '../../common/ports/file-nodes.js';
import type { Session } from '../../common/ports/sessions.js';
import { PageNotFound } from './pages.errors.js';
import { PagesService } from './pages.service.js';
import { LoginRedirect, PageVisitor, PageVisitorGuard } from './visitors/page-visitor.guard.js';
import { sendPage } from './visitors/send-page.js';

/** Views of Nextcloud's files, with the query of our page that shows them. */
const QUERY_OF_VIEW = new Map([
  ['favorites', '?view=favorites'],
  ['trashbin', '?view=trash'],
]);

/**
 * Links to files and views as clients, apps and bots of Nextcloud write them; they lead to the place on our
 * page. A folder of the user with the name of a view comes first, since that is its address there.
 */
@Controller()
@Public()
@UseGuards(PageVisitorGuard)
@UseFilters(LoginRedirect)
export class FileLinksController {
  constructor(
    private readonly files: FileNodesOffer,
    private readonly pages: PagesService,
    private readonly address: PublicAddress,
  ) {}

  @Get([
    '/f/:fileId',
    '/apps/files/files{/:fileId}',
    '/apps/files/favorites',
    '/apps/files/trashbin',
  ])
  async lead(
    @PageVisitor() session: Session,
    @Param('fileId') fileId: string | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { userId } = session.account;
    const { pathname, search } = new URL(request.url, 'http://host');
    const [, area, , view = '', ...rest] = pathname.replace(/\/$/, '').split('/');
    if (area === 'apps' && !(await this.#isLink(userId, [view, ...rest]))) {
      sendPage(response, await this.pages.shell(session, request), this.pages.shellPolicy);
      return;
    }
    const place =
      fileId === undefined
        ? (QUERY_OF_VIEW.get(view) ?? search)
        : await this.#placeOf(userId, fileId, pathname);
    response
      .set('Cache-Control', 'no-store')
      .redirect(302, this.address.pathOf(`/apps/files/${place}`));
  }

  async #isLink(userId: string, names: readonly string[]): Promise<boolean> {
    const mayBe = /^\w+(?:,\d+)?$/.test(String(names));
    return mayBe && (await this.files.service?.hasFolder(userId, names)) === false;
  }

  /** @throws PageNotFound if the user has no such file */
  async #placeOf(userId: string, id: string, path: string): Promise<string> {
    const isId = /^\d{1,15}$/.test(id);
    const [node] = (isId && (await this.files.service?.find(userId, [Number(id)]))) || [];
    const { fileType, directory, name, fileId } = PageNotFound.unless(node, path);
    const names = [...directory.split('/'), fileType === 'dir' ? name : ''];
    const folder = names.filter(Boolean).map((part) => `${encodeURIComponent(part)}/`);
    return folder.join('') + (fileType === 'dir' ? '' : `?file=${fileId}`);
  }
}
