import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request } from 'express';
import type { Server } from 'node:http';
import { Config } from './config.js';

@Injectable()
export class PublicAddress {
  constructor(
    private readonly config: Config,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Includes the path prefix, without trailing slash. */
  get root(): string {
    return this.config.baseUrl ?? this.listeningAt;
  }

  /** Path prefix without trailing slash; usually empty. */
  get path(): string {
    return new URL(this.root).pathname.replace(/\/$/, '');
  }

  /** Root for answers to a program: without `GATEFOLD_BASE_URL`, the address that it called. */
  rootFor({ protocol, host }: Pick<Request, 'protocol' | 'host'>): string {
    return this.config.baseUrl ?? `${protocol}://${host}`;
  }

  /** @param path below the root; with or without leading slash */
  of(path: string): string {
    return `${this.root}/${path.replace(/^\/+/, '')}`;
  }

  /**
   * The path with prefix, for links within the same origin.
   *
   * @param path with leading slash
   */
  pathOf(path: string): string {
    return this.path + path;
  }

  /**
   * Address on which this process listens, or would by its configuration; without trailing slash.
   */
  get listeningAt(): string {
    const { host } = this.config;
    const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
    return `http://${shown.includes(':') ? `[${shown}]` : shown}:${this.#port()}`;
  }

  /** The actual port if 0 is configured. */
  #port(): number {
    const server = this.adapterHost.httpAdapter?.getHttpServer() as Server | undefined;
    const address = server?.address() ?? null;
    return address === null || typeof address === 'string' ? this.config.port : address.port;
  }
}
