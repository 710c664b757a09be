import { gateway } from './gateway.mjs';

const LISTENER = '/api/v1/events_listener';
const SETTINGS = '/api/v1/ui/settings';

/** Registering again replaces the previous registration. */
export async function registerAll() {
  await gateway('POST', SETTINGS, { formScheme: FORM });
  await gateway('POST', LISTENER, {
    eventType: 'news_event',
    eventSubtypes: ['ItemsStarredEvent', 'ItemsUnstarredEvent'],
    actionHandler: '/on-news',
  });
}

export async function unregisterAll() {
  await gateway('DELETE', LISTENER, { eventType: 'news_event' }).catch(() => {});
  await gateway('DELETE', SETTINGS, { formId: FORM.id }).catch(() => {});
}

/** Each user's own; the values are the user's preferences. */
const FORM = {
  id: 'bookmarks',
  priority: 10,
  section_type: 'personal',
  section_id: 'declarative_settings',
  title: 'Bookmarks',
  description: 'Items that you star are sent to the bookmark service.',
  fields: [
    {
      id: 'active',
      title: 'Starred items',
      description: '',
      type: 'checkbox',
      label: 'Send starred items',
      default: true,
    },
    {
      id: 'folders',
      title: 'Folders',
      description: 'Names with commas in between. Empty: all folders and feeds.',
      type: 'text',
      placeholder: 'Science, Cooking',
      default: '',
    },
    {
      id: 'feeds',
      title: 'Feeds',
      description: 'Addresses with commas in between, in addition to the folders.',
      type: 'text',
      placeholder: 'https://example.org/feed',
      default: '',
    },
  ],
};
