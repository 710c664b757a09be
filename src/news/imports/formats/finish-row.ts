import { readDate } from '../../feed-parser/dates/read-date.js';
import { withoutControls } from '../../feed-parser/html/character-references.js';
import { cutAt, onOneLine } from '../../feed-parser/html/plain-text.js';
import { webAddress } from '../../feed-parser/web-address.js';
import type { ImportedFeed, ImportedGuid, ImportedRow } from '../imported-row.js';
import { REASONS, type FoundRow } from './found-row.js';

const LONGEST_BODY = 1024 ** 2;
const LONGEST_LINE = 1_000;
const LONGEST_LABEL = 255;
const LONGEST_TEXT = 10_000;
const LONGEST_GUID = 2_000;
const MOST_LABELS = 50;
const MOST_HIGHLIGHTS = 500;

/**
 * A row of any format as it is stored: clean texts, addresses of the web, unix seconds, and bounds.
 *
 * @param tell is told what of the row is left out
 * @returns a sentence for a row that is left out
 */
export function finishRow(found: FoundRow, tell: (reason: string) => void): ImportedRow | string {
  const guid = found.hash ?? plainGuid(found.guid);
  const written = textOf(found.url).trim();
  const url = webAddress(written, '');
  if (url === null && (written !== '' || guid === null)) {
    return written === '' ? REASONS.noAddress : REASONS.notOfWeb;
  }
  const title = lineOf(found.title);
  const body = textOf(found.body);
  const enclosureUrl = webAddress(textOf(found.enclosureUrl), '');
  if (body.length > LONGEST_BODY) {
    tell(REASONS.longBody);
  }
  return {
    url,
    // Programs that know no title write the address there.
    title: title === written ? null : title,
    body: body.length > LONGEST_BODY ? null : body || null,
    author: lineOf(found.author),
    publishedSeconds: secondsOf(found.published),
    savedSeconds: secondsOf(found.saved),
    isRead: flagOf(found.read) ?? negated(flagOf(found.unread)),
    isStarred: flagOf(found.starred) ?? false,
    labels: labelsOf(found.labels ?? [], tell),
    note: noteOf(found.note),
    highlights: highlightsOf(found.highlights ?? [], tell),
    guid,
    enclosure:
      enclosureUrl === null ? null : { url: enclosureUrl, mime: lineOf(found.enclosureMime) },
    feed: feedOf(found),
  };
}

/** Seconds, milliseconds or microseconds by their size, or a date in any form, without a zone in UTC. */
export function secondsOf(value: unknown): number | null {
  const text = textOf(value).trim();
  if (!/^\d+(?:\.\d+)?$/.test(text)) {
    return readDate(text);
  }
  const given = Number(text);
  const seconds = Math.floor(given < 1e11 ? given : given < 1e14 ? given / 1e3 : given / 1e6);
  return seconds > 0 && seconds < 1e11 ? seconds : null;
}

/** `true`, `1`, `t` and the like; null for what is not there. */
export function flagOf(value: unknown): boolean | null {
  return value === undefined || value === null ? null : /^(?:true|t|1|yes)$/i.test(String(value));
}

const negated = (flag: boolean | null) => (flag === null ? null : !flag);

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? withoutControls(`${value}`) : '';
}

function lineOf(value: unknown): string | null {
  return cutAt(onOneLine(textOf(value)), LONGEST_LINE) || null;
}

function noteOf(value: unknown): string | null {
  return cutAt(textOf(value).trim(), LONGEST_TEXT) || null;
}

function plainGuid(value: unknown): ImportedGuid | null {
  const guid = textOf(value).trim();
  return guid === '' || guid.length > LONGEST_GUID ? null : { kind: 'plain', guid };
}

function labelsOf(given: readonly unknown[], tell: (reason: string) => void): readonly string[] {
  const labels = new Set(given.map(labelOf).filter(Boolean));
  if (labels.size > MOST_LABELS) {
    tell(REASONS.manyLabels);
  }
  return [...labels].slice(0, MOST_LABELS);
}

/** Labels refuse further control characters. */
function labelOf(given: unknown): string {
  const line = onOneLine(textOf(given).replaceAll(/\p{Cc}/gu, ' '));
  return cutAt(line, LONGEST_LABEL).trim();
}

function highlightsOf(
  given: NonNullable<FoundRow['highlights']>,
  tell: (reason: string) => void,
): ImportedRow['highlights'] {
  const highlights = given.flatMap(({ text, note }) => {
    const exact = noteOf(text);
    return exact === null ? [] : { text: exact, note: noteOf(note) };
  });
  if (highlights.length > MOST_HIGHLIGHTS) {
    tell(REASONS.manyHighlights);
  }
  return highlights.slice(0, MOST_HIGHLIGHTS);
}

function feedOf(found: FoundRow): ImportedFeed | null {
  const feed = {
    url: webAddress(textOf(found.feedUrl), ''),
    siteUrl: webAddress(textOf(found.feedSite), ''),
    title: lineOf(found.feedTitle),
  };
  return (feed.url ?? feed.siteUrl ?? feed.title) ? feed : null;
}
