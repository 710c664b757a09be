import { BadRequestException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import type { Fields } from '../../../common/http/read-fields.js';
import { CurrentReader } from '../../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { RenameTagFields, RemoveTagFields } from '../http/form-fields.input.js';
import {
  PlainText,
  OK_TEXT,
  GoogleReaderController,
  SentFields,
  sendCachedJson,
} from '../http/google-reader-controller.decorator.js';
import { labelId, stateId } from '../stream-names.js';
import { TagsService } from './tags.service.js';
import { UnreadCountsService } from './unread-counts.service.js';

/** Removed in one request. */
const MOST_TAGS = 100;

export const TagsAnswer = z.object({
  tags: z.array(z.object({ id: z.string(), type: z.enum(['folder', 'tag']).optional() })),
});

export const UnreadCountsAnswer = z.object({
  max: z.int(),
  unreadcounts: z.array(
    z.object({ id: z.string(), count: z.int(), newestItemTimestampUsec: z.string() }),
  ),
});

/** @see docs/google-reader-api.md "Folders and labels", "Counts" */
@GoogleReaderController()
export class TagsController {
  constructor(
    private readonly tags: TagsService,
    private readonly counts: UnreadCountsService,
  ) {}

  @InTurn()
  @Get('tag/list', 'Lists folders and labels.', TagsAnswer, { empty: [304] })
  async list(
    @CurrentReader() reader: Reader,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { folders, labels, searches } = await this.tags.list(reader);
    sendCachedJson(request, response, {
      tags: [
        { id: stateId('starred') },
        ...folders.map((name) => ({ id: labelId(name), type: 'folder' })),
        ...[...labels.map(({ name }) => name), ...searches].map((name) => ({
          id: labelId(name),
          type: 'tag',
        })),
      ],
    });
  }

  @ApiPost('rename-tag', 'Renames a folder or a label.', OK_TEXT, {
    input: RenameTagFields,
  })
  @PlainText()
  async rename(@CurrentReader() reader: Reader, @SentFields() fields: Fields) {
    const stream = fields.one('s') ?? fields.one('t');
    const name = fields.one('dest');
    if (stream === undefined || name === undefined) {
      throw new BadRequestException('The parameters "s" and "dest" are required.');
    }
    await this.tags.rename(reader, stream, name);
    return 'OK';
  }

  @ApiPost('disable-tag', 'Removes folders and labels.', OK_TEXT, {
    input: RemoveTagFields,
  })
  @PlainText()
  @WorksOnFullDisk()
  async remove(@CurrentReader() reader: Reader, @SentFields() fields: Fields) {
    const streams = [...fields.distinct('s', MOST_TAGS), ...fields.distinct('t', MOST_TAGS)].filter(
      (stream) => stream !== '',
    );
    if (streams.length === 0) {
      throw new BadRequestException('The parameter "s" is missing.');
    }
    await this.tags.remove(reader, streams);
    return 'OK';
  }

  @InTurn()
  @Get('unread-count', 'Counts the unread items of every stream.', UnreadCountsAnswer)
  async unreadCounts(@CurrentReader() reader: Reader) {
    const counts = await this.counts.list(reader);
    return {
      max: counts[0]?.count ?? 0,
      unreadcounts: counts.map(({ stream, count, newestMicros }) => ({
        id: stream,
        count,
        newestItemTimestampUsec: String(newestMicros),
      })),
    };
  }
}
