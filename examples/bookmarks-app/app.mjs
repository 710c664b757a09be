import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { startBookmarkService } from './bookmark-service.mjs';
import { callerOf, gateway } from './gateway.mjs';
import { registerAll, unregisterAll } from './registrations.mjs';
import { sendItems } from './send-items.mjs';

const { APP_HOST = '127.0.0.1', APP_PORT = '9031', BOOKMARKS_URL, BOOKMARKS_TOKEN } = process.env;

const say = (line) => process.stdout.write(`${line}\n`);

const token = BOOKMARKS_TOKEN ?? randomBytes(32).toString('hex');
const own = BOOKMARKS_URL
  ? null
  : await startBookmarkService(token, { port: 0, host: '127.0.0.1' });
const service = { address: (BOOKMARKS_URL ?? own.address).replace(/\/$/, ''), token };

/** Routes called by the gateway. */
const ROUTES = {
  'POST /init': async ({ answer }) => {
    answer({});
    await gateway('PUT', '/ex-app/status', { progress: 100 });
  },
  'PUT /enabled': async ({ query, answer }) => {
    const enabled = query.get('enabled') === '1';
    await (enabled ? registerAll() : unregisterAll());
    say(enabled ? 'enabled: listening for stars' : 'disabled: not listening');
    answer({ error: '' });
  },

  // An error other than a 2xx has the gateway send the event again, so answer when all is done. The
  // same event may arrive twice; bookmarks have keys, so that nothing is there twice.
  'POST /on-news': async ({ body, userId, answer }) => {
    const { event_subtype: subtype, event_data: data } = body;
    const count = await sendItems(service, userId, subtype, data.items ?? []);
    say(`${userId}: ${subtype}, ${count} sent`);
    answer({});
  },
};

const server = createServer(async (request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, 'http://app');
  const answer = (json, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  try {
    // The only request without credentials.
    if (pathname === '/heartbeat') {
      answer({ status: 'ok' });
      return;
    }
    const userId = callerOf(request);
    if (userId === null) {
      answer({ error: 'not from our gateway' }, 401);
      return;
    }
    const route = ROUTES[`${request.method} ${pathname}`];
    if (route === undefined) {
      answer({ error: `no route ${request.method} ${pathname}` }, 404);
      return;
    }
    const chunks = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    const body = bytes.length > 0 ? JSON.parse(bytes.toString('utf8')) : undefined;
    await route({ query, body, userId, answer });
  } catch (error) {
    say(`${request.method} ${pathname}: ${error.message}`);
    if (!response.headersSent) {
      answer({ error: error.message }, 503);
    }
  }
});

server.listen(Number(APP_PORT), APP_HOST, () => {
  say(`bookmarks-app listens at http://${APP_HOST}:${server.address().port}`);
  // The token is shown for the built-in service alone, which forgets everything with this process.
  say(
    own
      ? `bookmarks at ${service.address}/bookmarks, token ${token}`
      : `bookmarks go to ${service.address}`,
  );
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const one of own ? [server, own.server] : [server]) {
      one.close();
      one.closeAllConnections();
    }
  });
}
