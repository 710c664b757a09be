import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { DiskSpace } from '../../common/disk/disk-space.js';
import { assertBelowLimit } from '../../common/errors/limit-reached.js';
import { StorageFull } from '../../common/errors/storage-full.js';
import { AccountRestores, type KeptArchive } from '../../common/ports/account-restores.js';
import { MIB } from '../../common/units.js';
import type { SqlRunner } from '../../database/database.js';
import { DeliveryService } from '../reader/delivery/delivery.service.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { readImport, type ImportReading } from './formats/read-import.js';
import { sourceOf } from './import-feeds.service.js';
import type { ImportedRow } from './imported-row.js';
import type { ImportPreview } from './imports.entities.js';
import { ImportUnderWay } from './imports.errors.js';
import { ImportsRepository, type NewsImport } from './imports.repository.js';
import type { KnownFeeds } from './known-feeds.js';
import { identityOf } from './row-identity.js';
import { RowMatching } from './row-matching.service.js';

/** Of what a file holds when it is unpacked, by its largest size. */
const LARGEST_RATIO = 4;

const COUNTED = [
  'articles',
  'ofFollowedFeeds',
  'pages',
  'found',
  'toStore',
  'notFound',
  'unread',
  'starred',
  'labelled',
  'noted',
] as const satisfies readonly (keyof ImportPreview)[];

/** Reads files into rows that wait for their import, and tells what they are. */
@Injectable()
export class ImportReadings {
  constructor(
    private readonly config: Config,
    private readonly disk: DiskSpace,
    private readonly readers: ReadersRepository,
    private readonly delivery: DeliveryService,
    private readonly imports: ImportsRepository,
    private readonly matching: RowMatching,
    private readonly restores: AccountRestores,
  ) {}

  /**
   * Reads a file that is on disk. Any former preview of the user is forgotten.
   *
   * @returns the id of the import
   * @throws UnreadableImport, LimitReached, StorageFull; ImportUnderWay for an archive in place of one that is
   *   needed; as `AccountRestores.keep`; then nothing is kept
   */
  async read(reader: Reader, file: string): Promise<number> {
    const { limits } = this.config;
    const reading = await readImport(file, {
      mostRows: limits['rows-per-import'],
      mostUnpackedBytes: limits['import-mebibytes'] * LARGEST_RATIO * MIB,
    });
    const isArchive = reading.format === 'gatefold';
    let importId: number | undefined;
    try {
      if (isArchive) {
        await this.#assertReplaceable(reader);
      }
      importId = await this.#change(reader, async (tx, readerId) => {
        const most = limits['imports-per-user'];
        assertBelowLimit(
          this.config,
          'imports-per-user',
          await this.imports.count(readerId, most, tx),
        );
        return this.imports.create(readerId, { format: reading.format }, tx);
      });
      await this.#stage(reader, importId, reading);
      if (isArchive) {
        // The former preview may have been started meanwhile; by now it is forgotten if it was not.
        await this.#assertReplaceable(reader, importId);
        const { createdSeconds = 0 } = (await this.imports.find(reader.id, importId)) ?? {};
        await this.restores.keep(reader.userId, file, createdSeconds);
      }
      return importId;
    } catch (error) {
      if (importId !== undefined) {
        const id = importId;
        await this.#change(reader, (tx, readerId) => this.imports.remove(readerId, id, tx));
      }
      throw error;
    } finally {
      await reading.close();
    }
  }

  /** The archive that is kept may be what an import still needs. @param own an import that does not count */
  async #assertReplaceable({ id, userId }: Reader, own?: number): Promise<void> {
    const imports = (await this.imports.list(id)).filter((one) => one.id !== own);
    const kept = await this.restores.waiting(userId);
    const isNeeded =
      imports.some(({ state }) => state === 'running' || state === 'undoing') ||
      kept.some((archive) => importOf(archive, imports)?.state === 'done') ||
      (await this.restores.isUnderWay(userId));
    if (isNeeded) {
      throw new ImportUnderWay();
    }
  }

  async #stage(reader: Reader, importId: number, reading: ImportReading): Promise<void> {
    await this.delivery.deliverTo(reader);
    const feeds = await this.matching.feedsOf(reader.id);
    const most = this.config.limits['imported-rows-per-user'];
    const before = await this.#change(reader, (tx, readerId) =>
      this.imports.countRows(readerId, most, tx),
    );
    const preview = Object.fromEntries(COUNTED.map((name) => [name, 0])) as Record<
      keyof ImportPreview,
      number
    >;
    let rowCount = 0;
    for await (const batch of reading.rows) {
      assertBelowLimit(this.config, 'imported-rows-per-user', before, rowCount + batch.length);
      // Rows unpack to several times their file.
      if (await this.disk.checkLow()) {
        throw new StorageFull();
      }
      const rows = batch.map((row, n) => ({
        row,
        place: rowCount + n,
        identity: identityOf(row),
        // Programs list the newest first: without a time, what comes first in the file is done last.
        atSeconds: timeOf(row),
        ownKey: sourceOf(reader, reading.format, row).urlKey.toString('hex'),
      }));
      rowCount += batch.length;
      await this.#change(reader, (tx, readerId) =>
        this.imports.stage(readerId, importId, rows, tx),
      );
      const found = await this.#found(reader.id, feeds, rows);
      for (const one of rows) {
        for (const name of kindsOf(one.row, feeds, found.has(one))) {
          preview[name] += 1;
        }
      }
    }
    const { leftOut, feeds: named, opml } = reading.summary();
    await this.#change(reader, (tx, readerId) =>
      this.imports.finishReading(
        readerId,
        importId,
        { rowCount, preview, leftOut, feeds: named, opml },
        tx,
      ),
    );
  }

  async #found<
    Row extends { readonly row: ImportedRow; readonly identity: Buffer; readonly ownKey: string },
  >(readerId: number, feeds: KnownFeeds, rows: readonly Row[]): Promise<ReadonlySet<Row>> {
    const identities = rows.map(({ identity }) => identity);
    const memories = await this.imports.memories(readerId, { identities, itemIds: [] });
    const remembered = new Set(memories.map(({ identity }) => identity));
    const isKnown = ({ identity }: Row) => remembered.has(identity.toString('hex'));
    const unknown = rows.filter((row) => !isKnown(row));
    const matched = await this.matching.match(readerId, feeds, unknown);
    return new Set([...rows.filter(isKnown), ...matched.keys()]);
  }

  /** Nothing that clients see. */
  async #change<Result>(
    reader: Reader,
    work: (tx: SqlRunner, readerId: number) => Promise<Result>,
  ): Promise<Result> {
    return this.readers.change(reader, (tx, { id }) => work(tx, id), 'upkeep');
  }
}

/** The import that an archive was kept for; undefined once it is forgotten. */
export function importOf(
  { askedSeconds }: KeptArchive,
  imports: readonly NewsImport[],
): NewsImport | undefined {
  return imports.find(
    ({ format, createdSeconds }) => format === 'gatefold' && createdSeconds === askedSeconds,
  );
}

function timeOf({ feed, publishedSeconds, savedSeconds }: ImportedRow): number {
  const [first, second] =
    feed === null ? [savedSeconds, publishedSeconds] : [publishedSeconds, savedSeconds];
  return first ?? second ?? 0;
}

function kindsOf(row: ImportedRow, feeds: KnownFeeds, isFound: boolean): (keyof ImportPreview)[] {
  const isMissing = !isFound && row.isStateOnly === true;
  const kinds: Readonly<Record<keyof ImportPreview, boolean>> = {
    articles: row.feed !== null,
    ofFollowedFeeds: row.feed !== null && feeds.find(row.feed) !== null,
    pages: row.feed === null,
    found: isFound,
    toStore: !isFound && !isMissing,
    notFound: isMissing,
    unread: row.isRead === false,
    starred: row.isStarred,
    labelled: row.labels.length > 0,
    noted: row.note !== null || row.highlights.length > 0,
  };
  return COUNTED.filter((name) => kinds[name]);
}
