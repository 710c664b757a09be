import { Delete, Get, Put } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { NewsController, V1_3 } from '../../http/levels.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { LabelPath, RenameLabel } from './labels.input.js';
import { LabelsService, type RemovedLabel } from './labels.service.js';
import { toLabelJson, LabelsAnswer, RemovedLabelAnswer } from './labels.wire.js';

/** @see docs/news-api.md "Labels" */
@NewsController(V1_3, 'labels')
export class LabelsV13Controller {
  constructor(private readonly labels: LabelsService) {}

  @Get('', 'Lists the labels of the caller.', LabelsAnswer)
  async list(@CurrentUser() user: Account): Promise<object> {
    return { labels: (await this.labels.list(user.userId)).map(toLabelJson) };
  }

  @Put(':labelId', 'Renames a label.', DoneOneAnswer)
  async rename(
    @CurrentUser() user: Account,
    @Input(RenameLabel) { labelId, name }: In<typeof RenameLabel>,
  ): Promise<typeof DONE_ONE> {
    await this.labels.rename(user.userId, labelId, name);
    return DONE_ONE;
  }

  @Delete(':labelId', 'Removes a label from its items.', RemovedLabelAnswer)
  async remove(
    @CurrentUser() user: Account,
    @Input(LabelPath) { labelId }: In<typeof LabelPath>,
  ): Promise<RemovedLabel> {
    return this.labels.remove(user.userId, labelId);
  }
}
