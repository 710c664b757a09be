import { notFound } from '../../common/errors/domain-error.js';
import { clamped, isPlainNumber } from '../../common/http/loose-inputs.js';
import { cutAt } from '../feed-parser/html/plain-text.js';

/** The parsed stream id of a client. */
export type StreamName =
  | { readonly of: 'state'; readonly state: string }
  | { readonly of: 'label'; readonly name: string }
  | { readonly of: 'feed'; readonly feedId: number }
  | { readonly of: 'address'; readonly address: string }
  | { readonly of: 'nothing' };

export const READING_LIST = 'reading-list';

const NOTHING: StreamName = { of: 'nothing' };

/** The user part is `-`, or an id, which is ignored: a token belongs to one user. */
const USER_STREAM = /^user\/[^/]*\/(?:state\/com\.google|label)\/(.+)$/s;

/** `stream/contents/starred`, the short form of states. */
const BARE_STATE = /^[a-z-]+$/;

/**
 * Reads a stream id: `user/-/state/com.google/read`, `user/-/label/News`, `feed/12`,
 * `feed/https://a.example/rss`, or a state alone.
 */
export function streamNameOf(text: string): StreamName {
  const given = text.trim();
  if (given.startsWith('feed/')) {
    return feedNameOf(given.replace(/^(?:feed\/)+/, ''));
  }
  const rest = USER_STREAM.exec(given)?.[1];
  if (rest !== undefined) {
    const isLabel = /^user\/[^/]*\/label\//.test(given);
    return isLabel ? { of: 'label', name: rest } : { of: 'state', state: rest };
  }
  return BARE_STATE.test(given) ? { of: 'state', state: given } : NOTHING;
}

/** The name of a label; null for other streams. */
export function labelNameOf(text: string): string | null {
  const named = streamNameOf(text);
  return named.of === 'label' ? named.name : null;
}

export const stateId = (state: string): string => `user/-/state/com.google/${state}`;
export const labelId = (name: string): string => `user/-/label/${name}`;
export const feedStreamId = (feedId: number): string => `feed/${feedId}`;

function feedNameOf(rest: string): StreamName {
  if (/^\d+$/.test(rest)) {
    return isPlainNumber(rest) ? { of: 'feed', feedId: clamped(Number(rest)) } : NOTHING;
  }
  // Merged by the edge where it stood unescaped in a path.
  const address = rest.replace(/^(https?):\/(?!\/)/i, '$1://');
  return address === '' ? NOTHING : { of: 'address', address };
}

const LONGEST_SHOWN = 200;

/** None of the user's feeds, folders and labels. */
export class UnknownStream extends notFound(
  (stream: string) => `There is nothing at "${cutAt(stream, LONGEST_SHOWN)}".`,
) {}
