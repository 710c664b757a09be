import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Config } from '../config/config.js';
import { StartRefused } from '../errors/start-refused.js';
import { errorCode } from '../http/outgoing-errors.js';
import { Metrics } from './metrics.js';

/** A listener of its own for collectors, which the public address does not reach. */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  readonly #logger = new Logger('Metrics');
  #server: Server | undefined;

  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Listens if `GATEFOLD_METRICS_PORT` is set.
   *
   * @returns the port, or undefined
   * @throws StartRefused
   */
  async listen(): Promise<number | undefined> {
    const { metricsPort, metricsHost } = this.config;
    if (metricsPort === undefined) {
      return undefined;
    }
    const server = createServer((request, response) => {
      const isAsked = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
      void (isAsked ? this.#send(response) : response.writeHead(404).end());
    });
    server.listen(metricsPort, metricsHost);
    try {
      await once(server, 'listening');
    } catch (error) {
      throw new StartRefused(
        `Metrics cannot be served at ${metricsHost}:${metricsPort} (${errorCode(error)}). Change GATEFOLD_METRICS_HOST or GATEFOLD_METRICS_PORT.`,
        { cause: error },
      );
    }
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.#logger.log(`Metrics are at http://${metricsHost}:${port}/metrics`);
    return port;
  }

  onApplicationShutdown(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  async #send(response: ServerResponse): Promise<void> {
    const { registry } = this.metrics;
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
    } catch (error) {
      this.#logger.error(error);
      response.writeHead(500).end();
    }
  }
}
