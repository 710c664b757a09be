import { once } from 'node:events';
import { request, type Agent, type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';

/** Who is asked, and as whom. */
export interface Caller {
  readonly url: string;
  readonly authorization: string;
  readonly agent: Agent;
}

/** Sends a request of the News API and reads the answer to its end. */
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

/** The JSON of an answer. */
export async function json<Answer>(caller: Caller, address: string): Promise<Answer> {
  const answer = await ask(caller, 'GET', address);
  const pieces: Buffer[] = [];
  answer.on('data', (piece: Buffer) => pieces.push(piece));
  await once(answer, 'end');
  return JSON.parse(Buffer.concat(pieces).toString()) as Answer;
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
  { url, authorization, agent }: Caller,
  method: string,
  address: string,
  body?: object | string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const asking = request(`${url}/index.php/apps/news/api/v1-3${address}`, {
    agent,
    method,
    headers: {
      authorization,
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    },
  });
  asking.end(text);
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) {
    answer.resume();
    throw new Error(`${method} ${address} answered ${answer.statusCode}`);
  }
  return answer;
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
