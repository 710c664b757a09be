import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { PROCESS_SECONDS, within } from './until.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/bookmarks-app/app.mjs', import.meta.url));

export const BOOKMARKS_APP = { appId: 'bookmarks-app', secret: 'between the two: of us' };

export interface BookmarksApp {
  readonly baseUrl: string;
  readonly bookmarksUrl: string;
  /** The next line of the app's output that matches. */
  line(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts the process of the example app; it listens when the promise resolves.
 *
 * @param token of its bookmark service
 */
export async function runBookmarksApp(hostUrl: string, token: string): Promise<BookmarksApp> {
  const child = spawn(process.execPath, [EXAMPLE], {
    env: {
      APP_ID: BOOKMARKS_APP.appId,
      APP_SECRET: BOOKMARKS_APP.secret,
      APP_PORT: '0',
      NEXTCLOUD_URL: hostUrl,
      BOOKMARKS_TOKEN: token,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const { value, done } = await said.next();
      if (done) {
        throw new Error(`The example app ended before it said ${pattern}`);
      }
      if (pattern.test(value)) {
        return value;
      }
    }
  };
  const line = (pattern: RegExp, seconds?: number) =>
    within(`a line ${pattern} of the example app`, next(pattern), seconds);
  const addressIn = async (pattern: RegExp) =>
    /http[^\s,]+/.exec(await line(pattern, PROCESS_SECONDS))?.[0] ?? '';
  return {
    baseUrl: await addressIn(/listens at/),
    bookmarksUrl: await addressIn(/bookmarks at/),
    line,
    async stop() {
      if (child.exitCode === null) {
        const gone = once(child, 'exit');
        child.kill('SIGTERM');
        await within('the end of the example app', gone, PROCESS_SECONDS);
      }
    },
  };
}
