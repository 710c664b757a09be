import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { answerInChat, BOT_ROUTE } from './bot.mjs';
import { wordsOfFile } from './files.mjs';
import { callerOf, gateway } from './gateway.mjs';
import { echoFor, workOnTasks } from './processing.mjs';
import { registerAll, unregisterAll } from './registrations.mjs';

const { APP_HOST = '127.0.0.1', APP_PORT = '9030' } = process.env;

const say = (line) => process.stdout.write(`${line}\n`);

/** Routes called by the gateway. */
const ROUTES = {
  // Lifecycle. A long initialization may report progress 1 to 99; 100 means done.
  'POST /init': async ({ answer }) => {
    answer({});
    await gateway('PUT', '/ex-app/status', { progress: 100 });
  },
  'PUT /enabled': async ({ query, answer }) => {
    const enabled = query.get('enabled') === '1';
    await (enabled ? registerAll() : unregisterAll());
    say(enabled ? 'enabled: registered everything' : 'disabled: unregistered everything');
    answer({ error: '' });
  },

  // Files and data of the page behind the menu entry, fetched by browsers through the gateway.
  'GET /js/hello.js': ({ file }) => file('hello.js', 'text/javascript'),
  'GET /css/hello.css': ({ file }) => file('hello.css', 'text/css'),
  'GET /img/hello.svg': ({ file }) => file('hello.svg', 'image/svg+xml'),
  'GET /api/greeting': async ({ userId, answer }) => answer({ text: await greetingFor(userId) }),
  'GET /api/echo': async ({ userId, query, answer }) =>
    answer({ text: await echoFor(userId, query.get('text') ?? '') }),

  // File action, command and event listener.
  'POST /files/describe': async ({ body, userId, answer }) => {
    const described = body.files.map(async (node) => {
      const words = await wordsOfFile(node, userId);
      return `${node.name} (${node.size} bytes${words === null ? '' : `, ${words} words`})`;
    });
    say(`hello to ${(await Promise.all(described)).join(', ')}`);
    answer({ redirect_handler: 'hello/files' });
  },
  'POST /commands/greet': async ({ body, response }) => {
    const { who, others = [] } = body.occ.arguments;
    const { loud, times = '1', mark = [] } = body.occ.options;
    const words = ['Hello, ', [who, ...(others ?? [])].join(' and '), `${mark.join('') || '!'}\n`];
    response.writeHead(200, { 'content-type': 'text/plain' });
    for (const word of Array.from({ length: Number(times) }, () => words).flat()) {
      response.write(loud ? word.toUpperCase() : word);
      await pause(20);
    }
    response.end();
  },
  'POST /events/node': async ({ body, userId, answer }) => {
    const { event_subtype: subtype, event_data: data } = body;
    const from = data.source === undefined ? '' : ` (was ${data.source.name})`;
    say(`${userId}: ${subtype} ${data.target.name}${from}`);
    if (subtype === 'NodeCreatedEvent') {
      await notifyOfFile(userId, data.target);
    }
    answer({});
  },

  // A message in a conversation of the bot.
  [`POST /${BOT_ROUTE}`]: async ({ request, bytes, answer }) => {
    answer({});
    say(`bot: ${await answerInChat(request, bytes)}`);
  },

  // Task processing: there is a task to fetch.
  'POST /trigger': async ({ answer }) => {
    answer({});
    await workOnTasks();
  },

  // Older kinds of providers are sent their tasks. They answer at once and report the result later.
  'POST /providers/translate': async ({ body, answer }) => {
    answer({});
    await reportResult('translation', body.task_id, body.text.toUpperCase());
  },
  'POST /providers/detect': ({ answer }) => answer({ detected_lang: 'en' }),
  'POST /providers/free_prompt': processText(({ prompt }) => `You said: ${prompt}`),
  'POST /providers/headline': processText(({ prompt }) => sentences(prompt)[0]),
  'POST /providers/summary': processText(({ prompt }) => sentences(prompt).slice(0, 2).join('. ')),
  'POST /providers/topics': processText(({ prompt }) => longestWords(prompt).join(', ')),
  'POST /providers/listen': async ({ request, bytes, query, answer }) => {
    answer({});
    const taskId = Number(query.get('task_id'));
    await gateway('PUT', '/api/v1/ai_provider/speech_to_text', { taskId, progress: 50 });
    const headers = { 'content-type': request.headers['content-type'] };
    const recording = (await new Response(bytes, { headers }).formData()).get('data');
    const heard = `${recording.size} bytes of sound in ${recording.name}`;
    await reportResult('speech_to_text', taskId, heard);
  },
};

/** A text provider: accepts the task, then reports the result. */
function processText(process) {
  return async ({ body, answer }) => {
    answer({});
    await reportResult('text_processing', body.task_id, process(body));
  };
}

function sentences(text) {
  return text.split(/[.!?]+\s*/).filter(Boolean);
}

function longestWords(text) {
  const words = [...new Set(text.toLowerCase().match(/\p{L}+/gu))];
  return words.toSorted((one, other) => other.length - one.length).slice(0, 3);
}

function reportResult(kind, taskId, result) {
  return gateway('PUT', `/api/v1/ai_provider/${kind}`, {
    taskId: Number(taskId),
    result,
    error: '',
  });
}

/** Uses a value of the user's settings form, and counts greetings in a preference without a form. */
async function greetingFor(userId) {
  const keys = { configKeys: ['greeting_word', 'greeted_times'] };
  const kept = await gateway('POST', '/api/v1/ex-app/preference/get-values', keys, userId);
  const valueOf = (key) => kept.find(({ configkey }) => configkey === key)?.configvalue;
  await gateway(
    'POST',
    '/api/v1/ex-app/preference',
    { configKey: 'greeted_times', configValue: String(Number(valueOf('greeted_times') ?? 0) + 1) },
    userId,
  );
  return `${valueOf('greeting_word') ?? 'Hello'}, ${userId}!`;
}

function notifyOfFile(userId, { fileId, name, directory }) {
  const file = {
    type: 'file',
    id: String(fileId),
    name,
    path: `${directory}/${name}`.replace(/^\/+/, ''),
  };
  const params = {
    object: 'hello',
    object_id: String(fileId),
    subject_type: 'hello',
    subject_params: { rich_subject: 'Hello, {file}!', rich_subject_params: { file } },
  };
  return gateway('POST', '/api/v1/notification', { params }, userId);
}

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
    const bytes = await readAll(request);
    const isJson = request.headers['content-type']?.includes('json') && bytes.length > 0;
    const body = isJson ? JSON.parse(bytes.toString('utf8')) : undefined;
    const file = async (name, type) => {
      const content = await readFile(new URL(`public/${name}`, import.meta.url));
      response.writeHead(200, { 'content-type': type }).end(content);
    };
    await route({ request, query, body, bytes, userId, answer, file, response });
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
