import { startFeedServer, type FeedServer } from './feed-server.js';
import { startApp, type TestApp } from './start-app.js';

/**
 * What a spec may use of a service that other specs of its process have used before: what is of users of
 * its own. It changes no settings, and neither counts rows of others nor expects them to stay as they were:
 * the specs of a process run one after the other.
 */
export type SharedService = Pick<
  TestApp,
  'url' | 'signIn' | 'asAdmin' | 'asStranger' | 'nowMicros' | 'database' | 'inside'
>;

/** Called when the specs have ended, by runtime.cjs or, in jest's main process, by global-teardown.mjs. */
const { atEndOfRun } = globalThis as unknown as { readonly atEndOfRun: (() => Promise<void>)[] };

let running: Promise<TestApp> | undefined;

/**
 * The service of this process, with the settings of tests, and a publisher of its own for each spec file.
 * A start takes as long as ten tests.
 */
export async function sharedService(): Promise<{
  readonly app: SharedService;
  readonly publisher: FeedServer;
}> {
  running ??= startApp().then((app) => {
    atEndOfRun.push(() => app.stop());
    return app;
  });
  const [app, publisher] = await Promise.all([running, startFeedServer()]);
  // Keeps its port: the next publisher there would meet the sources of this one.
  atEndOfRun.push(() => publisher.close());
  return { app, publisher };
}
