import { entityOf, p } from '../../database/entity-of.js';

/** `title`: the title of a new item, translated automatically; `answer`: yes or no, to a rule's question. */
export type AssistanceKind = 'title' | 'translation' | 'transcript' | 'answer' | TextKind;

export type TextKind = 'summary' | 'topics' | 'headline';

/** A text; a title with its original; or, for a translation, title and HTML. */
export type AssistanceResult =
  | { readonly text: string }
  | { readonly title: string; readonly of: string }
  | {
      readonly title: string;
      readonly body: string;
      /** Null when neither the request nor the provider named it. */
      readonly from: string | null;
      readonly to: string;
    };

type AssistanceState = 'running' | 'done' | 'failed';

/** A request to external apps about an article, and its result, shared by all who have the article. */
export class ArticleAssistanceEntity extends entityOf('article_assistance', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  articleId: p.bigint('number'),
  sourceId: p.bigint('number'),
  kind: p.text().$type<AssistanceKind>(),
  /** `from>to` of a translation, with an empty `from` to detect it; of an answer, `answerKey`; else empty. */
  languages: p.text(),
  /** Whether it works on the full text instead of the feed's text. */
  fullText: p.boolean(),
  /** SHA-256 of the input; another one means that the article has changed. */
  inputHash: p.blob(),
  state: p.text().$type<AssistanceState>().defaultRaw("'running'::text"),
  /** Per cent; null if the app does not report any. */
  progress: p.smallint().strictNullable(),
  result: p.json().$type<AssistanceResult>().strictNullable(),
  /** A message for the user; null unless it failed. */
  error: p.text().strictNullable(),
  /** User whose budget pays; null once finished, since results have no owner. */
  userId: p.text().strictNullable(),
  /** Whether it was started for new items, without a request. */
  automatic: p.boolean().defaultRaw('false'),
  startedAt: p.datetime().defaultRaw('now()'),
  finishedAt: p.datetime().strictNullable(),
}) {}

/** A user who made a choice; the row is the lock on the budget. */
export class AutomaticReaderEntity extends entityOf('automatic_reader', {
  readerId: p.bigint('number').primary(),
  /** Whether any choice is switched on. */
  isOn: p.boolean(),
  /** Highest examined item ids. */
  titlesDoneId: p.bigint('number').defaultRaw("'0'::bigint"),
  summariesDoneId: p.bigint('number').defaultRaw("'0'::bigint"),
  day: p.date().defaultRaw('CURRENT_DATE'),
  /** Tasks that were started on `day`. */
  used: p.integer().defaultRaw('0'),
}) {}

/** Automatic tasks for new items of a feed or a folder. */
export class AutomaticChoiceEntity extends entityOf('automatic_choice', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  readerId: p.bigint('number'),
  /** The feed that is chosen for; null if `folderId` is set. */
  subscriptionId: p.bigint('number').strictNullable(),
  folderId: p.bigint('number').strictNullable(),
  /** The language that titles are translated to; empty: they are not; null: as the folder. */
  titlesTo: p.text().strictNullable(),
  /** Null: as the folder. */
  summarise: p.boolean().strictNullable(),
  /** Items with lower ids were there when it was switched on. */
  titlesFromId: p.bigint('number').defaultRaw("'0'::bigint"),
  summariesFromId: p.bigint('number').defaultRaw("'0'::bigint"),
}) {}

/** Failures in a row of one kind of task; after a few it pauses. */
export class AutomaticPauseEntity extends entityOf('automatic_pause', {
  kind: p.text().primary(),
  failures: p.integer(),
  pausedUntil: p.datetime(),
}) {}
