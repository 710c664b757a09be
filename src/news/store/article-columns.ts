/** What a publisher says of an article, in the order in which it is written; the body is apart. */
export const ARTICLE_COLUMNS = [
  'guid',
  'guid_hash',
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
