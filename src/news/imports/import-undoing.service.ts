import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../database/database.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import type { LockedReader } from '../reader/delivery/reader-locks.repository.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { HighlightsRepository } from '../reader/highlights/highlights.repository.js';
import { RuleEffectsRepository } from '../reader/rules/rule-effects.repository.js';
import { ruleIdOf } from './import-writing.service.js';
import { ImportedItemsRepository } from './imported-items.repository.js';
import { ImportsRepository, type NewsImport } from './imports.repository.js';

const ITEMS_PER_STEP = 500;

/**
 * Takes back what an import did, where nobody changed the item since, in transactions of bounded size. One that was
 * interrupted begins anew, and finds less.
 */
@Injectable()
export class ImportUndoing {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly imports: ImportsRepository,
    private readonly items: ImportedItemsRepository,
    private readonly effects: RuleEffectsRepository,
    private readonly highlights: HighlightsRepository,
  ) {}

  async run(reader: Reader, importId: number, signal?: AbortSignal): Promise<void> {
    const ruleId = ruleIdOf(importId);
    const inStep = (work: (locked: LockedReader, tx: SqlRunner) => Promise<number | null>) =>
      this.readers.change(reader, async (tx, locked) => {
        const found = await this.imports.find(locked.id, importId, tx);
        return found?.state === 'undoing' ? work(locked, tx) : null;
      });
    for (let removed: number | null = 1; removed !== null && removed > 0;) {
      signal?.throwIfAborted();
      removed = await inStep((locked, tx) =>
        this.items.removeUntouched(locked, importId, ruleId, ITEMS_PER_STEP, tx),
      );
    }
    for (let after: number | null = 0; after !== null;) {
      signal?.throwIfAborted();
      const afterItemId: number = after;
      after = await inStep(async (locked, tx) => {
        const undone = await this.effects.undo(locked, ruleId, afterItemId, ITEMS_PER_STEP, tx);
        return undone?.lastItemId ?? null;
      });
    }
    await this.readers.change(reader, async (tx, locked) => {
      const found = await this.imports.find(locked.id, importId, tx);
      if (found?.state === 'undoing') {
        await this.#finish(locked, found, tx);
      }
    });
  }

  async #finish(locked: LockedReader, { id, made }: NewsImport, tx: SqlRunner): Promise<void> {
    const highlightIds = await this.imports.highlightIds(locked.id, id, tx);
    await this.highlights.removeUnchanged(locked.id, highlightIds, tx);
    await this.imports.removeEmpty(locked.id, made, tx);
    await this.imports.forget(locked.id, id, ruleIdOf(id), tx);
    await this.imports.setState(locked.id, id, 'undone', tx);
  }
}
