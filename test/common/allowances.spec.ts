import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Clock } from '../../src/common/clock.js';
import { Allowances } from '../../src/common/ports/allowances.js';
import { Random } from '../support/histories/random.js';
import { startApp, type TestApp } from '../support/start-app.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const PERIOD_SECONDS = 120;
const START_SECONDS = 1_800_000_000;

let database: TestDatabase;
let processes: readonly TestApp[];
let nowSeconds = START_SECONDS;
beforeAll(async () => {
  database = await createTestDatabase();
  processes = [
    await startApp({ DATABASE_URL: database.url }),
    await startApp({ DATABASE_URL: database.url }),
  ];
  for (const { inside } of processes) {
    inside(Clock).nowSeconds = () => nowSeconds;
  }
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await database.drop();
});

const takeAt = (n: number, owner: string, most: number, wanted?: number, kind = 'tries') =>
  (processes[n % processes.length] as TestApp)
    .inside(Allowances)
    .take(owner, { kind, most, periodSeconds: PERIOD_SECONDS }, wanted);

describe('Allowances of users', () => {
  it('are counted across processes, also at the same moment', async () => {
    const grants = await Promise.all(
      Array.from({ length: 60 }, (_, n) => takeAt(n, 'ada', 25, 1 + (n % 2))),
    );

    expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(25);
  });

  it.each([1, 2, 3])('equal a model in any order of uses, seed %i', async (seed) => {
    const random = new Random(seed);
    const model = new Map<string, { endsAt: number; used: number }>();
    for (let step = 0; step < 300; step++) {
      nowSeconds += random.below(20);
      const [owner, kind] = [`user-${seed}-${random.below(3)}`, `kind ${random.below(2)}`];
      const [most, wanted] = [5 + random.below(4), 1 + random.below(4)];
      const known = model.get(`${owner} ${kind}`);
      const period =
        known !== undefined && known.endsAt > nowSeconds
          ? known
          : { endsAt: nowSeconds + PERIOD_SECONDS, used: 0 };
      model.set(`${owner} ${kind}`, period);
      // The limit may have been lowered meanwhile.
      const granted = Math.max(0, Math.min(wanted, most - period.used));
      period.used += granted;

      expect(await takeAt(step, owner, most, wanted, kind)).toEqual({
        granted,
        waitSeconds: period.endsAt - nowSeconds,
      });
    }
  });

  it('are removed with the account, and when their period has ended', async () => {
    const [app] = processes as [TestApp];
    const owners = async () =>
      (await app.database.query<{ owner: string }>('select owner from used_allowance')).map(
        ({ owner }) => owner,
      );
    const eve = await app.signInOnce('eve');
    await takeAt(0, eve.credentials.userId, 5);
    expect(await owners()).toContain('eve');

    await app.asAdmin().call('DELETE', '/ocs/v2.php/cloud/users/eve?format=json');
    expect(await owners()).not.toContain('eve');

    await takeAt(0, 'ada', 5);
    // Each process cleans up once an hour.
    nowSeconds += 3601;
    await takeAt(0, 'bob', 5);
    expect(await owners()).toEqual(['bob']);
  });
});
