import { Injectable } from '@nestjs/common';
import { AppMessagesOffer, type AppMessages } from '../../common/ports/app-messages.js';
import { ExAppClient } from '../apps/client/ex-app-client.service.js';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { EVENTS_LISTENER, NEWS_EVENT, type EventsListenerFields } from './events-listener.js';

const SUBTYPE = 'ItemMatchedEvent';
const ANSWER_SECONDS = 10;

/** Tells apps what a rule of a user found. They listen to `news_event` and name the subtype, or none. */
@Injectable()
export class ItemMatches implements AppMessages {
  constructor(
    private readonly registrations: RegistrationsRepository,
    private readonly apps: ExAppsRepository,
    private readonly client: ExAppClient,
    offer: AppMessagesOffer,
  ) {
    offer.fill(this);
  }

  async receivers(): Promise<{ appId: string; name: string }[]> {
    const listeners = await this.registrations.ofEnabledApps(EVENTS_LISTENER);
    const appIds = listeners.filter(({ fields }) => listens(fields)).map(({ appId }) => appId);
    const apps = await Promise.all([...new Set(appIds)].map((appId) => this.apps.find(appId)));
    return apps
      .flatMap((app) => (app === null ? [] : [{ appId: app.appId, name: app.name }]))
      .toSorted((a, b) => a.name.localeCompare(b.name));
  }

  async tell(
    appId: string,
    userId: string,
    data: object,
    signal?: AbortSignal,
  ): Promise<number | null> {
    const app = await this.apps.find(appId);
    const listener = await this.registrations.find(appId, EVENTS_LISTENER, NEWS_EVENT);
    if (!app?.enabled || listener === null || !listens(listener.fields)) {
      return null;
    }
    return this.client.tell(app, {
      method: 'POST',
      route: listener.fields.actionHandler,
      userId,
      json: {
        event_type: NEWS_EVENT,
        event_subtype: SUBTYPE,
        event_data: { user_id: userId, ...data },
      },
      timeoutSeconds: ANSWER_SECONDS,
      ...(signal && { signal }),
    });
  }
}

function listens({ eventType, eventSubtypes }: EventsListenerFields): boolean {
  return (
    eventType === NEWS_EVENT && (eventSubtypes.length === 0 || eventSubtypes.includes(SUBTYPE))
  );
}
