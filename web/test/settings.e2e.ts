import { startExternalApp, type ExternalApp } from './external-app.js';
import { expect, expectAccessible, logInByHand, test as base } from './fixtures.js';

/** The smallest possible image. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const OPTIONS = [
  { name: 'Low water', value: 'low' },
  { name: 'High water', value: 'high' },
  { name: 'Storm surge', value: 'storm' },
];

const FIELDS = [
  { id: 'text', title: 'Harbour', type: 'text', placeholder: 'Cuxhaven', default: '' },
  { id: 'password', title: 'Key', type: 'password', description: 'Of the tide service' },
  { id: 'email', title: 'Harbour master', type: 'email', default: '' },
  { id: 'tel', title: 'Telephone', type: 'tel', default: '' },
  { id: 'url', title: 'Tables', type: 'url', default: '' },
  { id: 'number', title: 'Centimetres', type: 'number', default: 20 },
  { id: 'checkbox', title: 'Alarm', type: 'checkbox', label: 'Ring the bell', default: true },
  { id: 'marks', title: 'Marks', type: 'multi-checkbox', options: OPTIONS, default: { low: true } },
  { id: 'radio', title: 'Show first', type: 'radio', options: OPTIONS, default: 'low' },
  { id: 'select', title: 'Unit', type: 'select', options: ['cm', 'm'], default: 'cm' },
  { id: 'several', title: 'Warn of', type: 'multi-select', options: OPTIONS, default: ['storm'] },
];

interface ForOne {
  /** Opens a section of Ada’s settings. */
  readonly open: (section?: string) => Promise<void>;
  /** Opens the section whose form has a field of each type. */
  readonly openForm: () => Promise<void>;
}

const test = base.extend<ForOne, { tides: ExternalApp }>({
  open: async ({ page, ada: _ada, service }, use) => {
    await use(async (section = '') => {
      await page.goto(`${service.url}/settings/user${section}`);
    });
  },
  openForm: async ({ open }, use) => {
    await use(() => open('/ai_integration_team'));
  },
  tides: [
    async ({ service }, use) => {
      const app = await startExternalApp(service, 'tidal');
      const form = (id: string, more: object) =>
        app.announce('/ui/settings', {
          formScheme: {
            id,
            section_type: 'personal',
            section_id: 'ai_integration_team',
            title: 'Tides',
            fields: FIELDS,
            ...more,
          },
        });
      await form('tides', { priority: 10, description: 'What <b>the sea</b> does' });
      await form('ships', {
        priority: 20,
        section_id: 'harbour',
        title: 'Ships',
        fields: [FIELDS[0]],
        doc_url: 'javascript:alert(1)',
      });
      await form('chief', { section_type: 'admin', section_id: 'chiefs', title: 'For chiefs' });
      await use(app);
      await app.close();
    },
    { scope: 'worker', auto: true },
  ],
});

test(
  'the profile is the first section; name, email address and picture are saved',
  { tag: '@main' },
  async ({ page, ada, keepPicture, open }) => {
    await open();
    await expect(page).toHaveURL(/\/settings\/user\/profile$/);

    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
    await page.getByLabel('Email address').fill('ada@example.org');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Menu of Ada Lovelace' })).toBeVisible();

    const picture = page.getByRole('img', { name: 'Your picture' });
    const drawn = await picture.getAttribute('src');
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: PIXEL });
    await expect(page.getByText('Picture saved.')).toBeVisible();
    await expect(picture).not.toHaveAttribute('src', drawn ?? '');
    await expect(picture).toHaveJSProperty('naturalWidth', 1);
    await page.getByRole('button', { name: 'Remove' }).click();
    await expect(page.getByText('Picture removed.')).toBeVisible();
    await expect(picture).not.toHaveJSProperty('naturalWidth', 1);

    await page.reload();
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Ada Lovelace');
    await expect(page.getByLabel('Email address')).toHaveValue('ada@example.org');
    await expect(page.getByText(`You log in as “${ada.userId}”`)).toBeVisible();
    await expectAccessible(page);
    await keepPicture('settings-profile-light');
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBe(0);
    }
  },
);

test('text typed while the profile is loading stays', async ({ page, open }) => {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(/\/ocs\/v2\.php\/cloud\/user\b/, async (route) => {
    asked.resolve();
    await released.promise;
    await route.continue();
  });
  await open();
  await asked.promise;
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  released.resolve();

  await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Ada Lovelace');
});

test('a file that is not an image is refused with an error', async ({ page, open }) => {
  await open();
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });

  await expect(page.getByRole('status').getByText(/PNG|picture/i)).toBeVisible();
  await expect(page.getByText('Picture saved.')).toHaveCount(0);
});

test('changing the password requires the current one, and the new one works', async ({
  page,
  ada,
  service,
  open,
}) => {
  await open();
  const change = page.getByRole('button', { name: 'Change password' });
  await page.getByLabel('Current password').fill('not this one');
  await page.getByLabel('New password', { exact: true }).fill('an entirely new one');
  await page.getByLabel('Repeat new password').fill('something else');
  await expect(page.getByText('The passwords do not match.')).toBeVisible();
  await expect(change).toBeDisabled();

  await page.getByLabel('Repeat new password').fill('an entirely new one');
  await change.click();
  await expect(page.getByRole('alert')).toHaveText('The old password is wrong.');

  await page.getByLabel('Current password').fill(ada.password);
  await change.click();
  await expect(page.getByText(/^Password changed/)).toBeVisible();
  await expect(page.getByLabel('Current password')).toHaveValue('');

  // This browser stays logged in.
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible();
  // The page would go to the login by itself, while the test does.
  await page.goto('about:blank');
  await page.context().clearCookies();
  await logInByHand(page, service, { ...ada, password: 'an entirely new one' });
});

test('language and theme can be chosen', async ({ page, keepPicture, open }) => {
  await open();
  await page.getByRole('radio', { name: 'Dark' }).check();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');

  await page.getByLabel('Language', { exact: true }).selectOption('Deutsch');
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.getByRole('heading', { name: 'Profil', exact: true })).toBeVisible();
  await expectAccessible(page);
  await keepPicture('settings-profile-dark');

  await page.getByLabel('Sprache', { exact: true }).selectOption('Sprache des Browsers');
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible();
});

test(
  'an app password is shown once, works in a client, and can be revoked',
  { tag: '@main' },
  async ({ page, ada, service, keepPicture, open }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open('/security');
    await page.getByLabel('New app password for').fill('Phone');
    await page.getByRole('button', { name: 'Create' }).click();

    const dialog = page.getByRole('dialog', { name: 'App password for “Phone”' });
    await expect(dialog.getByLabel('Server address', { exact: true })).toHaveValue(service.url);
    await expect(dialog.getByLabel('Login name', { exact: true })).toHaveValue(ada.userId);
    const password = await dialog.getByLabel('App password', { exact: true }).inputValue();
    await expectAccessible(page);
    await keepPicture('settings-app-password-light');
    await dialog.getByRole('button', { name: 'Copy: App password' }).click();
    await expect(dialog.getByText('Copied')).toBeAttached();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(password);
    await dialog.getByRole('button', { name: 'Done' }).click();

    const list = page.getByRole('list', { name: 'App passwords' });
    await expect(list.getByText('not used yet')).toBeVisible();
    const client = { userId: ada.userId, password };
    await service.call(client, 'GET', '/apps/news/api/v1-3/version');
    await page.reload();
    await expect(list.getByText(/^last used/)).toBeVisible();
    await expect(page.getByText(password)).toHaveCount(0);

    await page.getByRole('button', { name: 'Revoke “Phone”' }).click();
    await expect(page.getByText('“Phone” cannot log in any more.')).toBeVisible();
    await expect(list.getByRole('listitem')).toHaveCount(0);
    await expect(service.call(client, 'GET', '/apps/news/api/v1-3/feeds')).rejects.toThrow('401');
  },
);

test('other browsers are listed and logged out', async ({
  page,
  ada,
  browser,
  service,
  keepPicture,
  open,
}) => {
  const elsewhere = await browser.newContext({
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  });
  const other = await elsewhere.newPage();
  await logInByHand(other, service, ada);

  await open('/security');
  const list = page.getByRole('list', { name: 'Logged-in browsers' });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await expect(list.getByRole('listitem').first()).toContainText('this browser');
  await expect(list.getByText('Firefox, Linux')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('settings-security-light');
  await page.setViewportSize({ width: 390, height: 844 });
  await keepPicture('settings-security-phone');

  await page.getByRole('button', { name: 'Log out: Firefox, Linux' }).click();
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await other.goto(`${service.url}/settings/user/profile`);
  await expect(other).toHaveURL(/\/login/);

  await logInByHand(other, service, ada);
  await page.reload();
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: 'Log out all others' }).click();
  await expect(list.getByRole('listitem')).toHaveCount(1);
  // Live updates end with the session, so the page may already be redirecting.
  await other.goto(`${service.url}/settings/user/profile`).catch(() => {});
  await expect(other).toHaveURL(/\/login/);
  await elsewhere.close();
});

test('the navigation lists sections of apps, but no administration forms', async ({
  page,
  open,
  tides: _tides,
}) => {
  await open();

  const navigation = page.getByRole('navigation', { name: 'Settings' });
  await expect(navigation.getByRole('link')).toHaveText([
    'Profile',
    'Reader',
    'Notices',
    'Connect a client',
    'Security',
    'App access',
    'Artificial intelligence',
    'harbour',
  ]);
  await navigation.getByRole('link', { name: 'harbour' }).click();
  await expect(page).toHaveURL(/\/settings\/user\/harbour$/);
  await expect(page.getByRole('form', { name: 'Ships' })).toBeVisible();
  // Its documentation address is not a web address.
  await expect(page.getByRole('link', { name: 'Documentation' })).toHaveCount(0);

  await open('/chiefs');
  await expect(page.getByRole('heading', { name: 'Section not found' })).toBeVisible();
});

test('a field of each type shows the saved value and saves changes', async ({
  page,
  keepPicture,
  openForm,
}) => {
  await openForm();
  const form = page.getByRole('form', { name: 'Tides' });
  const marks = form.getByRole('group', { name: 'Marks' });
  const several = form.getByRole('group', { name: 'Warn of' });
  const first = form.getByRole('radiogroup', { name: 'Show first' });
  await expect(form.getByText('What <b>the sea</b> does')).toBeVisible();
  await expect(form.getByLabel('Centimetres')).toHaveValue('20');
  await expect(form.getByLabel('Ring the bell')).toBeChecked();
  await expect(marks.getByLabel('Low water')).toBeChecked();
  await expect(first.getByLabel('Low water')).toBeChecked();
  await expect(several.getByLabel('Storm surge')).toBeChecked();

  const fill = async (label: string, value: string) => {
    const saved = page.waitForResponse(/declarative\/value/);
    await form.getByLabel(label, { exact: true }).fill(value);
    await form.getByLabel(label, { exact: true }).press('Tab');
    expect((await saved).status()).toBe(200);
  };
  const click = async (choose: () => Promise<unknown>) => {
    const saved = page.waitForResponse(/declarative\/value/);
    await choose();
    expect((await saved).status()).toBe(200);
  };
  await fill('Harbour', 'Husum');
  await fill('Key', 'low tide at noon');
  await fill('Harbour master', 'master@example.org');
  await fill('Telephone', '+49 4841 1');
  await fill('Tables', 'https://example.org/tides');
  await fill('Centimetres', '42.5');
  await click(() => form.getByLabel('Ring the bell').uncheck());
  await click(() => marks.getByLabel('High water').check());
  await click(() => first.getByLabel('Storm surge').check());
  await click(() => form.getByLabel('Unit').selectOption('m'));
  await click(() => several.getByLabel('Low water').check());
  await click(() => several.getByLabel('Storm surge').uncheck());

  await page.reload();
  await expect(form.getByLabel('Harbour', { exact: true })).toHaveValue('Husum');
  await expect(form.getByLabel('Harbour master')).toHaveValue('master@example.org');
  await expect(form.getByLabel('Telephone')).toHaveValue('+49 4841 1');
  await expect(form.getByLabel('Tables')).toHaveValue('https://example.org/tides');
  await expect(form.getByLabel('Centimetres')).toHaveValue('42.5');
  await expect(form.getByLabel('Ring the bell')).not.toBeChecked();
  await expect(marks.getByLabel('Low water')).toBeChecked();
  await expect(marks.getByLabel('High water')).toBeChecked();
  await expect(first.getByLabel('Storm surge')).toBeChecked();
  await expect(form.getByLabel('Unit')).toHaveValue('m');
  await expect(several.getByLabel('Low water')).toBeChecked();
  await expect(several.getByLabel('Storm surge')).not.toBeChecked();
  await expectAccessible(page);
  await keepPicture('settings-app-light');
  await several.scrollIntoViewIfNeeded();
  await keepPicture('settings-app-end-light');
  await page.setViewportSize({ width: 360, height: 740 });
  await keepPicture('settings-app-phone');
});

test('a secret is never sent to the page and can be deleted', async ({ page, openForm }) => {
  await openForm();
  const key = page.getByLabel('Key', { exact: true });
  const forget = page.getByRole('button', { name: 'Delete the saved value of “Key”' });
  await expect(forget).toHaveCount(0);
  await key.fill('low tide at noon');
  await key.press('Enter');
  await expect(forget).toBeVisible();
  await expect(key).toHaveValue('');

  const forms = page.waitForResponse(/declarative\/forms/);
  await page.reload();
  expect(await (await forms).text()).not.toContain('low tide at noon');
  await expect(key).toHaveAttribute('placeholder', 'Saved. Type to replace it.');
  await expect(key).toHaveValue('');

  await forget.click();
  await expect(forget).toHaveCount(0);
  await page.reload();
  await expect(key).toBeVisible();
  await expect(forget).toHaveCount(0);
});

test('a refused value shows an error beside the field and stays', async ({
  page,
  keepPicture,
  openForm,
}) => {
  await openForm();
  const master = page.getByLabel('Harbour master');
  await master.fill('nobody');
  await master.press('Tab');

  await expect(page.getByRole('alert')).toContainText('must be an email address');
  await expect(master).toHaveAttribute('aria-invalid', 'true');
  await expect(master).toHaveValue('nobody');
  await keepPicture('settings-app-problem-light');

  await master.fill('master@example.org');
  await master.press('Tab');
  await expect(page.getByRole('alert')).toHaveCount(0);

  await page.getByLabel('Centimetres').press('Control+a');
  await page.getByLabel('Centimetres').pressSequentially('1e');
  await page.getByLabel('Centimetres').press('Tab');
  await expect(page.getByRole('alert')).toHaveText('Enter a number.');
});

test('a checkbox that could not be saved is reset', async ({ page, openForm }) => {
  await openForm();
  await page.route('**/declarative/value*', (route) => route.abort());
  const bell = page.getByLabel('Ring the bell');
  await bell.click();

  await expect(page.getByRole('alert')).toHaveText('This was not saved. Is the service running?');
  await expect(bell).toBeChecked();
});

test('checkboxes changed faster than they are saved are all saved', async ({ page, openForm }) => {
  await openForm();
  const bothTicked = Promise.withResolvers<void>();
  await page.route('**/declarative/value*', async (route) => {
    await bothTicked.promise;
    await route.continue();
  });
  const marks = page.getByRole('group', { name: 'Marks' });
  await marks.getByLabel('High water').check();
  await marks.getByLabel('Storm surge').check();
  bothTicked.resolve();

  await expect(marks.getByText('Saved')).toBeVisible();
  await page.reload();
  await expect(marks.getByLabel('Low water')).toBeChecked();
  await expect(marks.getByLabel('High water')).toBeChecked();
  await expect(marks.getByLabel('Storm surge')).toBeChecked();
});
