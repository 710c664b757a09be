import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Server } from 'node:http';
import { Config } from '../config/config.js';

/** Where the installation is reached from outside. */
@Injectable()
export class PublicAddress {
  constructor(
    private readonly config: Config,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Path prefix included, without a slash at the end. */
  get root(): string {
    return this.config.baseUrl ?? this.listeningAt;
  }

  /** Path prefix alone, without a slash at the end; usually empty. */
  get path(): string {
    return new URL(this.root).pathname.replace(/\/$/, '');
  }

  /** @param path below the root; with or without a slash in front */
  of(path: string): string {
    return `${this.root}/${path.replace(/^\/+/, '')}`;
  }

  /**
   * The path alone, below the prefix: for what a browser asks of the host it has asked already.
   *
   * @param path begins with a slash
   */
  pathOf(path: string): string {
    return this.path + path;
  }

  /** Where this process listens, or would by its configuration; without a slash at the end. */
  get listeningAt(): string {
    const { host } = this.config;
    const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
    return `http://${shown.includes(':') ? `[${shown}]` : shown}:${this.#port()}`;
  }

  /** The one that was taken, when the configuration leaves the choice to the system. */
  #port(): number {
    const server = this.adapterHost.httpAdapter?.getHttpServer() as Server | undefined;
    const address = server?.address() ?? null;
    return address === null || typeof address === 'string' ? this.config.port : address.port;
  }
}
