import { entityOf, p } from '../../database/entity-of.js';

/**
 * A reader to whom articles are delivered as they arrive, not when a client asks. Beside the sources, like
 * followers: it stays on the coordinator when readers are distributed.
 */
export class EarlyReaderEntity extends entityOf('early_reader', {
  readerId: p.bigint('number').primary(),
  userId: p.text(),
  /** Some rule tells something. */
  tells: p.boolean().default(false),
  /** Tasks start by themselves for new items. */
  automates: p.boolean().default(false),
  /** A digest is collected. */
  digests: p.boolean().default(false),
  /** Each story is shown once: stories are sought, but nothing is delivered early for this alone. */
  stories: p.boolean().default(false),
  /** Rises with each change of what its rules tell: the stamp of that change, unix microseconds. */
  rulesRev: p.bigint('number').defaultRaw("'0'::bigint"),
}) {}

/** One row while an enabled app wants events of new items: then everybody is early. Kept by `want_news_events`. */
export class AppsListeningEntity extends entityOf('apps_listening', {
  everyone: p.boolean().primary().defaultRaw('true'),
}) {}
