/**
 * Advisory locks have numbers, which all our locks of a database share. Readers have these and their ids, as many as
 * there will be: a lock of the whole installation has a number below, which no reader can have.
 */
export const READER_LOCK_SPACE = 4_706_000_000_000_000;

/** Moves events of the feed reader one process after the other. */
export const NEWS_EVENTS_LOCK = 4_706_037;

/** Changes stories one transaction after the other. */
export const STORIES_LOCK = 4_706_115;
