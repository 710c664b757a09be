import { afterAll } from '@jest/globals';
import { startFeedServer, type FeedServer } from './feed-server.js';
import { startApp, type TestApp } from './start-app.js';

/** A service and a publisher for the whole spec file, stopped with it. */
export async function serviceAndPublisher(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly app: TestApp; readonly publisher: FeedServer }> {
  const [app, publisher] = await Promise.all([startApp(settings), startFeedServer()]);
  afterAll(() => Promise.all([app.stop(), publisher.close()]));
  return { app, publisher };
}
