import { BadRequestException, Header } from '@nestjs/common';
import { ApiPost } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import type { Fields } from '../../../common/http/read-fields.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ItemsService } from '../../reader/items/items.service.js';
import { LabelsService } from '../../reader/labels/labels.service.js';
import { StreamsService } from '../../reader/streams/streams.service.js';
import { GoogleReaderController } from '../http/google-reader-controller.decorator.js';
import { SentFields } from '../http/sent-fields.decorator.js';
import { itemIdsOf } from '../item-ids.js';
import { StreamSetsService } from '../streams/stream-sets.service.js';
import { FolderNames } from '../tags/folder-names.service.js';
import { timeMicros } from '../times.js';
import { tagEditOf } from './edit-tag.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { EditTagFields, MarkAllReadFields } from '../http/form-fields.input.js';

/** Clients compare the body. */
const OK = 'OK';

/** No time, or 0. Anything else that cannot be read must not mark everything. */
const MEANS_ALL = /^\s*0*\s*$/;

/**
 * Flags and labels of items.
 *
 * @see docs/google-reader-api.md "Marking"
 */
@GoogleReaderController()
@WorksOnFullDisk()
export class GoogleItemsController {
  constructor(
    private readonly items: ItemsService,
    private readonly labels: LabelsService,
    private readonly streams: StreamsService,
    private readonly sets: StreamSetsService,
    private readonly folders: FolderNames,
    private readonly disk: DiskSpace,
  ) {}

  /** Unknown items are ignored. A label without any item is a new folder. */
  @ApiPost('edit-tag', 'Changes flags and labels of items.', new Media('text/plain', '`OK`'), {
    input: EditTagFields,
  })
  @Header('Content-Type', 'text/plain; charset=utf-8')
  async editTag(@CurrentUser() { userId }: Account, @SentFields() fields: Fields): Promise<string> {
    const edit = tagEditOf(fields);
    if (edit.labelsToSet.length > 0) {
      await this.disk.assertRoomFor(0);
    }
    if (fields.all('i').length === 0) {
      for (const name of edit.labelsToSet) {
        await this.folders.findOrCreate(userId, name);
      }
      return OK;
    }
    const itemIds = itemIdsOf(fields.all('i'));
    if (itemIds.length === 0) {
      return OK;
    }
    const { labelsToSet: add, labelsToRemove: remove } = edit;
    if (add.length > 0 || remove.length > 0) {
      await this.labels.change(userId, itemIds, { add, remove });
    }
    if (edit.unread !== null) {
      await this.items.setFlags(userId, itemIds, 'unread', edit.unread);
    }
    if (edit.starred !== null) {
      await this.items.setFlags(userId, itemIds, 'starred', edit.starred);
    }
    return OK;
  }

  /** Items that arrived after `ts` stay as they are; without it, all that are there are marked. */
  @ApiPost(
    'mark-all-as-read',
    'Marks the items of a stream read.',
    new Media('text/plain', '`OK`'),
    {
      input: MarkAllReadFields,
    },
  )
  @Header('Content-Type', 'text/plain; charset=utf-8')
  async markAllRead(
    @CurrentUser() { userId }: Account,
    @SentFields() fields: Fields,
  ): Promise<string> {
    const stream = fields.one('s');
    if (stream === undefined) {
      throw new BadRequestException('The parameter "s" is missing.');
    }
    const upToMicros = timeMicros(fields.one('ts'));
    if (upToMicros === null && !MEANS_ALL.test(fields.one('ts') ?? '')) {
      throw new BadRequestException('The parameter "ts" must be a unix time.');
    }
    const set = await this.sets.setOf(userId, stream);
    await this.streams.markRead(userId, set, upToMicros);
    return OK;
  }
}
