import { Controller, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { ApiPost, Delete, Get, Put } from '../../../common/contracts/routes.js';
import { InvalidInput } from '../../../common/errors/domain-error.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import { readUpload } from '../../../common/http/read-upload.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { AvatarsService, LARGEST_PICTURE_BYTES, type AvatarRequest } from './avatars.service.js';

const SuccessAnswer = z.object({ status: z.literal('success') });

const LARGEST_PIXELS = 4096;
const size = wholeNumberThat((int) => int.min(1)).transform((size) =>
  Math.min(size, LARGEST_PIXELS),
);
const AvatarPath = z.object({ userId: z.string(), size });

/** Suits both a page full of avatars and a changed picture. */
const FRESH_SECONDS = 300;

/** Avatars at the addresses of the protocol. */
@Controller('avatar')
@UseGuards(BasicAuthGuard)
export class AvatarsController {
  constructor(private readonly avatars: AvatarsService) {}

  @Get(':userId/:size', 'Sends the picture of a user.', new Media('image/*', 'The picture.'), {
    empty: [304],
  })
  @InScope('any')
  async show(
    @Input(AvatarPath) { userId, size }: In<typeof AvatarPath>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.#send({ userId, sizePixels: size, dark: false }, request, response);
  }

  @Get(
    ':userId/:size/dark',
    'Sends the picture of a user for a dark background.',
    new Media('image/*', 'The picture.'),
    { empty: [304] },
  )
  @InScope('any')
  async showOnDark(
    @Input(AvatarPath) { userId, size }: In<typeof AvatarPath>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.#send({ userId, sizePixels: size, dark: true }, request, response);
  }

  @ApiPost('', 'Chooses the picture of the caller.', SuccessAnswer, {
    body: new Media('image/*', 'The picture, or a form with it.'),
  })
  async choose(@CurrentUser() user: Account, @Req() request: Request) {
    await this.avatars.choose(user.userId, await pictureIn(request));
    return { status: 'success' as const };
  }

  @Put('', 'Chooses the picture of the caller.', SuccessAnswer, {
    body: new Media('image/*', 'The picture.'),
  })
  async put(@CurrentUser() user: Account, @Req() request: Request) {
    await this.avatars.choose(user.userId, await pictureIn(request));
    return { status: 'success' as const };
  }

  @Delete('', 'Removes the picture of the caller.', SuccessAnswer)
  async forget(@CurrentUser() user: Account) {
    await this.avatars.forget(user.userId);
    return { status: 'success' as const };
  }

  async #send(
    wanted: Omit<AvatarRequest, 'knownDigests' | 'takesSvg'>,
    request: Request,
    response: Response,
  ): Promise<void> {
    const knownDigests = digestsIn(request.headers['if-none-match']);
    const { mediaType, digest, bytes, chosen } = await this.avatars.show({
      ...wanted,
      knownDigests,
      // `*/*` does not count as SVG: such programs may only decode raster images. Browsers name
      // SVG.
      takesSvg: /image\/svg\+xml/i.test(request.headers.accept ?? ''),
    });
    response.set({
      Vary: 'Accept',
      ETag: `"${digest}"`,
      'Cache-Control': `private, max-age=${FRESH_SECONDS}`,
      'X-NC-IsCustomAvatar': chosen ? '1' : '0',
    });
    if (bytes === null) {
      response.status(304).end();
      return;
    }
    response
      .set({
        'Content-Type': mediaType,
        // An SVG opened as a page is a document of this origin.
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'X-Content-Type-Options': 'nosniff',
      })
      .send(bytes);
  }
}

async function pictureIn(request: Request): Promise<Buffer> {
  const picture = await readUpload(request, LARGEST_PICTURE_BYTES);
  if (picture === null) {
    throw new InvalidInput('The form has no file.');
  }
  return picture;
}

/** @param header `If-None-Match`: quoted entity tags, strong or weak */
function digestsIn(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/"([0-9a-f]{64})"/g)].map(([, digest = '']) => digest);
}
