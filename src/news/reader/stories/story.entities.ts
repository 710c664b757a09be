import { entityOf, p } from '../../../database/entity-of.js';

/** What an article is compared by, for 72 hours. */
export class StorySignatureEntity extends entityOf('story_signature', {
  articleId: p.bigint('number').primary(),
  sourceId: p.bigint('number'),
  signature: p.blob().$type<Buffer>(),
  at: p.datetime().defaultRaw('now()'),
}) {}

/** A key under which an article is found, for 72 hours. */
export class StoryKeyEntity extends entityOf('story_key', {
  key: p.bigint('string').primary(),
  articleId: p.bigint('number').primary(),
  at: p.datetime().defaultRaw('now()'),
}) {}

/** An article of a story that has others, for 30 days. */
export class ArticleStoryEntity extends entityOf('article_story', {
  articleId: p.bigint('number').primary(),
  sourceId: p.bigint('number'),
  /** The smallest id of its articles, when it was recognised. */
  storyId: p.bigint('number'),
  /** Why it is of the story, and how surely, 0 to 1: of its best match then. */
  how: p.text().$type<'link' | 'title' | 'text'>(),
  score: p.float().columnType('real'),
  at: p.datetime().defaultRaw('now()'),
}) {}
