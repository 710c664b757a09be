import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { toOcs } from '../support/external-app.js';
import { type TestUser } from '../support/start-app.js';
import { twoKnownApps } from '../support/two-known-apps.js';

const SETTINGS = '/api/v1/ui/settings';
const DECLARATIVE = '/ocs/v2.php/settings/api/declarative';

const { gateway, app, other } = await twoKnownApps();
let ada: TestUser;
let bob: TestUser;

beforeAll(async () => {
  ada = await gateway.signInOnce('ada');
  bob = await gateway.signInOnce('bob');
});
beforeEach(async () => {
  await gateway.database.query('delete from ex_app_registration');
  await gateway.database.query('delete from ex_app_value');
});

const field = (id: string, type: string, rest: object = {}) => ({ id, title: id, type, ...rest });
const form = (id: string, rest: object = {}) => ({
  id,
  priority: 10,
  section_type: 'personal',
  section_id: 'declarative_settings',
  title: 'A form',
  description: 'To be filled in',
  fields: [field('text', 'text')],
  ...rest,
});
const NAMED = [
  { name: 'Foo', value: 'foo' },
  { name: 'Bar', value: 'bar' },
];

/** All types of fields, as in the example of the SDK: one id occurs twice. */
const EVERYTHING = form('everything', {
  doc_url: '',
  some_future_key: { a: [] },
  fields: [
    field('f_text', 'text', { default: 'foo', placeholder: 'p', label: '', notify: false }),
    field('f_password', 'password', { default: '' }),
    field('f_email', 'email', { default: 'test@example.com' }),
    field('f_tel', 'tel', { default: '12345' }),
    field('f_url', 'url', { default: 'https://example.com' }),
    field('f_number', 'number', { default: 0 }),
    field('f_checkbox', 'checkbox', { default: true, label: 'Check' }),
    field('f_multi_checkbox', 'multi-checkbox', { default: { foo: true }, options: NAMED }),
    field('f_radio', 'radio', { default: 'foo', options: NAMED }),
    field('f_select', 'select', { default: 'bar', options: ['foo', 'bar'] }),
    field('f_multi_select', 'multi-select', { default: ['foo', 'bar'], options: ['foo', 'bar'] }),
    field('f_twice', 'multi-checkbox', { default: { foo: true }, options: NAMED }),
    field('f_twice', 'radio', { default: 'foo', options: NAMED }),
  ],
});

const register = (formScheme: unknown, by = app) =>
  by.as().ocs('POST', SETTINGS, { json: { formScheme } });
const read = (formId: string) => app.as().ocs('GET', SETTINGS, { query: { formId } });

interface ShownForm {
  readonly id: string;
  readonly app: string;
  readonly fields: readonly { readonly id: string; readonly value: unknown }[];
}

async function formsOf(user: TestUser): Promise<ShownForm[]> {
  const answer = await user.get(`${DECLARATIVE}/forms`, { query: { format: 'json' } });
  return toOcs(answer).data as ShownForm[];
}

async function valueOf(user: TestUser, fieldId: string): Promise<unknown> {
  const fields = (await formsOf(user)).flatMap((shown) => shown.fields);
  return fields.find(({ id }) => id === fieldId)?.value;
}

async function save(user: TestUser, formId: string, fieldId: string, value: unknown) {
  const json = { app: 'a1', formId, fieldId, value };
  const answer = await user.call('POST', `${DECLARATIVE}/value`, {
    json,
    query: { format: 'json' },
  });
  return toOcs(answer);
}

const keptFor = async (userId: string, kind: 'config' | 'preference', ...configKeys: string[]) => {
  const path = `/api/v1/ex-app/${kind}/get-values`;
  return (await app.as(userId).ocs('POST', path, { json: { configKeys } })).data;
};

describe('ui/settings', () => {
  it('[G76] returns a form as sent, with its storage type', async () => {
    expect(await register(EVERYTHING)).toMatchObject({ statuscode: 100, data: [] });

    const { data } = await read('everything');
    expect(data).toEqual({ ...EVERYTHING, storage_type: 'external' });
    expect(JSON.stringify(data)).toBe(JSON.stringify({ ...EVERYTHING, storage_type: 'external' }));
  });

  it('[G77] is overwritten when registered again', async () => {
    await register(form('again', { section_id: 'test_section_id' }));
    await register(form('again', { description: 'new' }));

    expect((await read('again')).data).toMatchObject({ description: 'new' });
  });

  it('[G78] is 404 when unregistered twice', async () => {
    await register(form('gone'));
    const remove = () => app.as().ocs('DELETE', SETTINGS, { query: { formId: 'gone' } });

    expect((await remove()).statuscode).toBe(100);
    expect((await remove()).statuscode).toBe(404);
    expect((await read('gone')).statuscode).toBe(404);
  });

  it('is private to its app', async () => {
    await register(form('mine'));
    const query = { formId: 'mine' };

    expect((await other.as().ocs('GET', SETTINGS, { query })).statuscode).toBe(404);
    expect((await other.as().ocs('DELETE', SETTINGS, { query })).statuscode).toBe(404);
    expect((await read('mine')).statuscode).toBe(100);
  });

  it.each([
    [undefined, '"formScheme" is missing'],
    ['text', '"formScheme" must be'],
    [form('x', { id: undefined }), '"formScheme.id" is missing'],
    [form('x'.repeat(65)), '"formScheme.id" must have at most 64 characters'],
    [form('x', { section_type: 'public' }), '"formScheme.section_type" must be admin or personal'],
    [form('x', { section_id: '' }), '"formScheme.section_id" must not be empty'],
    [form('x', { title: undefined }), '"formScheme.title" is missing'],
    [form('x', { fields: undefined }), '"formScheme.fields" is missing'],
    [form('x', { fields: [{ title: 't', type: 'text' }] }), '"formScheme.fields.0.id" is missing'],
    [
      form('x', { fields: [field('f', 'colour')] }),
      '"formScheme.fields.0.type" must be one of text',
    ],
    [
      form('x', { fields: [field('f', 'text'), field('g', 'radio')] }),
      '"formScheme.fields.1.options" is missing',
    ],
    [
      form('x', { fields: [field('f', 'select', { options: 'foo' })] }),
      '"formScheme.fields.0.options" must be a list for a field of type select',
    ],
    [
      form('x', { fields: [field('f', 'radio', { options: [{ value: 'x' }] })] }),
      '"formScheme.fields.0.options.0" must be a text, or an object with name and value',
    ],
  ])('rejects an invalid form: %#', async (scheme, message) => {
    const answer = await register(scheme);

    expect(answer.statuscode).toBe(400);
    expect(answer.message).toContain(`The parameter ${message}`);
  });
});

describe('settings/api/declarative/forms', () => {
  it('lists forms by priority, each with its app', async () => {
    await register(form('low', { priority: 1 }));
    await register(form('usual', { priority: undefined }));
    await register(form('high', { priority: 99 }), other);

    const shown = await formsOf(ada);

    expect(shown.map(({ id, app: appId }) => [id, appId])).toEqual([
      ['high', 'a2'],
      ['usual', 'a1'],
      ['low', 'a1'],
    ]);
  });

  it('shows forms of administrators to administrators only', async () => {
    await register(form('admins', { section_type: 'admin' }));

    expect(await formsOf(ada)).toEqual([]);
    expect(await formsOf(gateway.asAdmin())).toMatchObject([{ id: 'admins' }]);
  });

  it('omits forms of disabled apps, and rejects values for them', async () => {
    await register(form('hidden'));
    await gateway.inside(ExAppsRepository).setEnabled('a1', false);

    const shown = await formsOf(ada);
    const saved = await save(ada, 'hidden', 'text', 'x');
    await gateway.inside(ExAppsRepository).setEnabled('a1', true);

    expect(shown).toEqual([]);
    expect(saved.statuscode).toBe(400);
    expect(await formsOf(ada)).toHaveLength(1);
  });

  it('[G83] has defaults in the format of saved values', async () => {
    await register(EVERYTHING);

    const [shown] = await formsOf(ada);

    const values = Object.fromEntries((shown?.fields ?? []).map(({ id, value }) => [id, value]));
    expect(values).toEqual({
      f_text: 'foo',
      f_password: '',
      f_email: 'test@example.com',
      f_tel: '12345',
      f_url: 'https://example.com',
      f_number: '0',
      f_checkbox: true,
      f_multi_checkbox: '{"foo":true}',
      f_radio: 'foo',
      f_select: 'bar',
      f_multi_select: '["foo","bar"]',
      f_twice: 'foo',
    });
    expect(await keptFor('ada', 'preference', 'f_text', 'f_number')).toEqual([]);
  });

  it('[G84] uses sections of the host or others', async () => {
    await register(form('elsewhere', { section_id: 'section_of_its_own' }));

    const { data } = toOcs(await gateway.asAdmin().get(`${DECLARATIVE}/sections?format=json`));

    expect((data as { id: string }[]).map(({ id }) => id)).toEqual([
      'ai_integration_team',
      'declarative_settings',
      'section_of_its_own',
    ]);
    await app.as().ocs('DELETE', SETTINGS, { query: { formId: 'elsewhere' } });
    const left = toOcs(await gateway.asAdmin().get(`${DECLARATIVE}/sections?format=json`));
    expect(left.data).toHaveLength(2);
  });

  it('has names, priorities and icons of sections, and the areas with forms', async () => {
    await register(form('own', { section_id: 'ai_integration_team' }));
    await register(form('admins', { section_type: 'admin', section_id: 'ai_integration_team' }));
    await register(form('hidden', { section_type: 'admin', section_id: 'for_admins' }));
    const sectionsOf = async (user: TestUser) =>
      toOcs(await user.get(`${DECLARATIVE}/sections?format=json`)).data as { icon: string }[];

    const sections = await sectionsOf(gateway.asAdmin());
    const icon = `${gateway.url}/core/img/app.svg`;
    expect(sections).toEqual([
      {
        id: 'ai_integration_team',
        name: 'AI Integration Team',
        priority: 30,
        icon,
        areas: ['personal', 'admin'],
      },
      {
        id: 'declarative_settings',
        name: 'Declarative settings',
        priority: 50,
        icon,
        areas: [],
      },
      { id: 'for_admins', name: 'for_admins', priority: 100, icon, areas: ['admin'] },
    ]);
    expect(await sectionsOf(ada)).toMatchObject([
      { id: 'ai_integration_team', areas: ['personal'] },
      { id: 'declarative_settings', areas: [] },
    ]);
  });

  it('requires credentials', async () => {
    expect((await gateway.asStranger().get(`${DECLARATIVE}/forms`)).status).toBe(401);
    expect((await gateway.asStranger().get(`${DECLARATIVE}/sections`)).status).toBe(401);
  });
});

describe('settings/api/declarative/value', () => {
  it('[G79] saves input of an administrator as a configuration value of the app', async () => {
    await register(form('admins', { section_type: 'admin' }));

    expect(await save(gateway.asAdmin(), 'admins', 'text', 'entered')).toMatchObject({
      httpStatus: 200,
      data: null,
    });

    expect(await keptFor('', 'config', 'text')).toEqual([
      { configkey: 'text', configvalue: 'entered' },
    ]);
    expect(await valueOf(gateway.asAdmin(), 'text')).toBe('entered');
  });

  it('[G80] saves input of a user as a preference of the user', async () => {
    await register(form('own'));

    await save(ada, 'own', 'text', 'mine');

    expect(await keptFor('ada', 'preference', 'text')).toEqual([
      { configkey: 'text', configvalue: 'mine' },
    ]);
    expect(await keptFor('bob', 'preference', 'text')).toEqual([]);
    expect(await keptFor('', 'config', 'text')).toEqual([]);
    expect(await valueOf(ada, 'text')).toBe('mine');
    expect(await valueOf(bob, 'text')).toBeNull();
  });

  it('[G81] rejects input of users in forms of administrators', async () => {
    await register(form('admins', { section_type: 'admin' }));

    expect(await save(ada, 'admins', 'text', 'x')).toMatchObject({
      httpStatus: 403,
      statuscode: 403,
    });
    expect(await keptFor('', 'config', 'text')).toEqual([]);
  });

  it.each([
    ['f_text', 'words', 'words'],
    ['f_text', 5, '5'],
    ['f_text', '', ''],
    ['f_email', ' a@b.example ', 'a@b.example'],
    ['f_email', '', ''],
    ['f_url', 'https://example.org/x?y=1', 'https://example.org/x?y=1'],
    ['f_tel', '+49 (30) 123-45/6', '+49 (30) 123-45/6'],
    ['f_tel', '', ''],
    ['f_number', 4.5, '4.5'],
    ['f_number', '-3', '-3'],
    ['f_checkbox', true, '1'],
    ['f_checkbox', 0, '0'],
    ['f_checkbox', 'true', '1'],
    ['f_checkbox', '', '0'],
    ['f_radio', 'bar', 'bar'],
    ['f_select', 'foo', 'foo'],
    ['f_multi_select', ['bar', 'foo'], '["bar","foo"]'],
    ['f_multi_select', '["bar"]', '["bar"]'],
    ['f_multi_select', [], '[]'],
    ['f_multi_checkbox', { foo: true, bar: false }, '{"foo":true,"bar":false}'],
    ['f_multi_checkbox', '{"foo":1,"bar":"0"}', '{"foo":true,"bar":false}'],
    ['f_multi_checkbox', {}, '{}'],
    ['f_twice', { foo: true }, '{"foo":true}'],
    ['f_twice', 'bar', 'bar'],
  ])('[G82] saves %s = %j as %j', async (fieldId, value, stored) => {
    await register(EVERYTHING);

    expect((await save(ada, 'everything', fieldId, value)).statuscode).toBe(200);

    expect(await keptFor('ada', 'preference', fieldId)).toEqual([
      { configkey: fieldId, configvalue: stored },
    ]);
    expect(await valueOf(ada, fieldId)).toBe(stored);
  });

  it.each([
    ['f_text', { a: 1 }, 'must be a text'],
    ['f_email', 'nobody', 'must be an email address'],
    ['f_url', 'example.org', 'must be an absolute address'],
    ['f_number', 'many', 'must be a number'],
    ['f_url', 'javascript:alert(1)', 'must be an absolute address'],
    ['f_tel', 'call me', 'must be a telephone number'],
    ['f_number', '0x10', 'must be a number'],
    ['f_number', '1e5', 'must be a number'],
    ['f_checkbox', 'perhaps', 'must be true or false'],
    ['f_radio', 'baz', 'must be one of foo, bar'],
    ['f_select', 'baz', 'must be one of foo, bar'],
    ['f_multi_select', ['foo', 'baz'], 'must be one of foo, bar'],
    ['f_multi_select', 'foo', 'must be a list out of foo, bar'],
    ['f_multi_checkbox', { baz: true }, 'must be an object of true and false for foo, bar'],
    ['f_multi_checkbox', ['foo'], 'must be an object'],
    ['f_multi_checkbox', { foo: 'perhaps' }, 'must be true or false'],
  ])('rejects %s = %j and keeps the saved value', async (fieldId, value, message) => {
    await register(EVERYTHING);

    const answer = await save(ada, 'everything', fieldId, value);

    expect(answer.statuscode).toBe(400);
    expect(answer.message).toContain(`The setting "${fieldId}" ${message}`);
    expect(await keptFor('ada', 'preference', fieldId)).toEqual([]);
  });

  it('rejects unknown fields, forms and apps', async () => {
    await register(form('own'));
    const elsewhere = { app: 'a2', formId: 'own', fieldId: 'text', value: 'x' };

    expect((await save(ada, 'own', 'other', 'x')).statuscode).toBe(400);
    expect((await save(ada, 'other', 'text', 'x')).statuscode).toBe(400);
    const answer = await ada.call('POST', `${DECLARATIVE}/value`, { json: elsewhere });
    expect(answer.status).toBe(400);
  });

  it('encrypts secrets, and shows a placeholder that can be saved without effect', async () => {
    const fields = [field('token', 'password', { sensitive: true })];
    await register(form('secrets', { section_type: 'admin', fields }));
    const admin = gateway.asAdmin();

    await save(admin, 'secrets', 'token', 'very secret');
    const shown = await valueOf(admin, 'token');
    await save(admin, 'secrets', 'token', shown);

    expect(shown).not.toContain('very secret');
    expect(await keptFor('', 'config', 'token')).toEqual([
      { configkey: 'token', configvalue: 'very secret' },
    ]);
    const rows = await gateway.database.query('select value, sensitive from ex_app_value');
    expect(rows).toEqual([{ value: null, sensitive: true }]);
  });

  it('shows a placeholder for a password too, and for values that the page or the app encrypted', async () => {
    await register(EVERYTHING);
    await save(ada, 'everything', 'f_password', 'very secret');
    const json = { app: 'a1', formId: 'everything', fieldId: 'f_text', value: 'hush' };
    await ada.call('POST', `${DECLARATIVE}/value-sensitive`, { json });
    await app.as('ada').ocs('POST', '/api/v1/ex-app/preference', {
      json: { configKey: 'f_tel', configValue: '555', sensitive: 1 },
    });

    const text = JSON.stringify(await formsOf(ada));
    const shown = await Promise.all(
      ['f_password', 'f_text', 'f_tel'].map((fieldId) => valueOf(ada, fieldId)),
    );

    expect(text).not.toMatch(/very secret|hush|555/);
    expect(new Set(shown)).toEqual(new Set(['dummySecret']));
  });

  it('saves the placeholder as a value if there is no secret', async () => {
    await register(EVERYTHING);

    await save(ada, 'everything', 'f_password', 'dummySecret');
    await save(ada, 'everything', 'f_text', 'dummySecret');

    expect(await keptFor('ada', 'preference', 'f_password', 'f_text')).toEqual([
      { configkey: 'f_password', configvalue: 'dummySecret' },
      { configkey: 'f_text', configvalue: 'dummySecret' },
    ]);
  });

  it('clears a secret', async () => {
    await register(EVERYTHING);
    await save(ada, 'everything', 'f_password', 'very secret');

    await save(ada, 'everything', 'f_password', '');

    expect(await valueOf(ada, 'f_password')).toBe('');
    expect(await keptFor('ada', 'preference', 'f_password')).toEqual([
      { configkey: 'f_password', configvalue: '' },
    ]);
  });

  it('encrypts values that the page sends as secret', async () => {
    await register(form('own'));
    const json = { app: 'a1', formId: 'own', fieldId: 'text', value: 'hush' };

    const answer = await ada.call('POST', `${DECLARATIVE}/value-sensitive`, { json });

    expect(answer.status).toBe(200);
    expect(await keptFor('ada', 'preference', 'text')).toEqual([
      { configkey: 'text', configvalue: 'hush' },
    ]);
    expect(await gateway.database.query('select value from ex_app_value')).toEqual([
      { value: null },
    ]);
  });
});
