import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { FilesController } from '../dav/files-controller.decorator.js';
import { toFilePath } from '../tree/file-path.js';
import { ArchivesService } from './archives.service.js';

const FolderOfUser = z.object({ dir: z.string() });

/** The archive route of hosts before version 31, still used by clients. */
@FilesController('apps/files/ajax/download.php')
export class ArchivesController {
  constructor(private readonly archives: ArchivesService) {}

  @Get('', 'Sends a folder as an archive.', new Media('application/zip', 'The archive.'))
  async download(
    @CurrentUser() { userId }: Account,
    @Input(FolderOfUser) { dir }: In<typeof FolderOfUser>,
    @Res() response: Response,
  ): Promise<void> {
    const path = toFilePath(dir.split('/').filter((name) => name !== ''));
    await this.archives.send(response, userId, path);
  }
}
