import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { OpmlRules } from './opml-rules.service.js';
import { OpmlRepository } from './opml.repository.js';
import { writeOpml } from './write-opml.js';

/** Writes a user's feeds and rules as a list. */
@Injectable()
export class OpmlExport {
  constructor(
    private readonly opml: OpmlRepository,
    private readonly rules: OpmlRules,
    private readonly clock: Clock,
  ) {}

  /** The text of an OPML file, in pieces, while the feeds are read. */
  async of(reader: Reader): Promise<AsyncGenerator<string, void, undefined>> {
    const head = await this.rules.export(reader);
    return writeOpml(this.opml.export(reader.id), reader.userId, this.clock.now(), head);
  }
}
