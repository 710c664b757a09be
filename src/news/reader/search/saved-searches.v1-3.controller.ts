import { Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { ApiPost, Delete, Get, Put } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { orElse } from '../../../common/http/loose-inputs.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { boolean, integer, text } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { toReading } from './reading.wire.js';
import { SavedSearchesService } from './saved-searches.service.js';

const SearchesAnswer = z.object({
  searches: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      query: z.string(),
      words: z.string(),
      unreadCount: z.int().describe('At most 100.'),
      isCounted: z.boolean().describe('False: there may be more.'),
      inClients: z.boolean(),
      usedBy: z.array(z.string()).describe('Names of rules and searches.'),
    }),
  ),
});

const SAVED = { name: text, query: text, inClients: orElse(boolean, false) };

const CreateSearch = z.object(SAVED);
const ChangeSearch = z.object({ searchId: integer, ...SAVED });
const SearchPath = z.object({ searchId: integer });

/** @see docs/news-api.md "Saved searches" */
@NewsController(V1_3, 'searches')
export class SavedSearchesController {
  constructor(private readonly searches: SavedSearchesService) {}

  @InTurn()
  @Get('', 'Lists the saved searches of the caller.', SearchesAnswer)
  async list(@CurrentReader() reader: Reader, @Req() request: Request) {
    return this.#listed(reader, request);
  }

  @ApiPost('', 'Saves a search.', SearchesAnswer)
  async create(
    @CurrentReader() reader: Reader,
    @Input(CreateSearch) given: In<typeof CreateSearch>,
    @Req() request: Request,
  ) {
    return this.#listed(reader, request, await this.searches.create(reader, given));
  }

  @Put(':searchId', 'Changes a saved search.', SearchesAnswer)
  async change(
    @CurrentReader() reader: Reader,
    @Input(ChangeSearch) { searchId, ...given }: In<typeof ChangeSearch>,
    @Req() request: Request,
  ) {
    await this.searches.change(reader, searchId, given);
    return this.#listed(reader, request, searchId);
  }

  @Delete(':searchId', 'Removes a saved search.', DoneOneAnswer)
  async remove(
    @CurrentReader() reader: Reader,
    @Input(SearchPath) { searchId }: In<typeof SearchPath>,
  ) {
    await this.searches.remove(reader, searchId);
    return DONE_ONE;
  }

  /** All, or one. */
  async #listed(reader: Reader, request: Request, searchId?: number) {
    const { searches, places } = await this.searches.list(reader, searchId);
    return {
      searches: searches.map(({ query, ...search }) => {
        const { canonical, words } = toReading(query, places, request);
        return { ...search, query: canonical, words };
      }),
    };
  }
}
