import { afterAll, beforeAll } from '@jest/globals';
import type { Config } from '../../src/common/config/config.js';

/** Runs work while a running service has other settings, of those that it reads when it needs them. */
export async function withOtherSettings<Result>(
  config: Config,
  settings: Partial<Config>,
  work: () => Promise<Result>,
): Promise<Result> {
  const former = { ...config };
  Object.assign(config, settings);
  try {
    return await work();
  } finally {
    Object.assign(config, former);
  }
}

/** The same for all tests of a describe block. */
export function useOtherSettings(config: () => Config, settings: () => Partial<Config>): void {
  let former: Config;
  beforeAll(() => {
    former = { ...config() };
    Object.assign(config(), settings());
  });
  afterAll(() => {
    Object.assign(config(), former);
  });
}
