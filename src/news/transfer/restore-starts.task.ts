import { Injectable } from '@nestjs/common';
import { AccountRestores } from '../../common/ports/account-restores.js';
import { Regularly } from '../../database/regularly.js';
import { importOf } from '../imports/import-reading.service.js';
import { ImportsRepository } from '../imports/imports.repository.js';
import { ReaderIdsRepository } from '../reader/delivery/reader-ids.repository.js';

/** Takes in the rest of archives when their articles are imported, and keeps them until then. */
@Injectable()
export class RestoreStarts {
  constructor(
    private readonly restores: AccountRestores,
    private readonly imports: ImportsRepository,
    private readonly ids: ReaderIdsRepository,
  ) {}

  @Regularly('account-restores', 5)
  async begin(): Promise<void> {
    for (const archive of await this.restores.waiting()) {
      const reader = await this.ids.of(archive.userId);
      const { state } = importOf(archive, await this.imports.list(reader.id)) ?? {};
      if (state === 'running') {
        await this.restores.keepOn(archive.id);
      } else if (state === 'done') {
        await this.restores.begin(archive.id);
      }
    }
  }
}
