import { z } from 'zod';

/*
 * Response types shared by several subjects (*.wire.ts), as the strictest known client requires:
 * integers where the specification has integers, and no null that a client rejects.
 */

/** The empty response of a route for one object: clients require a JSON text and status 200. */
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

/** @see DONE_ONE */
export const DoneOneAnswer = z.array(z.unknown()).max(0);

/** @see DONE_MANY */
export const DoneManyAnswer = z.null();
