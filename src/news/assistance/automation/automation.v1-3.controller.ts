import { z } from 'zod';
import { ApiPost, Get } from '../../../common/contracts/routes.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { boolean, integer } from '../../parameters.js';
import { CurrentReader } from '../../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { language } from '../assistance.input.js';
import { AutomationService, type Automation } from './automation.service.js';

const choice = { titlesTo: z.string().nullable(), summarise: z.boolean().nullable() };

export const AutomationAnswer = z.object({
  languages: z.array(z.object({ code: z.string(), label: z.string() })),
  summarises: z.boolean(),
  usedToday: z.int(),
  mostPerDay: z.int(),
  feeds: z.array(z.object({ feedId: z.int(), ...choice })),
  folders: z.array(z.object({ folderId: z.int(), ...choice })),
});

export const TitlesAnswer = z.object({
  titles: z.array(z.object({ id: z.int(), translatedTitle: z.string() })),
});

const CHOICE = {
  titlesTo: z.preprocess(
    (value) => value ?? null,
    z.union([z.null(), z.literal(''), language], {
      error: 'must be the code of a language, empty, or null',
    }),
  ),
  summarise: z.preprocess((value) => value ?? null, z.union([z.null(), boolean])),
};

export const ChooseForFeed = z.object({ feedId: integer, ...CHOICE });
export const ChooseForFolder = z.object({ folderId: integer, ...CHOICE });

const MOST_ITEMS = 500;

export const FindTitles = z.object({
  itemIds: z.array(integer, { error: 'must be a list of ids' }).max(MOST_ITEMS, {
    error: `must have at most ${MOST_ITEMS} ids`,
  }),
});

/**
 * Tasks that start by themselves for new items. Not part of the specification.
 *
 * @see docs/news-api.md "Automatic tasks"
 */
@NewsController(V1_3, '')
export class AutomationV13Controller {
  constructor(private readonly automation: AutomationService) {}

  @Get('automation', 'Shows the automatic tasks of the caller.', AutomationAnswer)
  async show(@CurrentReader() reader: Reader) {
    return toAutomationJson(await this.automation.find(reader));
  }

  @ApiPost('feeds/:feedId/automation', 'Chooses automatic tasks for a feed.', DoneOneAnswer)
  async chooseForFeed(
    @CurrentReader() reader: Reader,
    @Input(ChooseForFeed) { feedId, ...choice }: In<typeof ChooseForFeed>,
  ) {
    await this.automation.choose(reader, { feedId }, choice);
    return DONE_ONE;
  }

  @ApiPost('folders/:folderId/automation', 'Chooses automatic tasks for a folder.', DoneOneAnswer)
  async chooseForFolder(
    @CurrentReader() reader: Reader,
    @Input(ChooseForFolder) { folderId, ...choice }: In<typeof ChooseForFolder>,
  ) {
    await this.automation.choose(reader, { folderId }, choice);
    return DONE_ONE;
  }

  @ApiPost('automation/titles', 'Shows translated titles of items.', TitlesAnswer)
  async titles(
    @CurrentReader() reader: Reader,
    @Input(FindTitles) { itemIds }: In<typeof FindTitles>,
  ) {
    return { titles: await this.automation.titles(reader, itemIds) };
  }
}

/** @see docs/news-api.md "Automatic tasks" */
export function toAutomationJson(automation: Automation) {
  const { languages, summarises, usedToday, mostPerDay, choices } = automation;
  return {
    languages: [...languages].map(([code, label]) => ({ code, label })),
    summarises,
    usedToday,
    mostPerDay,
    feeds: choices.flatMap(({ feedId, titlesTo, summarise }) =>
      feedId === null ? [] : [{ feedId, titlesTo, summarise }],
    ),
    folders: choices.flatMap(({ folderId, titlesTo, summarise }) =>
      folderId === null ? [] : [{ folderId, titlesTo, summarise }],
    ),
  };
}
