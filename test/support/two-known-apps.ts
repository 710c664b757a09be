import { afterAll } from '@jest/globals';
import { knowApp, startExternalApp, type ExternalApp } from './external-app.js';
import { startApp, type TestApp } from './start-app.js';

/** A gateway with two registered apps, `a1` and `a2`, for the whole spec file. */
export async function twoKnownApps(): Promise<{
  readonly gateway: TestApp;
  readonly app: ExternalApp;
  readonly other: ExternalApp;
}> {
  const gateway = await startApp();
  const app = await startExternalApp(gateway, { appId: 'a1' });
  const other = await startExternalApp(gateway, { appId: 'a2' });
  afterAll(() => Promise.all([app.close(), other.close(), gateway.stop()]));
  await knowApp(gateway, app);
  await knowApp(gateway, other);
  return { gateway, app, other };
}
