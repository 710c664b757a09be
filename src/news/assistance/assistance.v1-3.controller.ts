import { Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { ApiPost, Delete, Get } from '../../common/contracts/routes.js';
import { ConcurrencyLimit } from '../../common/http/concurrency-limit.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { AssistancePath, DescribeItem, TranslateItem } from './assistance.input.js';
import type { Assistance } from './assistance.repository.js';
import { AssistanceService, type Possibilities } from './assistance.service.js';

/** The request is still running. */
const ACCEPTED = 202;

export const PossibilitiesAnswer = z.object({
  translate: z.object({
    languages: z.array(
      z.object({ from: z.string(), fromLabel: z.string(), to: z.string(), toLabel: z.string() }),
    ),
    detects: z.boolean(),
  }),
  textTasks: z.array(z.string()),
  transcribe: z.boolean(),
});

/** Includes the result once it is done. */
export const AssistanceAnswer = z
  .object({
    id: z.int(),
    kind: z.string(),
    state: z.enum(['running', 'done', 'failed']),
    started: z.int().describe('Unix seconds.'),
    progress: z.number().nullable(),
    error: z.string().nullable(),
    text: z.string().optional(),
    title: z.string().optional(),
    body: z.string().optional(),
    from: z.string().nullable().optional(),
    to: z.string().optional(),
  })
  .meta({ id: 'Assistance' });

/**
 * Translations, texts and transcripts of items by external apps. Not part of the specification.
 *
 * @see docs/news-api.md "Help of external apps"
 */
@NewsController(V1_3, '')
export class AssistanceV13Controller {
  constructor(private readonly assistance: AssistanceService) {}

  @Get('assistance', 'Lists what external apps can do with items.', PossibilitiesAnswer)
  async possibilities() {
    return toPossibilitiesJson(await this.assistance.possibilities());
  }

  @ApiPost('items/:itemId/translate', 'Translates an item.', AssistanceAnswer, { also: [202] })
  @ConcurrencyLimit('requests for help of external apps')
  async translate(
    @CurrentReader() reader: Reader,
    @Input(TranslateItem) { itemId, waitSeconds, ...languages }: In<typeof TranslateItem>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const translated = this.assistance.translate(reader, itemId, languages, waitSeconds);
    return answer(response, await translated);
  }

  @ApiPost('items/:itemId/summary', 'Summarizes an item.', AssistanceAnswer, { also: [202] })
  @ConcurrencyLimit('requests for help of external apps')
  async summary(
    @CurrentReader() reader: Reader,
    @Input(DescribeItem) { itemId, waitSeconds }: In<typeof DescribeItem>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const described = this.assistance.describe(reader, itemId, 'summary', waitSeconds);
    return answer(response, await described);
  }

  @ApiPost('items/:itemId/topics', 'Finds the topics of an item.', AssistanceAnswer, {
    also: [202],
  })
  @ConcurrencyLimit('requests for help of external apps')
  async topics(
    @CurrentReader() reader: Reader,
    @Input(DescribeItem) { itemId, waitSeconds }: In<typeof DescribeItem>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const described = this.assistance.describe(reader, itemId, 'topics', waitSeconds);
    return answer(response, await described);
  }

  @ApiPost('items/:itemId/headline', 'Writes a headline for an item.', AssistanceAnswer, {
    also: [202],
  })
  @ConcurrencyLimit('requests for help of external apps')
  async headline(
    @CurrentReader() reader: Reader,
    @Input(DescribeItem) { itemId, waitSeconds }: In<typeof DescribeItem>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const described = this.assistance.describe(reader, itemId, 'headline', waitSeconds);
    return answer(response, await described);
  }

  @ApiPost('items/:itemId/transcript', 'Writes down the recording of an item.', AssistanceAnswer, {
    also: [202],
  })
  @ConcurrencyLimit('requests for help of external apps')
  async transcript(
    @CurrentReader() reader: Reader,
    @Input(DescribeItem) { itemId, waitSeconds }: In<typeof DescribeItem>,
    @Res({ passthrough: true }) response: Response,
  ) {
    return answer(response, await this.assistance.transcribe(reader, itemId, waitSeconds));
  }

  @Get(
    'items/:itemId/assistance/:taskId',
    'Shows what was asked for, with its result.',
    AssistanceAnswer,
  )
  async find(
    @CurrentReader() reader: Reader,
    @Input(AssistancePath) { itemId, taskId }: In<typeof AssistancePath>,
  ) {
    return toAssistanceJson(await this.assistance.find(reader, itemId, taskId));
  }

  @Delete('items/:itemId/assistance/:taskId', 'Cancels what was asked for.', AssistanceAnswer)
  async cancel(
    @CurrentReader() reader: Reader,
    @Input(AssistancePath) { itemId, taskId }: In<typeof AssistancePath>,
  ) {
    return toAssistanceJson(await this.assistance.cancel(reader, itemId, taskId));
  }
}

function answer(response: Response, assistance: Assistance) {
  response.status(assistance.state === 'running' ? ACCEPTED : 200);
  return toAssistanceJson(assistance);
}

/** @see docs/news-api.md "Help of external apps" */
export function toPossibilitiesJson(possible: Possibilities) {
  return {
    translate: {
      languages: possible.languages.map(({ from, fromLabel, to, toLabel }) => ({
        from,
        fromLabel,
        to,
        toLabel,
      })),
      detects: possible.detectsLanguages,
    },
    textTasks: possible.textKinds,
    transcribe: possible.transcribes,
  };
}

/** Once done, also `text`, or `title`, `body`, `from` and `to`. */
export function toAssistanceJson(assistance: Assistance) {
  return {
    id: assistance.id,
    kind: assistance.kind,
    state: assistance.state,
    started: assistance.startedSeconds,
    progress: assistance.progress,
    error: shownSentence(assistance.error),
    ...assistance.result,
  };
}
