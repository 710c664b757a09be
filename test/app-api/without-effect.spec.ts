import { beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppLog } from '../../src/app-api/apps/log/ex-app-log.service.js';
import type { CheckedSubject } from '../../src/common/ports/installation-checks.js';
import { toOcs } from '../support/external-app.js';
import { twoKnownApps } from '../support/two-known-apps.js';

/** What the reference stores although it never has an effect is stored, and told to the author of the app. */

const { gateway, app, other } = await twoKnownApps();

const LISTENER = '/api/v1/events_listener';
const COMMAND = '/api/v1/occ_command';

beforeEach(() => gateway.database.query('delete from ex_app_registration'));

async function told(appId: string): Promise<unknown> {
  const info = await gateway.asAdmin().get(`/index.php/apps/app_api/apps/info/${appId}`);
  return (info.json as { registered_in_vain?: unknown }).registered_in_vain ?? [];
}

const withPage = { type: 'top_menu', name: 'menu' };
const withCommand = { name: 'a1:go', execute_handler: 'go' };

describe('a registration without effect is stored as in the reference, and told:', () => {
  it.each([
    [
      'an event type',
      LISTENER,
      { eventType: 'node_events', actionHandler: 'e' },
      'There is no event type "node_events", only node_event and news_event.',
    ],
    [
      'a subtype',
      LISTENER,
      { eventType: 'node_event', eventSubtypes: ['NodeCreated'], actionHandler: 'e' },
      'node_event has no subtype "NodeCreated", only NodeCreatedEvent, NodeTouchedEvent,',
    ],
    [
      'the type of an initial state',
      '/api/v1/ui/initial-state',
      { ...withPage, type: 'topmenu', key: 'k', value: {} },
      'There is no type of page "topmenu", only top_menu.',
    ],
    [
      'the extension of a script',
      '/api/v1/ui/script',
      { ...withPage, path: 'js/x.js' },
      '".js" is added to the path, so browsers ask for "js/x.js.js".',
    ],
    [
      'the extension of a style',
      '/api/v1/ui/style',
      { ...withPage, path: 'css/x.css' },
      '".css" is added to the path, so browsers ask for "css/x.css.css".',
    ],
    [
      'the mode of an option',
      COMMAND,
      { ...withCommand, options: [{ name: 'size', mode: 'reqired' }] },
      'The command "a1:go": "size" has no mode "reqired"; there are required, optional, array, none, negatable.',
    ],
    [
      'the mode of an argument',
      COMMAND,
      { ...withCommand, arguments: [{ name: 'who', mode: 'none' }] },
      'The command "a1:go": "who" has no mode "none"; there are required, optional, array.',
    ],
    [
      'an argument behind a list',
      COMMAND,
      {
        ...withCommand,
        arguments: [
          { name: 'all', mode: 'array' },
          { name: 'must', mode: 'required' },
        ],
      },
      'The command "a1:go": "must" must not stand behind a list, or required behind optional.',
    ],
    [
      'a required argument behind an optional one',
      COMMAND,
      { ...withCommand, arguments: [{ name: 'may' }, { name: 'must', mode: 'required' }] },
      'The command "a1:go": "must" must not stand behind a list, or required behind optional.',
    ],
    [
      'the name of a command',
      COMMAND,
      { ...withCommand, name: 'go' },
      'The command "go": Only "a1:go" is certain to be the name of this command.',
    ],
  ])('%s', async (_what, route, fields, sentence) => {
    expect(await app.as().ocs('POST', route, { json: fields })).toMatchObject({
      statuscode: 100,
      data: [],
    });

    expect(await told('a1')).toEqual([expect.stringContaining(sentence)]);
    expect(await told('a2')).toEqual([]);
    await gateway.inside(ExAppLog).written();
    const lines = await gateway.inside(ExAppLog).recent('a1', 50);
    expect(lines.map(({ message }) => message)).toContainEqual(expect.stringContaining(sentence));
    const checks = '/ocs/v2.php/apps/gatefold/api/v1/checks?format=json';
    const subjects = toOcs(await gateway.asAdmin().get(checks)).data as CheckedSubject[];
    expect(subjects.flatMap(({ findings }) => findings)).toContainEqual(
      expect.objectContaining({
        state: 'warning',
        text: expect.stringContaining(`a1: ${sentence}`),
      }),
    );
  });
});

describe('a registration with effect', () => {
  it('is told nothing about', async () => {
    const right: [string, object][] = [
      [
        LISTENER,
        { eventType: 'node_event', eventSubtypes: ['NodeCopiedEvent'], actionHandler: 'e' },
      ],
      ['/api/v1/ui/script', { ...withPage, path: 'js/x' }],
      [
        COMMAND,
        {
          ...withCommand,
          arguments: [
            { name: 'must', mode: 'required' },
            { name: 'all', mode: 'optional,array' },
          ],
          options: [{ name: 'size', mode: 'optional|array' }, { name: 'plain' }],
        },
      ],
    ];
    for (const [route, fields] of right) {
      await app.as().ocs('POST', route, { json: fields });
    }

    expect(await told('a1')).toEqual([]);
  });

  it('is told to administrators only', async () => {
    const ada = await gateway.signIn();
    const info = '/index.php/apps/app_api/apps/info/a1';

    expect((await ada.get(info)).status).toBe(403);
    expect((await gateway.asStranger().get(info)).status).toBe(401);
    expect((await other.as().ocs('GET', COMMAND, { query: { name: 'a1:go' } })).statuscode).toBe(
      404,
    );
  });
});
