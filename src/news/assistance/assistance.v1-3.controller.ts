import { Delete, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { z } from 'zod';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import { ApiPost } from '../../common/http/api-post.decorator.js';
import { Input } from '../../common/http/input.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { AssistanceService } from './assistance.service.js';
import type { Assistance } from './assistance.repository.js';
import { AssistancePath, DescribeItem, TranslateItem } from './assistance.input.js';
import {
  toAssistanceJson,
  toPossibilitiesJson,
  AssistanceAnswer,
  PossibilitiesAnswer,
} from './assistance.wire.js';
import { NewsController, V1_3 } from '../http/levels.js';
import { ConcurrencyLimit } from '../../common/http/concurrency-limit.decorator.js';
import { Operation } from '../../common/contracts/operation.decorator.js';

/** The request is still running. */
const ACCEPTED = 202;

/**
 * Translations, texts and transcripts of items by external apps. Not part of the specification.
 *
 * @see docs/news-api.md "Help of external apps"
 */
@NewsController(V1_3, '')
export class AssistanceV13Controller {
  constructor(private readonly assistance: AssistanceService) {}

  @Get('assistance')
  @Operation('Lists what external apps can do with items.', PossibilitiesAnswer)
  async possibilities(): Promise<object> {
    return toPossibilitiesJson(await this.assistance.possibilities());
  }

  @ApiPost('items/:itemId/translate')
  @ConcurrencyLimit('requests for help of external apps')
  @Operation('Translates an item.', AssistanceAnswer, { also: [202] })
  async translate(
    @CurrentUser() user: Account,
    @Input(TranslateItem) { itemId, waitSeconds, ...languages }: z.output<typeof TranslateItem>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const { userId } = user;
    const translated = this.assistance.translate(userId, itemId, languages, waitSeconds);
    return answer(response, await translated);
  }

  @ApiPost('items/:itemId/summary')
  @ConcurrencyLimit('requests for help of external apps')
  @Operation('Summarizes an item.', AssistanceAnswer, { also: [202] })
  async summary(
    @CurrentUser() user: Account,
    @Input(DescribeItem) { itemId, waitSeconds }: z.output<typeof DescribeItem>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const described = this.assistance.describe(user.userId, itemId, 'summary', waitSeconds);
    return answer(response, await described);
  }

  @ApiPost('items/:itemId/topics')
  @ConcurrencyLimit('requests for help of external apps')
  @Operation('Finds the topics of an item.', AssistanceAnswer, { also: [202] })
  async topics(
    @CurrentUser() user: Account,
    @Input(DescribeItem) { itemId, waitSeconds }: z.output<typeof DescribeItem>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const described = this.assistance.describe(user.userId, itemId, 'topics', waitSeconds);
    return answer(response, await described);
  }

  @ApiPost('items/:itemId/headline')
  @ConcurrencyLimit('requests for help of external apps')
  @Operation('Writes a headline for an item.', AssistanceAnswer, { also: [202] })
  async headline(
    @CurrentUser() user: Account,
    @Input(DescribeItem) { itemId, waitSeconds }: z.output<typeof DescribeItem>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const described = this.assistance.describe(user.userId, itemId, 'headline', waitSeconds);
    return answer(response, await described);
  }

  @ApiPost('items/:itemId/transcript')
  @ConcurrencyLimit('requests for help of external apps')
  @Operation('Writes down the recording of an item.', AssistanceAnswer, { also: [202] })
  async transcript(
    @CurrentUser() user: Account,
    @Input(DescribeItem) { itemId, waitSeconds }: z.output<typeof DescribeItem>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return answer(response, await this.assistance.transcribe(user.userId, itemId, waitSeconds));
  }

  @Get('items/:itemId/assistance/:taskId')
  @Operation('Shows what was asked for, with its result.', AssistanceAnswer)
  async find(
    @CurrentUser() user: Account,
    @Input(AssistancePath) { itemId, taskId }: z.output<typeof AssistancePath>,
  ): Promise<object> {
    return toAssistanceJson(await this.assistance.find(user.userId, itemId, taskId));
  }

  @Delete('items/:itemId/assistance/:taskId')
  @Operation('Cancels what was asked for.', AssistanceAnswer)
  async cancel(
    @CurrentUser() user: Account,
    @Input(AssistancePath) { itemId, taskId }: z.output<typeof AssistancePath>,
  ): Promise<object> {
    return toAssistanceJson(await this.assistance.cancel(user.userId, itemId, taskId));
  }
}

function answer(response: Response, assistance: Assistance): object {
  response.status(assistance.state === 'running' ? ACCEPTED : 200);
  return toAssistanceJson(assistance);
}
