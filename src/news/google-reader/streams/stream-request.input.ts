import { numberOfDigits } from '../../../common/http/loose-inputs.js';
import type { Fields } from '../../../common/http/read-fields.js';
import type { StreamPage } from '../../reader/streams/stream.js';
import { timeMicros } from '../http/form-fields.input.js';
import { itemIdOf } from '../item-ids.js';
import { READING_LIST, stateId, feedStreamId, labelId, streamNameOf } from '../stream-names.js';
import type { FeedPlace } from './stream-sets.repository.js';

const USUAL_LENGTH = 20;

/** Clients name two or three. */
const MOST_STREAMS = 50;

/** A client's list request. */
export interface StreamRequest {
  readonly stream: string;
  readonly within: readonly string[];
  readonly without: readonly string[];
  readonly fromMicros: number | null;
  readonly toMicros: number | null;
  readonly oldestFirst: boolean;
  /** Exclusive; null is the first page. */
  readonly after: number | null;
  readonly length: number;
}

/**
 * @param mostItems longer pages are not sent
 * @param inPath the stream of the path, if it names one
 */
export function streamRequestOf(fields: Fields, mostItems: number, inPath = ''): StreamRequest {
  return {
    stream: inPath || (fields.one('s') ?? stateId(READING_LIST)),
    within: fields.distinct('it', MOST_STREAMS),
    without: fields.distinct('xt', MOST_STREAMS),
    fromMicros: sinceMicros(fields.one('ot')),
    toMicros: timeMicros(fields.one('nt')),
    oldestFirst: fields.one('r') === 'o',
    after: continuationOf(fields.one('c')),
    length: lengthOf(fields.one('n'), mostItems),
  };
}

/** Largest error of the times that clients send. */
const SINCE_MARGIN_MICROS = 60_000_000;

/**
 * For a whole second, one minute earlier: Fluent Reader rounds the arrival of its newest item up, and
 * NetNewsWire takes the header `Date`, which nginx sets later than the list was read. Clients recognise
 * items that they receive twice.
 */
function sinceMicros(text: string | undefined): number | null {
  const micros = timeMicros(text);
  return micros !== null && micros % 1_000_000 === 0 ? micros - SINCE_MARGIN_MICROS : micros;
}

/**
 * The continuation is the id of a page's last item; one above all ids leaves nothing older, or everything.
 * Other values are ignored: some clients send "null".
 */
function continuationOf(text: string | undefined): number | null {
  const number = numberOfDigits(text);
  return number === null || number === Number.MAX_SAFE_INTEGER ? number : itemIdOf(`${number}`);
}

function lengthOf(text: string | undefined, most: number): number {
  return Math.min(numberOfDigits(text) || USUAL_LENGTH, most);
}

/**
 * The stream behind `/<route>/` of a path, escaped or not. Not the route's placeholder, in which escaped
 * and unescaped slashes look alike.
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

/** A page that was read with one row more than it shows. */
export interface Page<Row> {
  readonly batches: AsyncIterable<readonly Row[]>;
  /** Called after the batches: the last row, if more remain. */
  readonly continuesAfter: () => Row | null;
}

/** Cuts to `length`, and remembers whether more rows remain. */
export function pageOf<Row>(all: AsyncIterable<readonly Row[]>, length: number): Page<Row> {
  let count = 0;
  let last: Row | null = null;
  let isCut = false;
  async function* batches(): AsyncGenerator<readonly Row[], void, undefined> {
    for await (const batch of all) {
      const shown = batch.slice(0, length - count);
      count += shown.length;
      last = shown.at(-1) ?? last;
      if (shown.length > 0) {
        yield shown;
      }
      // Reads to the end all the same, which is near: to stop would cost the connection.
      isCut ||= shown.length < batch.length;
    }
  }
  return { batches: batches(), continuesAfter: () => (isCut ? last : null) };
}

/** One extra item tells whether more remain. */
export function oneMoreThan({ oldestFirst, after, length }: StreamRequest): StreamPage {
  return { oldestFirst, after, limit: length + 1 };
}
