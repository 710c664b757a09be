import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../bin/gatefold.mjs', import.meta.url));
/** Dozens of commands start here; what Node.js compiled for one is there for the next. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

export const ADMIN = { userId: 'admin', password: 'admin of the pages' };

export interface Person {
  readonly userId: string;
  readonly password: string;
}

/** The service as started by an operator, with a separate data folder. */
export interface Service {
  readonly url: string;
  readonly dataDir: string;
  /** Creates an account with a generated name. */
  addPerson(name?: string): Promise<Person>;
  /** Calls a route with Basic credentials. @returns the JSON of the answer */
  call(person: Person, method: string, path: string, json?: unknown): Promise<unknown>;
  /** Runs a CLI command. */
  run(words: readonly string[], variables?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

export async function startService(
  settings: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'gatefold-pages-'));
  // Started by root, the database runs as another user, who needs access to the folder.
  await chmod(dataDir, 0o711);
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: COMPILED,
    GATEFOLD_DATA_DIR: dataDir,
    GATEFOLD_PORT: '0',
    GATEFOLD_ADMIN_USER: ADMIN.userId,
    GATEFOLD_ADMIN_PASSWORD: ADMIN.password,
    GATEFOLD_FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
    GATEFOLD_RATE_LIMITS: 'off',
    GATEFOLD_REFRESH_REST_SECONDS: '0',
    ...settings,
  };
  const child = spawn(process.execPath, [LAUNCHER, 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  const ended = once(child, 'close');
  const listening = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      log += `${line}\n`;
      const address = /^Gatefold listens at (\S+)/.exec(line)?.[1];
      if (address !== undefined) {
        listening.resolve(address);
      }
    });
  }
  const url = await Promise.race([
    listening.promise,
    ended.then(() => {
      throw new Error(`The service did not start:\n${log}`);
    }),
  ]);
  let people = 0;

  const call = async (person: Person, method: string, at: string, json?: unknown) => {
    const response = await fetch(url + at, {
      method,
      headers: {
        Authorization: `Basic ${btoa(`${person.userId}:${person.password}`)}`,
        Accept: 'application/json',
        'OCS-APIRequest': 'true',
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${at}: ${response.status} ${text}`);
    }
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };

  const run: Service['run'] = async (words, variables = {}) => {
    const command = spawn(process.execPath, [LAUNCHER, ...words], {
      env: { ...env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [command.stdout, command.stderr]) {
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    }
    const [code] = (await once(command, 'close')) as [number];
    if (code !== 0) {
      throw new Error(`${words[0]} ended with ${code}:\n${said}`);
    }
  };

  return {
    url,
    dataDir,
    call,
    run,
    async addPerson(name = 'ada') {
      people += 1;
      const person = { userId: `${name}${people}`, password: `the password of ${name}` };
      await call(ADMIN, 'POST', '/ocs/v2.php/cloud/users?format=json', {
        userid: person.userId,
        password: person.password,
      });
      return person;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
