import { Injectable } from '@nestjs/common';
import { NewsEventSource } from '../../common/ports/news-events.js';
import { RegistrationNotFound } from '../app-api.errors.js';
import type { Capability, Registration } from './capability.js';
import { EVENTS_LISTENER, NEWS_EVENT } from './events-listener.js';
import { RegistrationsRepository } from './registrations.repository.js';

/** Registers, finds and removes what one external app contributes to the host. */
@Injectable()
export class RegistrationsService {
  constructor(
    private readonly registrations: RegistrationsRepository,
    private readonly news: NewsEventSource,
  ) {}

  /**
   * Overwrites all fields of a registration with the same key and keeps its id. A listener receives
   * everything that is committed after this resolves.
   */
  async register<Fields>(
    appId: string,
    capability: Capability<Fields>,
    fields: Fields,
  ): Promise<void> {
    const key = capability.keyOf(fields);
    await this.registrations.save(appId, capability.kind, key, fields);
    if (capability.kind === EVENTS_LISTENER.kind && key === NEWS_EVENT) {
      await this.news.listenersAreSeen();
    }
  }

  /** @throws RegistrationNotFound */
  async find<Fields>(
    appId: string,
    capability: Capability<Fields>,
    key: string,
  ): Promise<Registration<Fields>> {
    const found = await this.registrations.find(appId, capability, key);
    if (found === null) {
      throw new RegistrationNotFound(capability.missing);
    }
    return found;
  }

  /** @throws RegistrationNotFound */
  async unregister<Fields>(
    appId: string,
    { kind, missing, mayBeMissing, pageKeyPrefix }: Capability<Fields>,
    key: string,
  ): Promise<void> {
    const removed =
      pageKeyPrefix === undefined
        ? await this.registrations.remove(appId, kind, key)
        : await this.registrations.removeTopMenu(appId, key, pageKeyPrefix(key));
    if (!removed && mayBeMissing !== true) {
      throw new RegistrationNotFound(missing);
    }
  }
}
