import { ADMIN, expect, expectAccessible, logIn, test } from './fixtures.js';

const PLACE = '/settings/admin/check';

test('the check tells an administrator that nothing needs attention', async ({
  page,
  service,
  keepPicture,
}) => {
  await logIn(page, service, ADMIN, PLACE);

  await expect(page.getByRole('heading', { name: 'Doctor', exact: true })).toBeVisible();
  await expect(page.getByRole('status').getByText('Nothing needs attention.')).toBeVisible();
  const database = page.getByRole('region', { name: 'Database' });
  await expect(database.getByText('The schema is that of this version')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('check-fine');
});

test('the check shows problems with advice, also in the dark and on a phone', async ({
  page,
  service,
  keepPicture,
}) => {
  let asked = 0;
  await page.route('**/api/v1/checks*', async (route) => {
    asked += 1;
    const data = [
      {
        subject: 'Disk',
        findings: [
          {
            state: 'error',
            text: 'The disk of /var/lib/gatefold has 310 MB of 37.3 GB free; 1 GB are reserved. Uploads are refused, and feeds are not fetched.',
            advice: 'Remove files, or enlarge the disk.',
          },
        ],
      },
      {
        subject: 'Feeds',
        findings: [
          {
            state: 'warning',
            text: '12 feeds are due, the oldest for 31 minutes.',
            advice: 'Is the service running?',
          },
          { state: 'ok', text: '1 of 200 feeds fail.' },
        ],
      },
      { subject: 'Fax', findings: [{ state: 'off', text: 'No fax is configured.' }] },
    ];
    await route.fulfill({ json: { ocs: { meta: { statuscode: 200 }, data } } });
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await logIn(page, service, ADMIN, PLACE);

  await expect(page.getByRole('status').getByText('Errors: 1 · warnings: 1')).toBeVisible();
  const disk = page.getByRole('region', { name: 'Disk' });
  await expect(disk.getByRole('listitem')).toContainText(/Error: .*310 MB.*Remove files/s);
  await expect(page.getByRole('region', { name: 'Fax' })).toBeVisible();
  await expectAccessible(page);
  await keepPicture('check-dark');

  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect.poll(() => asked).toBe(2);
  await expect(disk.getByText('Remove files')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('check-phone');
});

test('the check is not for other users', async ({ page, service, ada }) => {
  await page.goto(service.url + PLACE);

  expect(ada.userId).not.toBe('');
  await expect(page.getByRole('heading', { name: 'Doctor', exact: true })).toHaveCount(0);
});
