import { Buffer } from 'node:buffer';
import process from 'node:process';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { callerOf, gateway } from './gateway.mjs';
import { announceEverything, takeEverythingBack } from './registrations.mjs';

const { APP_HOST = '127.0.0.1', APP_PORT = '9030' } = process.env;

const say = (line) => process.stdout.write(`${line}\n`);

/** What the gateway calls: method and path, and what this app does then. */
const ROUTES = {
  // Life cycle. Long initialisation may report 1 to 99 on the way; 100 says that it is over.
  'POST /init': async ({ answer }) => {
    answer({});
    await gateway('PUT', '/ex-app/status', { progress: 100 });
  },
  'PUT /enabled': async ({ query, answer }) => {
    const enabled = query.get('enabled') === '1';
    await (enabled ? announceEverything() : takeEverythingBack());
    say(enabled ? 'enabled: announced everything' : 'disabled: took everything back');
    answer({ error: '' });
  },

  // The page behind the menu entry, as the browser fetches it through the gateway.
  'GET /js/hello.js': ({ file }) => file('hello.js', 'text/javascript'),
  'GET /css/hello.css': ({ file }) => file('hello.css', 'text/css'),
  'GET /img/hello.svg': ({ file }) => file('hello.svg', 'image/svg+xml'),
  'GET /api/greeting': async ({ userId, answer }) => answer({ text: await greetingFor(userId) }),

  // What users and operators do.
  'POST /files/describe': ({ body, answer }) => {
    const names = body.files.map(({ name, size }) => `${name} (${size} bytes)`);
    say(`hello to ${names.join(', ')}`);
    answer({ redirect_handler: 'hello/files' });
  },
  'POST /commands/greet': async ({ body, response }) => {
    const { who } = body.occ.arguments;
    const words = ['Hello, ', `${who}!\n`];
    response.writeHead(200, { 'content-type': 'text/plain' });
    for (const word of words) {
      response.write(body.occ.options.loud ? word.toUpperCase() : word);
      await pause(50);
    }
    response.end();
  },
  'POST /events/node': async ({ body, userId, answer }) => {
    const { event_subtype: subtype, event_data: data } = body;
    say(`${userId}: ${subtype} ${data.target.name}`);
    await notify(userId, `Hello, ${data.target.name}!`);
    answer({});
  },

  // Providers answer at once and report the result when they have it.
  'POST /providers/translate': async ({ body, answer }) => {
    answer({});
    await reportResult('translation', body.task_id, body.text.toUpperCase());
  },
  'POST /providers/detect': ({ answer }) => answer({ detected_lang: 'en' }),
  'POST /providers/headline': async ({ body, answer }) => {
    answer({});
    await reportResult('text_processing', body.task_id, body.prompt.split(/[.!?]/, 1)[0]);
  },
  'POST /providers/listen': async ({ bytes, query, answer }) => {
    answer({});
    await reportResult('speech_to_text', query.get('task_id'), `${bytes.length} bytes of sound`);
  },
};

function reportResult(kind, taskId, result) {
  return gateway('PUT', `/api/v1/ai_provider/${kind}`, {
    taskId: Number(taskId),
    result,
    error: '',
  });
}

/** What the user has entered in the settings form. */
async function greetingFor(userId) {
  const keys = { configKeys: ['greeting_word'] };
  const [saved] = await gateway('POST', '/api/v1/ex-app/preference/get-values', keys, userId);
  return `${saved?.configvalue ?? 'Hello'}, ${userId}!`;
}

function notify(userId, subject) {
  const params = {
    object: 'hello',
    object_id: '1',
    subject_type: 'hello',
    subject_params: { rich_subject: subject, rich_subject_params: {} },
  };
  return gateway('POST', '/api/v1/notification', { params }, userId);
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams: query } = new URL(request.url, 'http://app');
  const answer = (json, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  try {
    // The one request that carries no credentials.
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
    const bytes = await readAll(request);
    const isJson = request.headers['content-type']?.includes('json') && bytes.length > 0;
    const body = isJson ? JSON.parse(bytes.toString('utf8')) : undefined;
    const file = async (name, type) => {
      const content = await readFile(new URL(`public/${name}`, import.meta.url));
      response.writeHead(200, { 'content-type': type }).end(content);
    };
    await route({ query, body, bytes, userId, answer, file, response });
  } catch (error) {
    say(`${request.method} ${pathname}: ${error.message}`);
    if (!response.headersSent) {
      answer({ error: error.message }, 500);
    }
  }
});

async function readAll(request) {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

server.listen(Number(APP_PORT), APP_HOST, () => {
  say(`hello-app listens at http://${APP_HOST}:${server.address().port}`);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
