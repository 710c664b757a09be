/** What a publisher says of an article, in the order in which it is written; the body is apart. */
export const CONTENT_COLUMNS = [
  'fingerprint',
  'content_hash',
  'title',
  'author',
  'url',
  'pub_date_seconds',
  'updated_date_seconds',
  'enclosure_mime',
  'enclosure_link',
  'media_thumbnail',
  'media_description',
  'rtl',
];

/** The same after the name of the article, which is written once and never changed. */
export const ARTICLE_COLUMNS = ['guid', 'guid_hash', ...CONTENT_COLUMNS];
