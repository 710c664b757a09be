import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../common/config/public-address.js';
import { Turns } from '../../common/turns.js';
import { givenDocument } from '../adding/added-items.service.js';
import { identify } from '../feed-parser/items/item-identity.js';
import type { ParsedItem } from '../feed-parser/items/parsed-item.js';
import { UnreadableDocument } from '../feed-parser/parsed-feed.js';
import { FeedReadingPool } from '../feed-parser/pool/reading-pool.js';
import type { NewArticle } from '../sources/articles/article-writes.sql.js';
import type { ImportedRow } from './imported-row.js';
import type { StagedRow } from './imports.repository.js';
import { guidOf } from './row-identity.js';

/** Makes articles of rows: sanitised as those of publishers, in the same threads. */
@Injectable()
export class ImportedTexts {
  constructor(
    private readonly pool: FeedReadingPool,
    private readonly address: PublicAddress,
  ) {}

  /** @returns articles by the places of their rows; a text that cannot be read is left out */
  async read(rows: readonly StagedRow[]): Promise<Map<number, NewArticle>> {
    const stored = rows.filter(({ row }) => row.isStateOnly !== true);
    const items = await this.#read(stored);
    const rowAt = new Map(stored.map((one) => [one.place, one.row]));
    const articles = await new Turns().map([...items], ([place, item]) => {
      const row = rowAt.get(place);
      return row === undefined ? [] : [[place, toArticle(row, item)] as const];
    });
    return new Map(articles.flat());
  }

  async #read(rows: readonly StagedRow[]): Promise<Map<number, ParsedItem>> {
    if (rows.length === 0) {
      return new Map();
    }
    try {
      const { items } = await this.pool.read({
        bytes: givenDocument(rows.map(toAddedItem)),
        contentType: 'application/feed+json',
        url: 'https://added.invalid/',
        ownOrigin: new URL(this.address.root).origin,
      });
      return new Map(items.map((item) => [Number(item.guid), item]));
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) {
        throw error;
      }
    }
    // One of them took too long, or too much memory.
    const [first, ...others] = rows;
    if (first !== undefined && others.length === 0) {
      return first.row.body === null
        ? new Map()
        : this.#read([{ ...first, row: { ...first.row, body: null } }]);
    }
    const half = Math.ceil(rows.length / 2);
    return new Map([
      ...(await this.#read(rows.slice(0, half))),
      ...(await this.#read(rows.slice(half))),
    ]);
  }
}

function toAddedItem({ place, row }: StagedRow) {
  return {
    // Rows of several feeds are read together, which may have the same guids.
    guid: String(place),
    url: row.url ?? undefined,
    title: row.title ?? undefined,
    body: row.body ?? undefined,
    author: row.author ?? undefined,
    pubDate: row.publishedSeconds ?? row.savedSeconds ?? undefined,
    enclosureLink: row.enclosure?.url,
    enclosureMime: row.enclosure?.mime ?? undefined,
  };
}

const toArticle = (row: ImportedRow, item: ParsedItem): NewArticle => named(item, guidOf(row));

/** The article with this guid. */
export function named(item: ParsedItem, guid: string): NewArticle {
  const identity = identify({ ...item, guid });
  const lookup = { ...item.lookup, keyHash: identity.guidHash };
  return {
    item: { ...item, guid, ...identity, lookup },
    name: { guid, guidHash: identity.guidHash },
    removed: null,
    byEvidence: false,
  };
}
