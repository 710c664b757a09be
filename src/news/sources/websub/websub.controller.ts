import { Controller, Get, Header, Headers, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { JsonErrorFilter } from '../../../common/errors/json-error.filter.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { wholeNumberThat } from '../../../common/http/loose-inputs.js';
import { piecesOfBody } from '../../../common/http/read-bounded-body.js';
import { WebSubService } from './websub.service.js';

/** Notifications contain the whole feed, which is hashed as a stream. */
const LARGEST_BODY_BYTES = 5 * 1024 * 1024;

/** @see https://www.w3.org/TR/websub/ "Hub Verifies Intent of the Subscriber" */
export const VerifySubscription = z.object({
  callbackId: z.string(),
  'hub.mode': z.string(),
  'hub.topic': z.string(),
  'hub.challenge': z.string().optional(),
  'hub.lease_seconds': wholeNumberThat((int) => int.positive()).optional(),
});

/**
 * The callback of WebSub hubs. Public, since a hub has no account: the address cannot be guessed, and
 * notifications need a signature with the secret that the hub was given.
 */
@Public()
@Controller('websub/:callbackId')
@UseFilters(JsonErrorFilter)
export class WebSubController {
  constructor(private readonly webSub: WebSubService) {}

  @Get()
  @Header('content-type', 'text/plain; charset=utf-8')
  async verify(@Input(VerifySubscription) asked: In<typeof VerifySubscription>) {
    return this.webSub.verify(asked.callbackId, {
      mode: asked['hub.mode'],
      topic: asked['hub.topic'],
      challenge: asked['hub.challenge'],
      leaseSeconds: asked['hub.lease_seconds'],
    });
  }

  @Post()
  @HttpCode(202)
  async called(
    @Req() request: Request,
    @Headers('x-hub-signature') signature: string | undefined,
  ): Promise<void> {
    const body = piecesOfBody(request, LARGEST_BODY_BYTES);
    await this.webSub.called(String(request.params['callbackId']), body, signature);
  }
}
