import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CommandRefused } from '../../../common/command-line/command-refused.js';
import { Config } from '../../../common/config/config.js';
import { Database } from '../../../database/database.js';
import { HousekeepingEntity } from '../../tables/source.entity.js';
import { withoutCredentials } from '../shown-address.js';

const task = 'start with settings of fetches';

/** Settings of fetching. Commands run in other shells, which may lack the service's settings. */
@Injectable()
export class FetchSettings implements OnApplicationBootstrap {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly http: HttpAdapterHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    // Commands start no web server.
    if (this.http?.httpAdapter) {
      const row = { task, note: this.#own().join('\n'), doneAt: new Date() };
      await this.database.entities((em) => em.upsert(HousekeepingEntity, row));
    }
  }

  /** @throws CommandRefused when the service was started with others */
  async assertThoseOfService(): Promise<void> {
    const row = await this.database.entities((em) => em.findOne(HousekeepingEntity, { task }));
    const others = row?.note?.split('\n').filter((line) => !this.#own().includes(line)) ?? [];
    if (others.length > 0) {
      const list = others.join(' and ');
      throw new CommandRefused(`The service has ${list}. Set the same here; nothing was fetched.`);
    }
  }

  #own(): string[] {
    const { fetchAllowPrivate, outgoingProxy, outgoingProxyExcept } = this.config;
    return [
      `GATEFOLD_FETCH_ALLOW_PRIVATE=${fetchAllowPrivate.join()}`,
      `GATEFOLD_OUTGOING_PROXY=${outgoingProxy ? withoutCredentials(outgoingProxy) : ''}`,
      `GATEFOLD_OUTGOING_PROXY_EXCEPT=${outgoingProxyExcept.join()}`,
    ];
  }
}
