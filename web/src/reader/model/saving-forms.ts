/** Services that keep pages: articles are sent there, and they tell nothing. */
export const SAVING_FORMS = [
  'wallabag',
  'karakeep',
  'linkwarden',
  'readwise',
  'instapaper',
  'raindrop',
  'readeck',
  'linkding',
  'shaarli',
] as const;
export type SavingForm = (typeof SAVING_FORMS)[number];
