import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/errors/domain-error.js';
import { OpmlService } from '../opml/opml.service.js';
import type { InvalidOpmlFeed } from '../opml/read-opml.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { ImportsRepository, type NewsImport } from './imports.repository.js';
import { omissionsOf } from './omissions.js';

/** For the first fetches of feeds that a file lists: their articles would be stored twice. */
const FIRST_FETCHES_SECONDS = 600;

/** Follows the feeds of lists (OPML) inside files. */
@Injectable()
export class ImportLists {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly imports: ImportsRepository,
    private readonly opml: OpmlService,
  ) {}

  /** Imports the lists of a file that were not imported yet. */
  async follow(reader: Reader, { id, hasOpml }: NewsImport): Promise<void> {
    if (!hasOpml) {
      return;
    }
    let feeds = 0;
    const refused: Pick<InvalidOpmlFeed, 'title' | 'url' | 'reason'>[] = [];
    for (const file of await this.imports.opml(reader.id, id)) {
      try {
        const { imported, invalid } = await this.opml.import(reader, file);
        feeds += imported;
        refused.push(...invalid);
      } catch (error) {
        if (!(error instanceof DomainError)) {
          throw error;
        }
        refused.push({ title: '', url: '', reason: error.message });
      }
    }
    await this.readers.change(
      reader,
      async (tx, locked) => {
        const found = await this.imports.find(locked.id, id, tx);
        if (found !== null) {
          const omissions = omissionsOf(found.leftOut);
          refused.forEach(({ title, url, reason }) => omissions.tell(title || url, reason));
          const outcome = { ...found.outcome, feeds: (found.outcome.feeds ?? 0) + feeds };
          const leftOut = omissions.all();
          await this.imports.saveProgress(locked.id, { ...found, outcome, leftOut }, tx);
          await this.imports.forgetOpml(locked.id, id, tx);
        }
      },
      'upkeep',
    );
  }

  /** Whether feeds that an import followed wait for their first fetch; no longer than ten minutes. */
  async areAwaited(reader: Reader, importId: number): Promise<boolean> {
    const found = await this.imports.find(reader.id, importId);
    const latest = (found?.startedSeconds ?? 0) + FIRST_FETCHES_SECONDS;
    if ((found?.outcome.feeds ?? 0) === 0 || Date.now() / 1000 > latest) {
      return false;
    }
    const { feeds, fetched } = await this.opml.fetchProgress(reader);
    return fetched < feeds;
  }
}
