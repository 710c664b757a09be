import { afterAll, beforeAll } from '@jest/globals';

/** Runs work while a running service has other settings, of those that it reads when it needs them. */
export async function withOtherSettings<Settings extends object, Result>(
  settings: Settings,
  others: Partial<Settings>,
  work: () => Promise<Result>,
): Promise<Result> {
  const former = { ...settings };
  Object.assign(settings, others);
  try {
    return await work();
  } finally {
    Object.assign(settings, former);
  }
}

/** The same for all tests of a describe block. */
export function useOtherSettings<Settings extends object>(
  settings: () => Settings,
  others: () => Partial<Settings>,
): void {
  let former: Settings;
  beforeAll(() => {
    former = { ...settings() };
    Object.assign(settings(), others());
  });
  afterAll(() => {
    Object.assign(settings(), former);
  });
}
