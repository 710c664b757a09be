import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { sendJsonList } from '../../http/json-list-stream.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { SearchService } from './search.service.js';
import { itemJson, ItemsAnswer } from '../items/items.wire.js';
import { SearchItems, SearchRows } from './search.input.js';
import { toFoundPage, FoundRowsAnswer } from './search.wire.js';
import { EVERY_LEVEL, NewsController } from '../../http/levels.js';

/** @see docs/news-api.md "Beyond the specification" */
@NewsController(EVERY_LEVEL, 'search')
export class SearchController {
  constructor(private readonly search: SearchService) {}

  @Get('rows', 'Finds items by words, without their bodies.', FoundRowsAnswer)
  async rows(
    @CurrentUser() user: Account,
    @Input(SearchRows) { query, selection, page }: In<typeof SearchRows>,
  ) {
    return toFoundPage(query, await this.search.rows(user.userId, query, selection, page));
  }

  @Get('', 'Finds items by words.', ItemsAnswer)
  async find(
    @CurrentUser() user: Account,
    @Input(SearchItems) { query, selection, page }: In<typeof SearchItems>,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.search.find(user.userId, query, selection, page);
    await sendJsonList(response, 'items', found, itemJson);
  }
}
