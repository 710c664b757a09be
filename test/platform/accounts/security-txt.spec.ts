import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { startPlatform, TestClock } from '../start-platform.js';

const PATH = '/.well-known/security.txt';

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(async () => {
  await testDatabase?.drop();
});

describe('/.well-known/security.txt', () => {
  it('names the contacts of the operator, by RFC 9116', async () => {
    const clock = new TestClock();
    const platform = await startPlatform({
      databaseUrl: testDatabase.url,
      clock,
      settings: {
        GATEFOLD_SECURITY_CONTACT: 'mailto:security@example.org, https://example.org/report',
        GATEFOLD_BASE_URL: 'https://reader.example.org/next',
      },
    });

    const { status, headers, text } = await platform.as().get(PATH);
    await platform.stop();

    const lines = text.trimEnd().split('\n');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(lines).toEqual([
      'Contact: mailto:security@example.org',
      'Contact: https://example.org/report',
      expect.stringMatching(/^Expires: \d{4}-\d\d-\d\dT00:00:00.000Z$/),
      'Canonical: https://reader.example.org/next/.well-known/security.txt',
    ]);
    const expires = Date.parse(lines[2]?.replace('Expires: ', '') ?? '') / 1000;
    const days = (expires - clock.nowSeconds()) / 86_400;
    expect(days).toBeGreaterThan(178);
    expect(days).toBeLessThan(365);
  });

  it('does not exist without contacts', async () => {
    const platform = await startPlatform({ databaseUrl: testDatabase.url });

    expect((await platform.as().get(PATH)).status).toBe(404);
    await platform.stop();
  });
});
