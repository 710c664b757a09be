import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { temporaryFolder } from './temporary-folder.js';
import { PROCESS_SECONDS, within } from './until.js';

export type ProxyName = 'nginx' | 'haproxy';

/** nginx or HAProxy on a free port, with its file of `deploy`. */
export interface ReverseProxy {
  readonly url: string;
  stop(): Promise<void>;
}

interface LimitsOfNetwork {
  readonly connections?: number;
  readonly requestsPerSecond?: number;
}

/**
 * Starts one; it may not listen yet when the promise resolves.
 *
 * @param port on which it is to listen
 * @param replicas the ports of the two processes behind it
 * @param limits of one client network, if not those of the file
 */
export async function aReverseProxy(
  name: ProxyName,
  port: number,
  replicas: readonly [number, number],
  { connections = 300, requestsPerSecond }: LimitsOfNetwork = {},
): Promise<ReverseProxy> {
  const folder = await temporaryFolder('proxy');
  const file = `${folder}/${name}.conf`;
  const text = await (name === 'nginx' ? nginx : haproxy)(folder, port, replicas);
  await writeFile(
    file,
    text
      .replace(/(limit_conn clients|sc0_conn_cur gt) 300/, `$1 ${connections}`)
      .replaceAll(/(?<=rate=)\d+/g, (rate) => String(requestsPerSecond ?? rate)),
  );
  const options = name === 'nginx' ? ['-c', file] : ['-db', '-f', file];
  const child = spawn(name, options, { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'close');
  const end = () => void child.kill();
  process.once('exit', end);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      process.off('exit', end);
      end();
      await within(`the end of ${name}`, ended, PROCESS_SECONDS);
      await rm(folder, { recursive: true });
    },
  };
}

async function nginx(
  folder: string,
  port: number,
  [first, second]: readonly [number, number],
): Promise<string> {
  const text = await readFile('deploy/nginx.conf', 'utf8');
  const site = text
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('gatefold-1:8080', `127.0.0.1:${first}`)
    .replace('gatefold-2:8080', `127.0.0.1:${second}`)
    // Ports are not part of $host, and tests listen on one.
    .replaceAll('Host $host;', 'Host $http_host;');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((what) => `${what}_temp_path ${folder}/${what};`)
    .join('\n');
  return `daemon off;\npid ${folder}/pid;\nerror_log stderr crit;\nworker_rlimit_nofile 20000;\nevents { worker_connections 8192; }\nhttp {\naccess_log off;\n${temporary}\n${site}\n}\n`;
}

async function haproxy(
  _folder: string,
  port: number,
  [first, second]: readonly [number, number],
): Promise<string> {
  const text = await readFile('deploy/haproxy.cfg', 'utf8');
  return text
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replace('gatefold-1:8080', `127.0.0.1:${first}`)
    .replace('gatefold-2:8080', `127.0.0.1:${second}`);
}

export function isProxyName(name: string | undefined): name is ProxyName {
  return name === 'nginx' || name === 'haproxy';
}
