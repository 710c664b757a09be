import type { ParsedItem } from '../parsed-feed.js';
import { withoutControls } from './character-references.js';
import { cleanHtml } from './clean-html.js';
import { identify, md5 } from './item-identity.js';
import type { Enclosure } from './media.js';

export const LONGEST_TITLE = 1_000;
const LONGEST_GUID = 10_000;
const LONGEST_ENCLOSURE_MIME = 200;

/** What a format's mapper found out about an item, before anything in it is made safe. */
export interface ItemDraft {
  /** As the publisher wrote it, null when there is none. */
  readonly guid: string | null;
  readonly url: string | null;
  readonly title: string | null;
  readonly author: string | null;
  readonly pubDateSeconds: number | null;
  readonly updatedDateSeconds: number | null;
  readonly html: string;
  /** Address that relative ones in the body are resolved against. */
  readonly base: string;
  /** Of this service; nothing in the body may be loaded from there. */
  readonly ownOrigin: string | null;
  readonly enclosure: Enclosure | null;
  readonly mediaThumbnail: string | null;
  /** HTML, not yet safe. */
  readonly mediaDescription: string | null;
  readonly rtl: boolean;
  /** The publisher wrote nothing of what is stored, not even something unreadable. */
  readonly isEmpty: boolean;
}

/**
 * Turns drafts into items: each guid once, the first of a guid wins because publishers put the
 * newest first; items that say nothing are left out. Items that share a guid by mistake get others.
 */
export function finishItems(drafts: readonly ItemDraft[]): ParsedItem[] {
  const seen = new Set<string>();
  const items: ParsedItem[] = [];
  const guids = drafts.map((draft) => guidOf(draft));
  const ambiguous = ambiguousGuids(drafts, guids);
  for (const [index, draft] of drafts.entries()) {
    const written = guids[index] ?? null;
    if (written === null) continue;
    const guid = ambiguous.has(written) ? md5(written, ...whatElseTells(draft)) : written;
    if (seen.has(guid)) continue;
    seen.add(guid);
    items.push(finishItem(draft, guid));
  }
  return items;
}

/**
 * Guids that several items of one document share although they are plainly not the same: some
 * publishers link all their items to one page, others give all of them one guid.
 */
function ambiguousGuids(
  drafts: readonly ItemDraft[],
  guids: readonly (string | null)[],
): ReadonlySet<string> {
  const told = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const [index, draft] of drafts.entries()) {
    const guid = guids[index] ?? null;
    if (guid === null) continue;
    const other = whatElseTells(draft).join('\n');
    if ((told.get(guid) ?? other) !== other) ambiguous.add(guid);
    told.set(guid, other);
  }
  return ambiguous;
}

/** An item with a guid of its own is another only when it leads elsewhere. */
function whatElseTells(draft: ItemDraft): string[] {
  if (writtenGuid(draft) !== '') return [draft.url ?? ''];
  return [draft.title ?? draft.html, String(draft.pubDateSeconds ?? '')];
}

function writtenGuid({ guid }: ItemDraft): string {
  return withoutControls(guid ?? '').trim();
}

function finishItem(draft: ItemDraft, guid: string): ParsedItem {
  const stored = {
    guid,
    url: draft.url,
    title: draft.title,
    author: draft.author,
    body: draft.html === '' ? '' : cleanHtml(draft.html, draft.base, draft.ownOrigin),
    enclosureMime: draft.enclosure?.mime.slice(0, LONGEST_ENCLOSURE_MIME) ?? null,
    enclosureLink: draft.enclosure?.link ?? null,
  };
  return {
    ...stored,
    ...identify(stored),
    pubDateSeconds: draft.pubDateSeconds,
    updatedDateSeconds: draft.updatedDateSeconds,
    mediaThumbnail: draft.mediaThumbnail,
    mediaDescription: describe(draft),
    rtl: draft.rtl,
  };
}

/** @returns null for an item that cannot be told from others or has nothing to show */
function guidOf(draft: ItemDraft): string | null {
  if (draft.isEmpty) return null;
  const written = writtenGuid(draft);
  const guid = written !== '' ? written : draft.url;
  if (guid !== null) return guid.length > LONGEST_GUID ? md5(guid) : guid;
  // Of what was written rather than of what was stored, so that it outlives changes of our rules.
  const { title, html, enclosure, pubDateSeconds } = draft;
  const told = [title, html, enclosure?.link ?? '', String(pubDateSeconds ?? '')];
  return told.join('') === '' ? md5(draft.author) : md5(...told);
}

function describe({ mediaDescription, base, ownOrigin }: ItemDraft): string | null {
  if (mediaDescription === null) return null;
  const clean = cleanHtml(mediaDescription, base, ownOrigin);
  return clean === '' ? null : clean;
}
