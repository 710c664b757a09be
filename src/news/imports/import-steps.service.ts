import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../database/database.js';
import { DeliveriesRepository } from '../reader/delivery/deliveries.repository.js';
import { ReaderClientsRepository } from '../reader/delivery/reader-clients.repository.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import type { NewArticle } from '../sources/articles/article-writes.sql.js';
import { sourceOf } from './import-feeds.service.js';
import { ImportWriting, type PreparedRow } from './import-writing.service.js';
import { ImportedItemsRepository } from './imported-items.repository.js';
import { ImportedTexts } from './imported-texts.service.js';
import type { ImportOutcome, Made } from './imports.entities.js';
import { ImportsRepository, type NewsImport, type StagedRow } from './imports.repository.js';
import { omissionsOf } from './omissions.js';
import { RowMatching } from './row-matching.service.js';

/** Few enough that the user's other requests get the lock in between. */
const ROWS_PER_STEP = 100;
const CHARACTERS_PER_STEP = 4 * 1024 * 1024;

/** `waits`: a client is between pages; `ended`: there is nothing left to do. */
export type Step = 'waits' | 'ended' | { readonly rows: number; readonly changedItems: number };

/**
 * Imports rows that are staged, the oldest first, some in each transaction, which removes them: an import that was
 * interrupted goes on where it was.
 *
 * @see docs/decisions/0113-imports.md
 */
@Injectable()
export class ImportSteps {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly clients: ReaderClientsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly imports: ImportsRepository,
    private readonly items: ImportedItemsRepository,
    private readonly texts: ImportedTexts,
    private readonly matching: RowMatching,
    private readonly writing: ImportWriting,
  ) {}

  async take(reader: Reader, importId: number): Promise<Step> {
    const rows = await this.imports.nextRows(
      reader.id,
      importId,
      ROWS_PER_STEP,
      CHARACTERS_PER_STEP,
    );
    const articles = await this.texts.read(rows);
    return this.readers.change(reader, async (tx, locked) => {
      if (await this.clients.isPaging(locked.id, tx)) {
        return 'waits';
      }
      const found = await this.imports.find(locked.id, importId, tx);
      if (found?.state !== 'running') {
        return 'ended';
      }
      if (rows.length === 0) {
        await this.imports.setState(locked.id, importId, 'done', tx);
        return 'ended';
      }
      return this.#import(reader, locked, found, rows, articles, tx);
    });
  }

  async #import(
    reader: Reader,
    locked: LockedReader,
    found: NewsImport,
    read: readonly StagedRow[],
    articles: ReadonlyMap<number, NewArticle>,
    tx: Transaction,
  ): Promise<Step> {
    // Another process may have done some meanwhile.
    const places = await this.imports.take(
      locked.id,
      found.id,
      read.map(({ place }) => place),
      tx,
    );
    const rows = read.filter(({ place }) => places.has(place));
    await this.items.lockSources(reader.userId, tx);
    await this.deliveries.deliver(locked, tx);
    const identities = rows.map(({ identity }) => identity);
    const known = await this.imports.memories(locked.id, { identities, itemIds: [] }, tx);
    const itemOf = new Map(known.map(({ identity, itemId }) => [identity, itemId]));
    const feeds = await this.matching.feedsOf(locked.id, tx);
    const sought = rows.map((one) => ({
      ...one,
      ownKey: sourceOf(reader, found.format, one.row).urlKey.toString('hex'),
      remembered: itemOf.get(one.identity.toString('hex')),
    }));
    const matched = await this.matching.match(
      locked.id,
      feeds,
      sought.filter(({ remembered }) => remembered === undefined),
      tx,
    );
    const idOf = (one: (typeof sought)[number]) => one.remembered ?? matched.get(one) ?? null;
    const foundIds = sought.flatMap((one) => idOf(one) ?? []);
    const merged = await this.items.merged(locked.id, foundIds, tx);
    const prepared = sought.map((one): PreparedRow => {
      const itemId = idOf(one);
      const { place, identity, row } = one;
      const article = articles.get(place) ?? null;
      return { place, identity, row, article, itemId: itemId && (merged.get(itemId) ?? itemId) };
    });
    const itemIds = prepared.flatMap(({ itemId }) => itemId ?? []);
    const before = await this.imports.memories(locked.id, { identities: [], itemIds }, tx);
    const omissions = omissionsOf(found.leftOut);
    const written = await this.writing.write(
      reader,
      locked,
      found,
      prepared,
      feeds,
      before,
      omissions.tell,
      tx,
    );
    await this.imports.remember(locked.id, written.memories, tx);
    await this.imports.saveProgress(
      locked.id,
      {
        ...found,
        doneCount: found.doneCount + rows.length,
        outcome: sum(found.outcome, written.outcome),
        leftOut: omissions.all(),
        made: united(found.made, written.made),
      },
      tx,
    );
    const { stored = 0, starred = 0, read: marked = 0, labelled = 0 } = written.outcome;
    return { rows: rows.length, changedItems: stored + starred + marked + labelled };
  }
}

function sum(
  before: Partial<ImportOutcome>,
  added: Partial<ImportOutcome>,
): Partial<ImportOutcome> {
  const names = new Set([...Object.keys(before), ...Object.keys(added)]) as Set<
    keyof ImportOutcome
  >;
  return Object.fromEntries(
    Array.from(names, (name) => [name, (before[name] ?? 0) + (added[name] ?? 0)]),
  );
}

function united(before: Partial<Made>, added: Made): Made {
  const both = (name: keyof Made) => [...(before[name] ?? []), ...added[name]];
  return { feedIds: both('feedIds'), folderIds: both('folderIds'), labelIds: both('labelIds') };
}
