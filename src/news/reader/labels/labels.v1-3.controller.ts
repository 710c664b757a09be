import { z } from 'zod';
import { Delete, Get, Put, ApiPost } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer, DONE_MANY, DoneManyAnswer } from '../../news.wire.js';
import { integer, longList, text, toId } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { LabelsService, type Label } from './labels.service.js';

const LabelSchema = z
  .object({ id: z.int(), name: z.string(), itemCount: z.int(), unreadCount: z.int() })
  .meta({ id: 'Label' });

const LabelsAnswer = z.object({ labels: z.array(LabelSchema) });

const RemovedLabelAnswer = z.object({ name: z.string(), itemIds: z.array(z.int()) });

const MOST_NAMES = 100;

/** Forms and queries send a list of one element as the element. */
const listOf = <Element extends z.ZodType>(element: Element, most: number, error: string) =>
  z.preprocess(
    (value) => (Array.isArray(value) ? value : [value ?? []].flat()),
    z.array(element, { error }).max(most, { error: `must have at most ${most} entries` }),
  );

const names = listOf(text, MOST_NAMES, 'must be names of labels');

const CHANGE = { add: names, remove: names };

const LabelPath = z.object({ labelId: integer });
const RenameLabel = z.object({ labelId: integer, name: text });
const ChangeLabels = z.object({ itemId: integer, ...CHANGE });
const ChangeLabelsOfMany = z.object({
  itemIds: longList({ elements: { type: 'integer' }, read: toId, error: 'must be item ids' }),
  ...CHANGE,
});

/** @see docs/news-api.md "Labels" */
@NewsController(V1_3, '')
export class LabelsV13Controller {
  constructor(private readonly labels: LabelsService) {}

  @InTurn()
  @Get('labels', 'Lists the labels of the caller.', LabelsAnswer)
  async list(@CurrentReader() reader: Reader) {
    return { labels: (await this.labels.list(reader)).map(toLabelJson) };
  }

  @Put('labels/:labelId', 'Renames a label.', DoneOneAnswer)
  async rename(
    @CurrentReader() reader: Reader,
    @Input(RenameLabel) { labelId, name }: In<typeof RenameLabel>,
  ) {
    await this.labels.rename(reader, labelId, name);
    return DONE_ONE;
  }

  @Delete('labels/:labelId', 'Removes a label from its items.', RemovedLabelAnswer)
  async remove(
    @CurrentReader() reader: Reader,
    @Input(LabelPath) { labelId }: In<typeof LabelPath>,
  ) {
    return this.labels.remove(reader, labelId);
  }

  @ApiPost('items/:itemId/labels', 'Adds and removes labels of an item.', DoneOneAnswer)
  async change(
    @CurrentReader() reader: Reader,
    @Input(ChangeLabels) { itemId, ...change }: In<typeof ChangeLabels>,
  ) {
    await this.labels.changeOne(reader, itemId, change);
    return DONE_ONE;
  }

  @ApiPost('items/labels/multiple', 'Adds and removes labels of many items.', DoneManyAnswer)
  @TakesLargeBodies()
  async changeMany(
    @CurrentReader() reader: Reader,
    @Input(ChangeLabelsOfMany) { itemIds, ...change }: In<typeof ChangeLabelsOfMany>,
  ) {
    await this.labels.change(reader, itemIds, change);
    return DONE_MANY;
  }
}

/** @see docs/news-api.md "Labels" */
function toLabelJson({ id, name, itemCount, unreadCount }: Label) {
  return { id, name, itemCount, unreadCount };
}
