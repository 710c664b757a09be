import { ApiPost } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { DONE_MANY, DONE_ONE, DoneOneAnswer, DoneManyAnswer } from '../../news.wire.js';
import { ChangeLabels, ChangeLabelsOfMany } from './labels.input.js';
import { LabelsService } from './labels.service.js';

/** @see docs/news-api.md "Labels" */
@NewsController(V1_3, 'items')
export class ItemLabelsV13Controller {
  constructor(private readonly labels: LabelsService) {}

  @ApiPost(':itemId/labels', 'Adds and removes labels of an item.', DoneOneAnswer)
  async change(
    @CurrentUser() user: Account,
    @Input(ChangeLabels) { itemId, ...change }: In<typeof ChangeLabels>,
  ): Promise<typeof DONE_ONE> {
    await this.labels.changeOne(user.userId, itemId, change);
    return DONE_ONE;
  }

  @ApiPost('labels/multiple', 'Adds and removes labels of many items.', DoneManyAnswer)
  @TakesLargeBodies()
  async changeMany(
    @CurrentUser() user: Account,
    @Input(ChangeLabelsOfMany) { itemIds, ...change }: In<typeof ChangeLabelsOfMany>,
  ): Promise<typeof DONE_MANY> {
    await this.labels.change(user.userId, itemIds, change);
    return DONE_MANY;
  }
}
