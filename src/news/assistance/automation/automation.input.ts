import { z } from 'zod';
import { language } from '../assistance.input.js';
import { boolean, integer } from '../../parameters.js';

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
