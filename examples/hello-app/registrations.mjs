import process from 'node:process';
import { BOT_ROUTE } from './bot.mjs';
import { EVERY_FIELD } from './fields.mjs';
import { gateway } from './gateway.mjs';
import { ECHO_KEY, ECHO_REGISTRATION } from './processing.mjs';

const V1 = '/api/v1';
const { APP_ID } = process.env;

/**
 * One registration of each kind: route, body, and the key for removing it. Handlers and paths are
 * routes of this app.
 */
const REGISTRATIONS = [
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
    deletePath: `${V1}/ui/files-actions-menu`,
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
          ...EVERY_FIELD,
        ],
      },
    },
    key: { formId: 'hello-settings' },
  },
  {
    path: `${V1}/ui/settings`,
    body: {
      formScheme: {
        id: 'hello-administration',
        priority: 10,
        section_type: 'admin',
        section_id: 'declarative_settings',
        title: 'Hello, administrator',
        description: 'The same for everybody',
        fields: EVERY_FIELD,
      },
    },
    key: { formId: 'hello-administration' },
  },
  {
    path: `${V1}/occ_command`,
    body: {
      name: `${APP_ID}:greet`,
      description: 'Greets somebody, word by word',
      hidden: 0,
      arguments: [
        { name: 'who', mode: 'optional', description: 'whom', default: 'world' },
        { name: 'others', mode: 'optional,array', description: 'and whom else', default: [] },
      ],
      options: [
        { name: 'loud', shortcut: 'l', mode: 'none', description: 'in capitals' },
        { name: 'times', shortcut: 't', mode: 'required', description: 'how often', default: '1' },
        { name: 'mark', mode: 'array', description: 'what the greeting ends with', default: [] },
      ],
      usages: ['ada --loud', 'ada ben --times 2 --mark ! --mark ?'],
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
  ...['free_prompt', 'headline', 'summary', 'topics'].map((taskType) => ({
    path: `${V1}/ai_provider/text_processing`,
    body: {
      name: `hello-${taskType}`,
      displayName: `Hello ${taskType}`,
      taskType,
      actionHandler: `/providers/${taskType}`,
    },
    key: { name: `hello-${taskType}` },
  })),
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
    path: `${V1}/ai_provider/task_processing`,
    body: ECHO_REGISTRATION,
    key: ECHO_KEY,
  },
  {
    path: `${V1}/events_listener`,
    body: {
      eventType: 'node_event',
      eventSubtypes: [
        'NodeCreatedEvent',
        'NodeTouchedEvent',
        'NodeWrittenEvent',
        'NodeDeletedEvent',
        'NodeRenamedEvent',
        'NodeCopiedEvent',
      ],
      actionHandler: '/events/node',
    },
    key: { eventType: 'node_event' },
  },
  {
    path: `${V1}/talk_bot`,
    body: { name: 'Hello bot', route: BOT_ROUTE, description: 'Says hello to whoever says hello' },
    key: { route: BOT_ROUTE },
  },
];

/** Registering again replaces the previous registration. */
export async function registerAll() {
  for (const { path, body } of REGISTRATIONS) {
    await gateway('POST', path, body);
  }
  await gateway('POST', `${V1}/ex-app/config`, {
    configKey: 'greeted_since',
    configValue: new Date().toISOString(),
  });
}

export async function unregisterAll() {
  for (const { path, deletePath = path, key } of REGISTRATIONS) {
    // Ignored: removing the menu entry also removed its state, script and style.
    await gateway('DELETE', deletePath, key).catch(() => {});
  }
}
