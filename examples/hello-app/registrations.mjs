import process from 'node:process';
import { gateway } from './gateway.mjs';

const V1 = '/api/v1';
const { APP_ID } = process.env;

/**
 * One of everything an app can announce: where, what, and how it is taken back. Handlers and paths
 * are routes of this app.
 */
const ANNOUNCEMENTS = [
  {
    path: `${V1}/ui/initial-state`,
    body: { type: 'top_menu', name: 'hello', key: 'greeting', value: { text: 'Hello!' } },
    key: { type: 'top_menu', name: 'hello', key: 'greeting' },
  },
  {
    path: `${V1}/ui/script`,
    body: { type: 'top_menu', name: 'hello', path: 'js/hello', afterAppId: '' },
    key: { type: 'top_menu', name: 'hello', path: 'js/hello' },
  },
  {
    path: `${V1}/ui/style`,
    body: { type: 'top_menu', name: 'hello', path: 'css/hello' },
    key: { type: 'top_menu', name: 'hello', path: 'css/hello' },
  },
  {
    path: `${V1}/ui/top-menu`,
    body: { name: 'hello', displayName: 'Hello', icon: 'img/hello.svg', adminRequired: 0 },
    key: { name: 'hello' },
  },
  {
    path: '/api/v2/ui/files-actions-menu',
    takeBack: `${V1}/ui/files-actions-menu`,
    body: {
      name: 'describe',
      displayName: 'Say hello to this file',
      actionHandler: '/files/describe',
      mime: 'file',
      permissions: 1,
      order: 10,
      icon: 'img/hello.svg',
    },
    key: { name: 'describe' },
  },
  {
    path: `${V1}/ui/settings`,
    body: {
      formScheme: {
        id: 'hello-settings',
        priority: 10,
        section_type: 'personal',
        section_id: 'declarative_settings',
        title: 'Hello',
        description: 'How you would like to be greeted',
        fields: [
          {
            id: 'greeting_word',
            title: 'Greeting',
            description: '',
            type: 'text',
            placeholder: 'Hello',
            default: 'Hello',
          },
        ],
      },
    },
    key: { formId: 'hello-settings' },
  },
  {
    path: `${V1}/occ_command`,
    body: {
      name: `${APP_ID}:greet`,
      description: 'Greets somebody, word by word',
      hidden: 0,
      arguments: [{ name: 'who', mode: 'optional', description: 'whom', default: 'world' }],
      options: [{ name: 'loud', shortcut: 'l', mode: 'none', description: 'in capitals' }],
      usages: ['ada --loud'],
      execute_handler: '/commands/greet',
    },
    key: { name: `${APP_ID}:greet` },
  },
  {
    path: `${V1}/ai_provider/translation`,
    body: {
      name: 'hello-translation',
      displayName: 'Hello translation',
      fromLanguages: { en: 'English' },
      toLanguages: { shout: 'Shouting' },
      actionHandler: '/providers/translate',
      actionDetectLang: '/providers/detect',
    },
    key: { name: 'hello-translation' },
  },
  {
    path: `${V1}/ai_provider/text_processing`,
    body: {
      name: 'hello-headline',
      displayName: 'Hello headline',
      taskType: 'headline',
      actionHandler: '/providers/headline',
    },
    key: { name: 'hello-headline' },
  },
  {
    path: `${V1}/ai_provider/speech_to_text`,
    body: {
      name: 'hello-ears',
      displayName: 'Hello ears',
      actionHandler: '/providers/listen',
    },
    key: { name: 'hello-ears' },
  },
  {
    path: `${V1}/events_listener`,
    body: {
      eventType: 'node_event',
      eventSubtypes: ['NodeCreatedEvent'],
      actionHandler: '/events/node',
    },
    key: { eventType: 'node_event' },
  },
];

/** Announcing again is harmless: it replaces what was announced before. */
export async function announceEverything() {
  for (const { path, body } of ANNOUNCEMENTS) {
    await gateway('POST', path, body);
  }
  await gateway('POST', `${V1}/ex-app/config`, {
    configKey: 'greeted_since',
    configValue: new Date().toISOString(),
  });
}

export async function takeEverythingBack() {
  for (const { path, takeBack = path, key } of ANNOUNCEMENTS) {
    // What the menu entry took along with it is gone already.
    await gateway('DELETE', takeBack, key).catch(() => {});
  }
}
