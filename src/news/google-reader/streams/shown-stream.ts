import { feedStreamId, labelId, stateId, streamNameOf } from '../stream-names.js';
import type { FeedPlace } from './stream-sets.repository.js';

/**
 * The stream behind `/<route>/` of a path, escaped or not. Not the route's placeholder, in which escaped
 * and unescaped slashes are no longer told apart.
 *
 * @returns "" without any
 */
export function streamInPath(path: string, route: string): string {
  const at = path.toLowerCase().indexOf(`/${route}/`);
  const stream = at === -1 ? '' : path.slice(at + route.length + 2);
  try {
    return decodeURIComponent(stream);
  } catch {
    return stream;
  }
}

/** The stream by its number and with `-` for the user, as answers name streams. */
export function shownStream(
  stream: string,
  feeds: ReadonlyMap<number, FeedPlace>,
): { id: string; title: string } {
  const named = streamNameOf(stream);
  switch (named.of) {
    case 'state':
      return { id: stateId(named.state), title: named.state };
    case 'label':
      return { id: labelId(named.name), title: named.name };
    case 'feed':
      return { id: feedStreamId(named.feedId), title: feeds.get(named.feedId)?.title ?? '' };
    default:
      return { id: stream, title: '' };
  }
}
