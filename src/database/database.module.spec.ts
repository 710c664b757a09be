import { expect, it } from '@jest/globals';
import { DatabaseModule } from './database.module.js';

type Given = ConstructorParameters<typeof DatabaseModule>;

it('the reserve for a full disk is kept from the start on, before the process listens', async () => {
  let kept = 0;
  const given = [
    {},
    { keepDiskReserve: async () => void (kept += 1) },
    {},
    {},
    { requires() {} },
    { counts() {} },
    { checkLow: async () => false },
    {},
  ];

  await new DatabaseModule(...(given as unknown as Given)).onApplicationBootstrap();

  expect(kept).toBe(1);
});
