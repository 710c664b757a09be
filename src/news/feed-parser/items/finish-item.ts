import { cleanHtml } from '../html/clean-html.js';
import type { ChosenEnclosures } from './enclosure.js';
import type { ArticleExtras } from './extras.js';
import {
  evidenceOf,
  identify,
  md5,
  derivedGuidsOf,
  keyOf,
  setKeyOf,
  type ItemRule,
  type LookupKey,
  type WrittenItem,
  isOwnPage,
  pageOf,
} from './item-identity.js';
import type { ColumnValues, ParsedItem } from './parsed-item.js';

export const LONGEST_TITLE = 1_000;
const LONGEST_ENCLOSURE_MIME = 200;

/** Columns as they are stored, but that `mediaDescription` is not yet safe. */
type DraftColumns = Omit<ColumnValues, 'enclosureMime' | 'enclosureLink'>;

/** An item as its format's mapper found it, not yet sanitised. */
export interface ItemDraft extends DraftColumns, ChosenEnclosures {
  /** As written; null if missing. */
  readonly guid: string | null;
  /** As written: identity is computed from it. @see derivedGuidsOf */
  readonly html: string;
  /** HTML to sanitise and show; equals `html` unless that is plain text. */
  readonly shownHtml: string;
  /** Base address of the body. */
  readonly base: string;
  /** Origin of this service; media from there are removed. */
  readonly ownOrigin: string | null;
  readonly extras: ArticleExtras | null;
  /** None of the elements that are stored has any content. */
  readonly isEmpty: boolean;
}

/** Properties of a document that help to identify its items. */
export interface DocumentContext {
  readonly rule: ItemRule;
  /** Addresses of the site and of the feed. */
  readonly addresses: readonly (string | null)[];
  /** Dates of the whole document in unix seconds; items with these have no own date. */
  readonly dates?: readonly number[];
}

/**
 * Turns drafts into items, without empty ones and duplicates: of an entry that is listed twice the
 * first wins, because publishers put the newest first.
 */
export function finishItems(
  drafts: readonly ItemDraft[],
  { rule, addresses, dates = [] }: DocumentContext,
): ParsedItem[] {
  const isOwnDate = ownDates(drafts, dates);
  const others = addresses.map(pageOf);
  const duplicates = new DuplicateItems();
  const items: ParsedItem[] = [];
  for (const draft of drafts) {
    const key = setKeyOf(draft, rule) ?? keyOf(draft);
    if (draft.isEmpty || duplicates.has(draft, key)) {
      continue;
    }
    const address = draft.url ?? draft.enclosure?.link ?? null;
    const hasOwnPage = isOwnPage(address, others, drafts.length === 1);
    const item = finishItem(draft, key, hasOwnPage, isOwnDate);
    if (key.kind !== 'keyless' || saysAnything(item)) {
      items.push(item);
    }
  }
  return items;
}

/** Whether an item without guid and link has anything to show. */
function saysAnything(item: ParsedItem): boolean {
  const { title, body, author, pubDateSeconds, updatedDateSeconds, mediaThumbnail } = item;
  const parts = [title, author, pubDateSeconds, updatedDateSeconds, mediaThumbnail];
  return body !== '' || parts.some((part) => part !== null);
}

/** Some publishers give all items the date of the document. */
function ownDates(
  drafts: readonly ItemDraft[],
  documentDates: readonly number[],
): (seconds: number | null) => boolean {
  const ofDocument = new Set(
    documentDates.filter(
      (date) => drafts.filter(({ pubDateSeconds }) => pubDateSeconds === date).length > 1,
    ),
  );
  return (seconds) => seconds !== null && !ofDocument.has(seconds);
}

function finishItem(
  draft: ItemDraft,
  key: LookupKey,
  hasOwnPage: boolean,
  isOwnDate: (seconds: number | null) => boolean,
): ParsedItem {
  // A rule set for one feed changes no guid.
  const named = keyOf(draft);
  const derivedGuids = derivedGuidsOf(draft, named);
  const { html, shownHtml, base, ownOrigin, enclosure, shownEnclosure, isEmpty, ...content } =
    draft;
  const stored = {
    ...content,
    guid: named.kind === 'keyless' ? derivedGuids[0] : named.text,
    body: shownHtml === '' ? '' : cleanHtml(shownHtml, base, ownOrigin),
    enclosureMime: shownEnclosure?.mime.slice(0, LONGEST_ENCLOSURE_MIME) ?? null,
    enclosureLink: shownEnclosure?.link ?? null,
    mediaDescription: describe(draft),
  };
  const ownDateSeconds = isOwnDate(draft.pubDateSeconds) ? draft.pubDateSeconds : null;
  return {
    ...stored,
    ...identify(stored),
    lookup: {
      kind: key.kind,
      hasOwnPage,
      keyHash: md5(key.text),
      derivedGuids,
      derivedGuidHashes: derivedGuids.map((guid) => md5(guid)),
      evidence: evidenceOf({ ...stored, title: headingOf(draft, key, stored), ownDateSeconds }),
    },
  };
}

/** Author or picture identify an item without title and body. */
function headingOf(
  { author, mediaThumbnail }: ItemDraft,
  { kind }: LookupKey,
  { title, body }: Pick<ParsedItem, 'title' | 'body'>,
): string | null {
  return title === null && body === '' && kind === 'keyless' ? (author ?? mediaThumbnail) : title;
}

function describe({ mediaDescription, base, ownOrigin }: ItemDraft): string | null {
  if (mediaDescription === null) {
    return null;
  }
  const clean = cleanHtml(mediaDescription, base, ownOrigin);
  return clean === '' ? null : clean;
}

/**
 * Finds duplicate entries of a document: same key, title, date, body and link. With a guid and the
 * same link, one of title, date and body may differ; without guid and link, author and picture must
 * be equal too. A key that is set for the feed is enough.
 */
export class DuplicateItems {
  /** The first item per key and link, until its signatures are needed. */
  readonly #first = new Map<string, WrittenItem | null>();
  readonly #seen = new Set<string>();

  /** Whether an earlier item is the same; remembers this one. */
  has(item: WrittenItem, key: LookupKey): boolean {
    const isSet = key.kind === 'set';
    const address = JSON.stringify([key.kind, key.text, isSet ? null : item.url]);
    const first = this.#first.get(address);
    if (isSet && first !== undefined) {
      return true;
    }
    if (first === undefined) {
      this.#first.set(address, item);
      return false;
    }
    if (first !== null) {
      this.#remember(signaturesOf(first, key));
      this.#first.set(address, null);
    }
    const signatures = signaturesOf(item, key);
    const isRepeated = signatures.some((signature) => this.#seen.has(signature));
    if (!isRepeated) {
      this.#remember(signatures);
    }
    return isRepeated;
  }

  #remember(signatures: readonly string[]): void {
    for (const signature of signatures) {
      this.#seen.add(signature);
    }
  }
}

function signaturesOf(item: WrittenItem, { kind, text }: LookupKey): string[] {
  const { title, html, url, author, mediaThumbnail } = item;
  const read = [title, item.pubDateSeconds, html];
  const parts = kind === 'keyless' ? [...read, author, mediaThumbnail] : read;
  const kept = kind === 'guid' ? parts.map((_, left) => parts.toSpliced(left, 1)) : [parts];
  return kept.map((some, left) => md5(JSON.stringify([kind, text, url, left, ...some])));
}

/** Languages and scripts. */
const RIGHT_TO_LEFT = new Set(
  'ar fa ur ps syr dv he yi iw ji ckb sd ug arc nqo prs arab hebr aran thaa nkoo'.split(' '),
);

/**
 * Whether a text is written from right to left.
 *
 * @param direction declared `dir`
 * @param languages tags from the innermost element outwards; the first one decides
 */
export function isRightToLeft(
  direction: string | null,
  ...languages: readonly (string | null)[]
): boolean {
  const said = direction?.trim().toLowerCase();
  if (said === 'rtl') {
    return true;
  }
  if (said === 'ltr') {
    return false;
  }
  const language = languages.find((tag) => tag !== null && tag.trim() !== '') ?? '';
  const [name = '', ...variants] = language.trim().toLowerCase().split(/[-_]/);
  // `az-Arab` is Azerbaijani in Arabic letters, `ar-Latn` Arabic in Latin ones.
  const script = variants.find((variant) => /^[a-z]{4}$/.test(variant));
  return RIGHT_TO_LEFT.has(script ?? name);
}
