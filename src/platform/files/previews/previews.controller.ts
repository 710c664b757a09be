import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { wholeNumber, wholeNumberThat } from '../../../common/http/loose-inputs.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { FilesController } from '../dav/files-controller.decorator.js';
import { sendContent } from '../dav/send-content.js';
import { toFilePath } from '../tree/file-path.js';
import { FilesService } from '../tree/files.service.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import type { PreviewSize } from './preview-cache.service.js';
import { PreviewsService } from './previews.service.js';

const LARGEST_PIXELS = 2048;
const Pixels = wholeNumberThat((int) => int.positive())
  .optional()
  .catch(undefined);

/** `x`, `y`, and `a` for the whole picture; other values count as absent. */
const SizeParameters = {
  x: Pixels,
  y: Pixels,
  a: z.string().optional().catch(undefined),
};

const FileById = z.object({ fileId: wholeNumber, ...SizeParameters });
const FileByPath = z.object({ file: z.string(), ...SizeParameters });

/**
 * Previews of files: pictures in the requested size, or 404. The parameters for fallbacks (`mode`,
 * `forceIcon`, `mimeFallback`) are ignored.
 */
@FilesController('core')
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

/** @returns null when no size is requested: the picture itself */
function readSize(parameters: {
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly a?: string | undefined;
}): PreviewSize | null {
  const width = parameters.x ?? parameters.y;
  const height = parameters.y ?? parameters.x;
  if (width === undefined || height === undefined) {
    return null;
  }
  const scale = Math.min(1, LARGEST_PIXELS / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
    crop: !/^(?:1|true)$/i.test(parameters.a ?? ''),
  };
}
