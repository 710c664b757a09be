import { Injectable } from '@nestjs/common';
import { Pause } from '../../common/pause.js';
import { HOUR_SECONDS } from '../../common/units.js';
import { JobQueue } from '../../database/jobs/job-queue.js';
import { Regularly } from '../../database/regularly.js';
import { ReaderIdsRepository, type Reader } from '../reader/delivery/reader-ids.repository.js';
import { ImportLists } from './import-lists.service.js';
import { ImportSteps } from './import-steps.service.js';
import { ImportUndoing } from './import-undoing.service.js';
import { ImportsRepository, type NewsImport } from './imports.repository.js';
import { IMPORTS } from './imports.service.js';
import { ImportsSettings } from './imports.settings.js';

const PAGING_SECONDS = 5;
const FETCHING_SECONDS = 2;

/** Then another attempt goes on: one that was killed is taken up after the longest attempt. */
const ATTEMPT_SECONDS = 45;

interface Manner {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Imports and undoes, in the background. */
@Injectable()
export class ImportWork {
  constructor(
    private readonly settings: ImportsSettings,
    private readonly imports: ImportsRepository,
    private readonly steps: ImportSteps,
    private readonly undoing: ImportUndoing,
    private readonly lists: ImportLists,
    private readonly pause: Pause,
    private readonly jobs: JobQueue,
    ids: ReaderIdsRepository,
  ) {
    jobs.carryOut(IMPORTS, async ({ payload, signal }) => {
      const { userId, importId } = payload;
      if (!(await this.run(await ids.of(userId), importId, { signal }))) {
        await this.jobs.send(IMPORTS, [{ key: userId, payload }]);
      }
    });
  }

  /** @returns false if it has taken long, and is not at its end */
  async run(reader: Reader, importId: number, manner: Manner = {}): Promise<boolean> {
    const found = await this.imports.find(reader.id, importId);
    if (found?.state === 'undoing') {
      await this.undoing.run(reader, importId, manner.signal);
    }
    if (found?.state !== 'running') {
      return true;
    }
    await this.lists.follow(reader, found);
    return this.#import(reader, found, manner);
  }

  async #import(reader: Reader, { id, rowCount }: NewsImport, manner: Manner): Promise<boolean> {
    const until = performance.now() + ATTEMPT_SECONDS * 1000;
    let isAwaiting = rowCount > 0;
    for (let done = 0; performance.now() < until;) {
      manner.signal?.throwIfAborted();
      isAwaiting &&= await this.lists.areAwaited(reader, id);
      if (isAwaiting) {
        await this.pause.forSeconds(FETCHING_SECONDS);
        continue;
      }
      const begunAt = performance.now();
      const step = await this.steps.take(reader, id);
      if (step === 'ended') {
        return true;
      }
      if (step === 'waits') {
        await this.pause.forSeconds(PAGING_SECONDS);
        continue;
      }
      done += step.rows;
      manner.onProgress?.(done, rowCount);
      const perMinute = this.settings.importItemsPerMinute;
      const seconds = perMinute === 0 ? 0 : (step.changedItems * 60) / perMinute;
      await this.pause.forSeconds(Math.max(0, seconds - (performance.now() - begunAt) / 1000));
    }
    return false;
  }

  /**
   * Forgets files that nobody started to import, and what was done to items that are gone. Goes on with imports whose
   * job is lost: a backup may be restored without jobs.
   */
  @Regularly('news-imports', HOUR_SECONDS)
  async tidy(): Promise<void> {
    await this.imports.tidy();
    for (const payload of await this.imports.underWay()) {
      if (!(await this.jobs.has(IMPORTS, payload.userId))) {
        await this.jobs.send(IMPORTS, [{ key: payload.userId, payload }]);
      }
    }
  }
}
