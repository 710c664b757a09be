/*
 * What the answers of several subjects (*.wire.ts) share. The types are those of the strictest known
 * client: integers where the specification has integers, and no null that makes a client stop reading.
 */

/** The empty answer of a route about one thing: clients require a JSON text and status 200. */
export const DONE_ONE = Object.freeze([]) as readonly never[];

/**
 * The empty answer of a route about many things. Android parses an object there, for which it
 * accepts `null` but not `[]`.
 */
export const DONE_MANY = null;

/** The title of a feed, or the host of its address for a feed without one. */
export function titleOrHost(title: string, url: string): string {
  if (title !== '') {
    return title;
  }
  return URL.canParse(url) ? new URL(url).hostname : url;
}
