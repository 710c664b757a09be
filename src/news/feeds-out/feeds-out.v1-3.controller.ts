import { Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { PublicAddress } from '../../common/config/public-address.js';
import { ApiPost, Delete, Get } from '../../common/contracts/routes.js';
import { CurrentCredential } from '../../common/http/current-user.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { isInPerson, type Credential } from '../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../news.wire.js';
import { boolean, integer } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { PublishInPerson } from './feeds-out.errors.js';
import { FeedsOutService, type OwnFeedOut } from './feeds-out.service.js';
import { AUDIENCES } from './feeds-out.settings.js';
import { LIST_KINDS } from './list-kinds.js';
import { LISTS_PATH } from './published-lists.controller.js';

const FeedOutSchema = z
  .object({
    id: z.int(),
    kind: z.enum(LIST_KINDS),
    ofId: z.int().describe('Of the folder, label, saved search or item; 0 for the starred ones.'),
    name: z.string().nullable().describe('Null for an item, and for a list that is gone.'),
    fullText: z.boolean(),
    withNotes: z.boolean(),
    address: z.string().describe('Of the page; of the feeds with /feed.atom or /feed.json.'),
    createdAt: z.int().describe('Unix seconds.'),
  })
  .meta({ id: 'FeedOut' });

const ListAnswer = z.object({
  feedsOut: z.array(FeedOutSchema),
  audience: z.enum(AUDIENCES).describe('Who may read them.'),
});
const FeedOutAnswer = z.object({ feedOut: FeedOutSchema });

const Publish = z.object({
  kind: z.enum(LIST_KINDS, { error: `must be ${LIST_KINDS.join(', ')}` }),
  ofId: orElse(integer, 0),
  fullText: orElse(boolean, false),
  withNotes: orElse(boolean, false),
});
const FeedOutPath = z.object({ feedOutId: integer });

/** @see docs/news-api.md "Feeds out" */
@NewsController(V1_3, 'feeds-out')
export class FeedsOutV13Controller {
  constructor(
    private readonly lists: FeedsOutService,
    private readonly address: PublicAddress,
  ) {}

  @Get('', 'Lists what the caller has published.', ListAnswer)
  async list(@CurrentReader() reader: Reader, @Req() request: Request) {
    const lists = await this.lists.list(reader);
    return {
      feedsOut: lists.map((list) => this.#toJson(list, request)),
      audience: this.lists.audience,
    };
  }

  @ApiPost('', 'Publishes a list or an article, or changes how it is shown.', FeedOutAnswer)
  async publish(
    @CurrentReader() reader: Reader,
    @CurrentCredential() credential: Credential,
    @Input(Publish) { kind, ofId, ...showing }: In<typeof Publish>,
    @Req() request: Request,
  ) {
    PublishInPerson.unless(isInPerson(credential));
    const list = { kind, ofId: kind === 'starred' ? 0 : ofId };
    return this.#answer(await this.lists.publish(reader, list, showing), request);
  }

  @ApiPost(':feedOutId/renew', 'Gives a published list another address.', FeedOutAnswer)
  async renew(
    @CurrentReader() reader: Reader,
    @CurrentCredential() credential: Credential,
    @Input(FeedOutPath) { feedOutId }: In<typeof FeedOutPath>,
    @Req() request: Request,
  ) {
    PublishInPerson.unless(isInPerson(credential));
    return this.#answer(await this.lists.renew(reader, feedOutId), request);
  }

  @Delete(':feedOutId', 'Takes a published list back.', DoneOneAnswer)
  async withdraw(
    @CurrentReader() reader: Reader,
    @Input(FeedOutPath) { feedOutId }: In<typeof FeedOutPath>,
  ) {
    await this.lists.withdraw(reader, feedOutId);
    return DONE_ONE;
  }

  #answer(list: OwnFeedOut, request: Request) {
    return { feedOut: this.#toJson(list, request) };
  }

  #toJson(list: OwnFeedOut, request: Request) {
    const { id, kind, ofId, name, fullText, withNotes, token, createdSeconds } = list;
    const address = `${this.address.rootFor(request)}${LISTS_PATH}/${token}`;
    return { id, kind, ofId, name, fullText, withNotes, address, createdAt: createdSeconds };
  }
}
