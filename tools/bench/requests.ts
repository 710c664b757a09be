import { once } from 'node:events';
import { request, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';

/** Target and credentials of requests. */
export interface Caller {
  /** Address of the API, without a trailing slash. */
  readonly api: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly agent: Agent;
}

/** Sends a request and reads the answer to its end. */
export async function send(
  caller: Caller,
  method: string,
  address: string,
  body?: object | string,
  headers: Record<string, string> = {},
): Promise<void> {
  const answer = await ask(caller, method, address, body, headers);
  answer.resume();
  await once(answer, 'end');
}

/** The JSON of an answer, also of a compressed one. */
export async function json<Answer>(
  caller: Caller,
  address: string,
  method = 'GET',
  body?: object,
): Promise<Answer> {
  const answer = await ask(caller, method, address, body);
  const pieces: Buffer[] = [];
  answer.on('data', (piece: Buffer) => pieces.push(piece));
  await once(answer, 'end');
  const bytes = Buffer.concat(pieces);
  const text = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  return JSON.parse(text.toString()) as Answer;
}

/** Milliseconds until the first byte of the body, and until its end. */
export async function timesOf(
  caller: Caller,
  address: string,
  headers: Record<string, string> = {},
): Promise<{ readonly firstByteMs: number; readonly endMs: number; readonly bytes: number }> {
  const began = performance.now();
  const answer = await ask(caller, 'GET', address, undefined, headers);
  let firstByteMs = 0;
  let bytes = 0;
  answer.on('data', (piece: Buffer) => {
    firstByteMs ||= performance.now() - began;
    bytes += piece.length;
  });
  await once(answer, 'end');
  return { firstByteMs, endMs: performance.now() - began, bytes };
}

/** Hangs up after the first byte of the body. */
export async function sendUntilFirstByte(caller: Caller, address: string): Promise<void> {
  const answer = await ask(caller, 'GET', address);
  await once(answer, 'data');
  answer.destroy();
}

async function ask(
  { api, credentials, agent }: Caller,
  method: string,
  address: string,
  body?: object | string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const asking = request(`${api}${address}`, {
    agent,
    method,
    headers: {
      ...credentials,
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    },
  });
  asking.end(text);
  const answer = await answerTo(asking);
  if (answer === undefined) {
    return ask({ api, credentials, agent }, method, address, body, headers);
  }
  const { statusCode = 0 } = answer;
  if (statusCode < 200 || statusCode > 299) {
    answer.resume();
    throw new Error(`${method} ${api}${address} answered ${statusCode}`);
  }
  return answer;
}

/** @returns undefined when the server had closed the idle connection just before */
async function answerTo(asking: ClientRequest): Promise<IncomingMessage | undefined> {
  try {
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    return answer;
  } catch (error) {
    if (asking.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET') {
      return undefined;
    }
    throw error;
  }
}

/** Does the work `count` times, by so many at once. */
export async function inParallel(
  workers: number,
  count: number,
  work: (n: number, worker: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (next < count) {
        next += 1;
        await work(next - 1, worker);
      }
    }),
  );
}
