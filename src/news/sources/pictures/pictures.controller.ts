import { Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { ConcurrencyLimit } from '../../../common/http/concurrency-limit.decorator.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController } from '../../http/levels.guard.js';
import { text } from '../../parameters.js';
import { PicturesService } from './pictures.service.js';

const ONE_WEEK_SECONDS = 604_800;

/** Pages ask for the pictures of an article or a screen at once. */
const MOST_ADDRESSES = 200;
const LONGEST_ADDRESS = 8_000;

const address = text.max(LONGEST_ADDRESS, `must have at most ${LONGEST_ADDRESS} characters`);

export const SignAddresses = z.object({
  addresses: z
    .array(address, { error: 'must be a list of texts' })
    .max(MOST_ADDRESSES, `must have at most ${MOST_ADDRESSES} entries`),
});

export const ShowPicture = z.object({ signature: text, address });

/** Signatures by address. */
export const SignaturesAnswer = z.object({ signatures: z.record(z.string(), z.string()) });

/**
 * Pictures of articles for the pages, outside of the API that other origins may call.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController('apps/news', 'pictures')
export class PicturesController {
  constructor(private readonly pictures: PicturesService) {}

  @ApiPost('', 'Signs the addresses of pictures.', SignaturesAnswer)
  @WorksOnFullDisk()
  sign(
    @CurrentUser() user: Account,
    @Input(SignAddresses) { addresses }: In<typeof SignAddresses>,
  ) {
    return { signatures: Object.fromEntries(this.pictures.sign(user.userId, addresses)) };
  }

  @Get(':signature', 'Sends a picture of an article.', new Media('image/*', 'The picture.'), {
    empty: [304],
  })
  @ConcurrencyLimit('pictures of articles')
  async show(
    @CurrentUser() user: Account,
    @Input(ShowPicture) { signature, address }: In<typeof ShowPicture>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { mime, bytes } = await this.pictures.find(user.userId, address, signature);
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    // The bytes come from a publisher: they must never be rendered as a document.
    response.set({
      ETag: etag,
      'Cache-Control': `private, max-age=${ONE_WEEK_SECONDS}, immutable`,
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    if (request.headers['if-none-match'] === etag) {
      response.status(304).end();
      return;
    }
    response.status(200).set('Content-Type', mime).end(bytes);
  }
}
