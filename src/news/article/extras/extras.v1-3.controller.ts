import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { ItemPath } from '../../parameters.js';
import { ExtrasService, type ArticleExtras } from './extras.service.js';
import { ExtrasAnswer } from './extras.wire.js';

/**
 * What an item has besides its text: an extension of the reference.
 *
 * @see docs/news-api.md "Beyond the specification"
 */
@NewsController(V1_3, 'items/:itemId/extras')
export class ExtrasV13Controller {
  constructor(private readonly extras: ExtrasService) {}

  @Get('', 'Shows further files, comments, chapters and tags of an item.', ExtrasAnswer)
  async show(
    @CurrentUser() user: Account,
    @Input(ItemPath) { itemId }: In<typeof ItemPath>,
  ): Promise<{ extras: ArticleExtras }> {
    return { extras: await this.extras.find(user.userId, itemId) };
  }
}
