import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { ReadersRepository } from '../reader/delivery/readers.repository.js';
import { OpmlRepository } from './opml.repository.js';
import { writeOpml } from './write-opml.js';

/** A user's feeds as an OPML file. */
@Injectable()
export class OpmlExportService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly opml: OpmlRepository,
    private readonly clock: Clock,
  ) {}

  /** The text of the file, in pieces, while the feeds are read. */
  async export(userId: string): Promise<AsyncGenerator<string, void, undefined>> {
    const readerId = await this.readers.idOf(userId);
    return writeOpml(this.opml.export(readerId ?? 0), userId, this.clock.now());
  }
}
