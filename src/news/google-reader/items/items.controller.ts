import { BadRequestException } from '@nestjs/common';
import { ApiPost } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import type { Fields } from '../../../common/http/read-fields.js';
import { CurrentReader } from '../../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { ItemsService } from '../../reader/items/items.service.js';
import { LabelsService } from '../../reader/labels/labels.service.js';
import { StreamsService } from '../../reader/streams/streams.service.js';
import { timeMicros, EditTagFields, MarkAllReadFields } from '../http/form-fields.input.js';
import {
  PlainText,
  OK_TEXT,
  GoogleReaderController,
  SentFields,
} from '../http/google-reader-controller.decorator.js';
import { itemIdsOf } from '../item-ids.js';
import { streamNameOf } from '../stream-names.js';
import { StreamSetsService } from '../streams/stream-sets.service.js';
import { TagsService } from '../tags/tags.service.js';

/** Clients compare the body. */
const OK = 'OK';

/** No time, or 0. Other unreadable values must not mark everything. */
const MEANS_ALL = /^\s*0*\s*$/;

/** Clients name two or three. */
const MOST_TAGS = 100;

/** The changes of an `edit-tag` request. */
export interface TagEdit {
  /** Null: unchanged. */
  readonly unread: boolean | null;
  readonly starred: boolean | null;
  readonly labelsToSet: readonly string[];
  readonly labelsToRemove: readonly string[];
}

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
    private readonly tags: TagsService,
    private readonly disk: DiskSpace,
  ) {}

  /** Unknown items are ignored. A label without any item is a new folder. */
  @ApiPost('edit-tag', 'Changes flags and labels of items.', OK_TEXT, {
    input: EditTagFields,
  })
  @PlainText()
  async editTag(@CurrentReader() reader: Reader, @SentFields() fields: Fields) {
    const edit = tagEditOf(fields);
    if (edit.labelsToSet.length > 0) {
      await this.disk.assertRoomFor(0);
    }
    await this.tags.assertLabels(reader, [...edit.labelsToSet, ...edit.labelsToRemove]);
    if (fields.all('i').length === 0) {
      for (const name of edit.labelsToSet) {
        await this.tags.findOrCreateFolder(reader, name);
      }
      return OK;
    }
    const itemIds = itemIdsOf(fields.all('i'));
    if (itemIds.length === 0) {
      return OK;
    }
    const { labelsToSet: add, labelsToRemove: remove } = edit;
    if (add.length > 0 || remove.length > 0) {
      await this.labels.change(reader, itemIds, { add, remove });
    }
    if (edit.unread !== null) {
      await this.items.setFlags(reader, itemIds, 'unread', edit.unread);
    }
    if (edit.starred !== null) {
      await this.items.setFlags(reader, itemIds, 'starred', edit.starred);
    }
    return OK;
  }

  /** Items that arrived after `ts` are unchanged; without it, all present ones are marked. */
  @ApiPost('mark-all-as-read', 'Marks the items of a stream read.', OK_TEXT, {
    input: MarkAllReadFields,
  })
  @PlainText()
  async markAllRead(@CurrentReader() reader: Reader, @SentFields() fields: Fields) {
    const stream = fields.one('s');
    if (stream === undefined) {
      throw new BadRequestException('The parameter "s" is missing.');
    }
    const upToMicros = timeMicros(fields.one('ts'));
    if (upToMicros === null && !MEANS_ALL.test(fields.one('ts') ?? '')) {
      throw new BadRequestException('The parameter "ts" must be a unix time.');
    }
    const set = await this.sets.setOf(reader, stream);
    await this.streams.markRead(reader, set, upToMicros);
    return OK;
  }
}

/**
 * Reads the tags to add (`a`) and to remove (`r`), each of which may be repeated. Unknown tags are
 * ignored. `kept-unread` is the opposite of `read`, which decides where both are named;
 * `tracking-kept-unread`, which clients send along with it, changes nothing.
 *
 * @throws BadRequestException for too many tags
 */
export function tagEditOf(fields: Fields): TagEdit {
  const added = tagsOf(fields.distinct('a', MOST_TAGS));
  const removed = tagsOf(fields.distinct('r', MOST_TAGS));
  const switched = (state: string): boolean | null =>
    added.states.has(state) ? true : removed.states.has(state) ? false : null;
  const read = switched('read');
  const keptUnread = switched('kept-unread') ?? switched('unread');
  return {
    unread: read === null ? keptUnread : !read,
    starred: switched('starred'),
    labelsToSet: added.labels,
    labelsToRemove: removed.labels,
  };
}

function tagsOf(streams: readonly string[]) {
  const states = new Set<string>();
  const labels = new Set<string>();
  for (const stream of streams) {
    const named = streamNameOf(stream);
    if (named.of === 'state') {
      states.add(named.state);
    } else if (named.of === 'label') {
      labels.add(named.name);
    }
  }
  return { states, labels: [...labels] };
}
