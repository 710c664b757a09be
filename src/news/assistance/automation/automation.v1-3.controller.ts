import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { ChooseForFeed, ChooseForFolder, FindTitles } from './automation.input.js';
import { AutomationService } from './automation.service.js';
import { toAutomationJson, AutomationAnswer, TitlesAnswer } from './automation.wire.js';

/**
 * Tasks that start by themselves for new items. Not part of the specification.
 *
 * @see docs/news-api.md "Automatic tasks"
 */
@NewsController(V1_3, '')
export class AutomationV13Controller {
  constructor(private readonly automation: AutomationService) {}

  @Get('automation', 'Shows the automatic tasks of the caller.', AutomationAnswer)
  async show(@CurrentUser() user: Account): Promise<object> {
    return toAutomationJson(await this.automation.find(user.userId));
  }

  @ApiPost('feeds/:feedId/automation', 'Chooses automatic tasks for a feed.', DoneOneAnswer)
  async chooseForFeed(
    @CurrentUser() user: Account,
    @Input(ChooseForFeed) { feedId, ...choice }: In<typeof ChooseForFeed>,
  ): Promise<typeof DONE_ONE> {
    await this.automation.choose(user.userId, { feedId }, choice);
    return DONE_ONE;
  }

  @ApiPost('folders/:folderId/automation', 'Chooses automatic tasks for a folder.', DoneOneAnswer)
  async chooseForFolder(
    @CurrentUser() user: Account,
    @Input(ChooseForFolder) { folderId, ...choice }: In<typeof ChooseForFolder>,
  ): Promise<typeof DONE_ONE> {
    await this.automation.choose(user.userId, { folderId }, choice);
    return DONE_ONE;
  }

  @ApiPost('automation/titles', 'Shows translated titles of items.', TitlesAnswer)
  async titles(
    @CurrentUser() user: Account,
    @Input(FindTitles) { itemIds }: In<typeof FindTitles>,
  ): Promise<object> {
    return { titles: await this.automation.titles(user.userId, itemIds) };
  }
}
