import { BadRequestException, Header, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import type { Fields } from '../../../common/http/read-fields.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { GoogleReaderController } from '../http/google-reader-controller.decorator.js';
import { sendCachedJson } from '../http/send-json.js';
import { SentFields } from '../http/sent-fields.decorator.js';
import { labelId, stateId } from '../stream-names.js';
import { TagsService } from './tags.service.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { TagsAnswer } from './tags.wire.js';
import { RenameTagFields, RemoveTagFields } from '../http/form-fields.input.js';

/** Removed in one request. */
const MOST_TAGS = 100;

/** @see docs/google-reader-api.md "Folders and labels" */
@GoogleReaderController()
export class TagsController {
  constructor(private readonly tags: TagsService) {}

  @Get('tag/list', 'Lists folders and labels.', TagsAnswer, { empty: [304] })
  async list(
    @CurrentUser() { userId }: Account,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { folders, labels } = await this.tags.list(userId);
    sendCachedJson(request, response, {
      tags: [
        { id: stateId('starred') },
        ...folders.map((name) => ({ id: labelId(name), type: 'folder' })),
        ...labels.map(({ name }) => ({ id: labelId(name), type: 'tag' })),
      ],
    });
  }

  @ApiPost('rename-tag', 'Renames a folder or a label.', new Media('text/plain', '`OK`'), {
    input: RenameTagFields,
  })
  @Header('Content-Type', 'text/plain; charset=utf-8')
  async rename(@CurrentUser() { userId }: Account, @SentFields() fields: Fields): Promise<string> {
    const stream = fields.one('s') ?? fields.one('t');
    const name = fields.one('dest');
    if (stream === undefined || name === undefined) {
      throw new BadRequestException('The parameters "s" and "dest" are required.');
    }
    await this.tags.rename(userId, stream, name);
    return 'OK';
  }

  @ApiPost('disable-tag', 'Removes folders and labels.', new Media('text/plain', '`OK`'), {
    input: RemoveTagFields,
  })
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @WorksOnFullDisk()
  async remove(@CurrentUser() { userId }: Account, @SentFields() fields: Fields): Promise<string> {
    const streams = [...fields.distinct('s', MOST_TAGS), ...fields.distinct('t', MOST_TAGS)].filter(
      (stream) => stream !== '',
    );
    if (streams.length === 0) {
      throw new BadRequestException('The parameter "s" is missing.');
    }
    await this.tags.remove(userId, streams);
    return 'OK';
  }
}
