import type { Fields } from '../../../common/http/read-fields.js';
import { streamNameOf } from '../stream-names.js';

/** Clients name two or three. */
const MOST_TAGS = 100;

/** What an `edit-tag` asks for. */
export interface TagEdit {
  /** Null: unchanged. */
  readonly unread: boolean | null;
  readonly starred: boolean | null;
  readonly labelsToSet: readonly string[];
  readonly labelsToRemove: readonly string[];
}

/**
 * Reads the tags to add (`a`) and to remove (`r`), each of which may be repeated. Unknown tags are
 * ignored. `kept-unread` is the opposite of `read`, which decides where both are named;
 * `tracking-kept-unread`, which clients send along with it, changes nothing.
 *
 * @throws BadRequestException for too many tags
 */
export function tagEditOf(fields: Fields): TagEdit {
  const added = tagsOf(fields.distinct('a', MOST_TAGS));
  const removed = tagsOf(fields.distinct('r', MOST_TAGS));
  const switched = (state: string): boolean | null =>
    added.states.has(state) ? true : removed.states.has(state) ? false : null;
  const read = switched('read');
  const keptUnread = switched('kept-unread') ?? switched('unread');
  return {
    unread: read === null ? keptUnread : !read,
    starred: switched('starred'),
    labelsToSet: added.labels,
    labelsToRemove: removed.labels,
  };
}

function tagsOf(streams: readonly string[]) {
  const states = new Set<string>();
  const labels = new Set<string>();
  for (const stream of streams) {
    const named = streamNameOf(stream);
    if (named.of === 'state') {
      states.add(named.state);
    } else if (named.of === 'label') {
      labels.add(named.name);
    }
  }
  return { states, labels: [...labels] };
}
