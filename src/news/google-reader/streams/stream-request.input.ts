import type { Fields } from '../../../common/http/read-fields.js';
import { itemIdOf } from '../item-ids.js';
import { timeMicros } from '../times.js';
import { READING_LIST, stateId } from '../stream-names.js';

const USUAL_LENGTH = 20;

/** Clients name two or three. */
const MOST_STREAMS = 50;

/** A list as a client asks for it. */
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

/** What clients may be wrong by. */
const SINCE_MARGIN_MICROS = 60_000_000;

/**
 * Of a whole second, a minute earlier: Fluent Reader rounds the arrival of its newest item up, and
 * NetNewsWire takes the header `Date`, for which nginx puts its own time, later than the list was read.
 * Clients know items that they get twice.
 */
function sinceMicros(text: string | undefined): number | null {
  const micros = timeMicros(text);
  return micros !== null && micros % 1_000_000 === 0 ? micros - SINCE_MARGIN_MICROS : micros;
}

/** Of the last item of a page. Anything else is ignored: there are clients that send "null". */
function continuationOf(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? itemIdOf(text) : null;
}

function lengthOf(text: string | undefined, most: number): number {
  const length = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : 0;
  return length === 0 ? USUAL_LENGTH : Math.min(length, most);
}
