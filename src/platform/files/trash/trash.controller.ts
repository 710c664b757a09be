import { Delete, Move, Param, Propfind, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { hrefOf } from '../dav-format/dav-address.js';
import { escapeXml, NEXTCLOUD, readXml } from '../dav-format/dav-xml.js';
import { FilesController, Own, type OwnRequest } from '../dav/files-controller.decorator.js';
import { setNodeHeaders } from '../dav/node-headers.js';
import { NotInTrash } from '../files.errors.js';
import { Listing } from '../properties/listing.service.js';
import {
  nodeResponse,
  response as nodeStatuses,
  sendMultistatus,
} from '../properties/multistatus.js';
import { readPropertyRequest } from '../properties/property-request.js';
import { FilesService } from '../tree/files.service.js';
import type { TrashedNode } from './trash.repository.js';
import { TrashService } from './trash.service.js';

/**
 * The trash over WebDAV, at the addresses of Nextcloud. The name of an entry is its file id; a `MOVE` into
 * the folder `restore` restores it, and `Location` has the new address.
 */
@FilesController('remote.php/dav/trashbin/:userId')
export class TrashController {
  constructor(
    private readonly trash: TrashService,
    private readonly files: FilesService,
    private readonly listing: Listing,
  ) {}

  @Propfind('trash')
  @ConcurrencyLimit('lists of files')
  async list(@Own() { http, account }: OwnRequest, @Res() response: Response): Promise<void> {
    const wanted = readPropertyRequest(await readXml(http));
    const { top } = await this.files.locate(account.userId, []);
    const user = encodeURIComponent(account.userId);
    const mount = `/remote.php/dav/trashbin/${user}/trash`;
    const context = await this.listing.contextOf(account, { mount, path: [] }, top);
    const href = `${this.listing.prefix}${mount}/`;
    const elements = ['<d:resourcetype><d:collection/></d:resourcetype>'];
    const folder = nodeStatuses(href, [{ status: '200 OK', elements }]);
    const entries = http.get('depth') === '0' ? [] : await this.trash.list(account.userId);
    await sendMultistatus(response, [
      folder,
      ...entries.map((node) =>
        nodeResponse(
          { node: withTrashProperties(node), path: [String(node.id)], ancestorIds: [] },
          wanted,
          context,
        ),
      ),
    ]);
  }

  @Move('trash/:entry')
  async restore(
    @Own() { account: { userId } }: OwnRequest,
    @Param('entry') entry: string,
    @Res() response: Response,
  ): Promise<void> {
    const { node, path } = await this.trash.restore(userId, idOf(entry));
    const mount = `/remote.php/dav/files/${encodeURIComponent(userId)}`;
    setNodeHeaders(response, node, await this.files.instanceId());
    response.setHeader('Location', hrefOf(this.listing.prefix, { mount, path }, node.isFolder));
    response.status(201).end();
  }

  @Delete('trash/:entry')
  async remove(
    @Own() { account: { userId } }: OwnRequest,
    @Param('entry') entry: string,
    @Res() response: Response,
  ): Promise<void> {
    await this.trash.remove(userId, idOf(entry));
    response.status(204).end();
  }

  @Delete('trash')
  async empty(
    @Own() { account: { userId } }: OwnRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.trash.empty(userId);
    response.status(204).end();
  }
}

/** @throws NotInTrash */
function idOf(entry: string): number {
  if (!/^[1-9]\d{0,14}$/.test(entry)) {
    throw new NotInTrash(entry);
  }
  return Number(entry);
}

function withTrashProperties(node: TrashedNode): TrashedNode {
  const place = [...node.folderPath, node.name].join('/');
  return {
    ...node,
    deadProperties: {
      [`{${NEXTCLOUD}}trashbin-filename`]: escapeXml(node.name),
      [`{${NEXTCLOUD}}trashbin-original-location`]: escapeXml(place),
      [`{${NEXTCLOUD}}trashbin-deletion-time`]: String(node.deletedSeconds),
    },
  };
}
