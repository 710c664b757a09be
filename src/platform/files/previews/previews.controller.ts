import { Controller, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Get } from '../../../common/contracts/routes.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { sendContent } from '../dav/send-content.js';
import { DavErrorFilter } from '../dav/dav-error.filter.js';
import { toFilePath } from '../tree/file-path.js';
import { FilesService } from '../tree/files.service.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { readSize, SizeParameters, type PreviewSize } from './preview-size.js';
import { PreviewsService } from './previews.service.js';
import { Media } from '../../../common/contracts/operation.decorator.js';

const FileById = z.object({ fileId: z.coerce.number().int(), ...SizeParameters });
const FileByPath = z.object({ file: z.string(), ...SizeParameters });

/**
 * Previews of files: pictures in the requested size, or 404. The parameters for fallbacks (`mode`,
 * `forceIcon`, `mimeFallback`) are ignored.
 */
@Controller('core')
@UseFilters(DavErrorFilter)
@InScope('files')
@UseGuards(BasicAuthGuard)
export class PreviewsController {
  constructor(
    private readonly files: FilesService,
    private readonly previews: PreviewsService,
  ) {}

  @Get('preview', 'Sends a picture of a file.', new Media('image/*', 'The picture.'), {
    empty: [304],
  })
  async byId(
    @CurrentUser() { userId }: Account,
    @Input(FileById) { fileId, ...size }: In<typeof FileById>,
    @Res() response: Response,
  ): Promise<void> {
    await this.#send(await this.files.locateById(userId, fileId), readSize(size), response);
  }

  @Get('preview.png', 'Sends a picture of a file.', new Media('image/*', 'The picture.'), {
    empty: [304],
  })
  async byPath(
    @CurrentUser() { userId }: Account,
    @Input(FileByPath) { file, ...size }: In<typeof FileByPath>,
    @Res() response: Response,
  ): Promise<void> {
    const path = toFilePath(file.split('/').filter((name) => name !== ''));
    const { node } = await this.files.locate(userId, path);
    await this.#send(node, readSize(size), response);
  }

  async #send(node: StoredNode, size: PreviewSize | null, response: Response): Promise<void> {
    const isWanted = () => !response.destroyed;
    const { type, content, close } = await this.previews.preview(node, size, isWanted);
    const checksum = size === null ? node.checksum : '';
    try {
      await sendContent(response, { ...node, mime: type, checksum }, content);
    } finally {
      await close();
    }
  }
}
