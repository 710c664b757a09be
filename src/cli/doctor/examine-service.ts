import http from 'node:http';
import type { Config } from '../../common/config/config.js';
import type { CheckFinding } from '../../common/ports/installation-checks.js';

const TIMEOUT_MS = 5000;

/** Addresses of all interfaces, which cannot be called. */
const ANYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Whether a service with these settings answers, and is ready. */
export async function examineService({ host, port }: Config): Promise<CheckFinding> {
  const hostname = ANYWHERE[host] ?? host;
  const address = `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  const answer = await askReadiness(hostname, port);
  if (answer === null) {
    return {
      state: 'warning',
      text: `No service answers at ${address}.`,
      advice: 'Start it, or run this with the settings of the service.',
    };
  }
  return answer.status === 200
    ? { state: 'ok', text: `The service at ${address} is ready.` }
    : {
        state: 'error',
        text: `The service at ${address} is not ready (${answer.status}): ${answer.body}`,
        advice: 'The findings below and its log say more.',
      };
}

async function askReadiness(
  hostname: string,
  port: number,
): Promise<{ readonly status: number; readonly body: string } | null> {
  return new Promise((resolve) => {
    const request = http.get(
      { hostname, port, path: '/health/ready', timeout: TIMEOUT_MS, agent: false },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => (body = (body + text).slice(0, 500)));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        response.on('error', () => resolve(null));
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
  });
}
