import type { Page } from '@playwright/test';
import { answer, serveExternalApp, type ExternalApp } from './external-app.js';
import { expect, expectAccessible, logIn, test as base } from './fixtures.js';
import { ADMIN, startService, type Service } from './service.js';

interface Own {
  /** An installation without apps. */
  readonly own: Service;
}

const test = base.extend<Own>({
  own: async ({ playwright: _playwright }, use) => {
    const own = await startService();
    await use(own);
    await own.stop();
  },
});

const PROCESSING = '/settings/admin/processing';
const HEADLINE = 'core:text2text:headline';

function provide(app: ExternalApp, id: string, name: string): Promise<unknown> {
  const empty = {
    optional_input_shape: [],
    optional_output_shape: [],
    input_shape_enum_values: {},
    optional_input_shape_enum_values: {},
    output_shape_enum_values: {},
    optional_output_shape_enum_values: {},
    input_shape_defaults: {},
    optional_input_shape_defaults: {},
  };
  const provider = { ...empty, id, name, task_type: HEADLINE, expected_runtime: 20 };
  return app.announce('/ai_provider/task_processing', { provider });
}

async function isEnabled(own: Service): Promise<boolean> {
  const answered = await own.call(ADMIN, 'GET', '/apps/app_api/apps/list');
  return (answered as { apps: { enabled: boolean }[] }).apps.some(({ enabled }) => enabled);
}

async function expectEverywhere(
  page: Page,
  keepPicture: (name: string) => Promise<void>,
  name: string,
): Promise<void> {
  await keepPicture(`admin-${name}-light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepPicture(`admin-${name}-dark`);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 390, height: 844 });
  await keepPicture(`admin-${name}-phone`);
  await expectAccessible(page);
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });
}

test('an administrator chooses who does tasks, cancels some, and switches a type off', async ({
  page,
  own,
  keepPicture,
}) => {
  await logIn(page, own, ADMIN, PROCESSING);
  await expect(page.getByText('No app provides task processing')).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: 'External apps' })).toBeVisible();
  await keepPicture('admin-processing-empty');

  const writer = await serveExternalApp(own, 'writer', {
    'POST /trigger': answer('application/json', '{}'),
  });
  await own.call(ADMIN, 'POST', '/apps/app_api/apps/register', {
    baseUrl: writer.baseUrl,
    secret: writer.secret,
    jsonInfo: { id: 'writer', name: 'Writer', version: '1.0.0' },
    trustsApps: true,
  });
  await expect.poll(() => isEnabled(own)).toBe(true);
  await provide(writer, 'writer:headline', 'Quick writer');
  await provide(writer, 'writer:poems', 'Slow poet');
  const schedule = () =>
    own.call(ADMIN, 'POST', '/ocs/v2.php/taskprocessing/schedule?format=json', {
      type: HEADLINE,
      appId: 'news',
      input: { input: 'a private thought' },
    });
  await schedule();
  await schedule();
  // Without a reload: the page looks again and again.
  const type = page
    .getByRole('list', { name: 'Task processing' })
    .getByRole('listitem')
    .filter({ hasText: HEADLINE });
  await expect(type).toContainText('Queued: 2');
  const provider = type.getByRole('combobox');
  await expect(provider).toHaveValue('');
  await expect(provider).toContainText('First registered: Quick writer');
  await provider.selectOption('Slow poet · writer');
  await expect(provider).toBeEnabled();
  await expect(provider).toHaveValue('writer:poems');
  await expectEverywhere(page, keepPicture, 'processing');

  await type.getByRole('link', { name: /^Show tasks of/ }).click();
  const table = page.getByRole('region', { name: 'Recent tasks of providers' });
  const rows = table.locator('tbody tr');
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('Queued');
  await expect(rows.first()).toContainText('started by news');
  await expect(page.getByText('a private thought')).toHaveCount(0);
  await expect(rows.last()).toBeInViewport();
  await expect(page.getByRole('combobox', { name: 'Task' })).toHaveValue(HEADLINE);
  await expectEverywhere(page, keepPicture, 'processing-tasks');
  await rows.first().getByRole('button', { name: 'Cancel task' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel task' }).click();
  await expect(page.getByText('The task is cancelled.')).toBeVisible();
  await expect(rows.first()).toContainText('Cancelled');
  await page.getByRole('combobox', { name: 'State' }).selectOption('Queued');
  await expect(rows).toHaveCount(1);
  await page.getByLabel('User begins with').fill('nobody');
  await expect(page.getByText('No such tasks.')).toBeVisible();

  await page.getByRole('link', { name: 'Task processing' }).click();
  await type.getByRole('button', { name: 'Cancel queued tasks' }).click();
  await expect(dialog).toContainText('Running tasks go on.');
  await dialog.getByRole('button', { name: 'Cancel queued tasks' }).click();
  await expect(page.getByText('Cancelled tasks: 1')).toBeVisible();
  await expect(type).toContainText('Queued: 0');
  await type.getByRole('button', { name: /^Disable/ }).click();
  await expect(type).toContainText('Nobody can start new tasks of this type.');
  await expect(schedule()).rejects.toThrow('412');

  await keepPicture('admin-processing-off');
  await page.goto(`${own.url}/settings/admin/apps/writer`);
  await expect(page.getByRole('row', { name: 'Provider of tasks Quick writer' })).toBeVisible();
  await writer.close();
});
