import { Injectable } from '@nestjs/common';
import { AccountRestores } from '../../common/ports/account-restores.js';
import { Regularly } from '../../database/regularly.js';
import { ImportsRepository } from '../imports/imports.repository.js';
import { ReaderIdsRepository } from '../reader/delivery/reader-ids.repository.js';

/** Takes in the rest of archives when their articles are imported, also after a process was killed in between. */
@Injectable()
export class RestoreStarts {
  constructor(
    private readonly restores: AccountRestores,
    private readonly imports: ImportsRepository,
    private readonly ids: ReaderIdsRepository,
  ) {}

  @Regularly('account-restores', 5)
  async begin(): Promise<void> {
    for (const { userId, askedSeconds } of await this.restores.waiting()) {
      const reader = await this.ids.of(userId);
      const imports = await this.imports.list(reader.id);
      const newest = imports.find(({ format }) => format === 'gatefold');
      if (newest?.state === 'done' && (newest.endedSeconds ?? 0) >= askedSeconds) {
        await this.restores.begin(userId);
      }
    }
  }
}
