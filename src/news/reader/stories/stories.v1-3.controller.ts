import { z } from 'zod';
import { Get, Put } from '../../../common/contracts/routes.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { boolean, integer } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { StoriesService } from './stories.service.js';

const StoriesAnswer = z.object({
  once: z.boolean(),
  alwaysShownFeeds: z.array(z.int()),
});

const Switch = z.object({ once: boolean });
const ShowAlways = z.object({ feedId: integer, alwaysShown: boolean });

/** @see docs/news-api.md "Stories" */
@NewsController(V1_3, '')
export class StoriesV13Controller {
  constructor(private readonly stories: StoriesService) {}

  @Get('stories', 'Shows whether the caller sees each story once.', StoriesAnswer)
  async settings(@CurrentReader() reader: Reader) {
    return this.stories.settings(reader);
  }

  @Put('stories', 'Switches on or off that the caller sees each story once.', StoriesAnswer)
  async switch(@CurrentReader() reader: Reader, @Input(Switch) { once }: In<typeof Switch>) {
    return this.stories.switch(reader, once);
  }

  @Put('feeds/:feedId/stories', 'Excepts a feed from showing each story once.', StoriesAnswer)
  async showAlways(
    @CurrentReader() reader: Reader,
    @Input(ShowAlways) { feedId, alwaysShown }: In<typeof ShowAlways>,
  ) {
    return this.stories.showAlways(reader, feedId, alwaysShown);
  }
}
