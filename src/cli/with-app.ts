import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { CommandLogger } from './command-logger.js';
import { loadConfig } from '../common/config/config.js';

/** Finds a service of the application. */
export type Get = <Service>(token: abstract new (...args: never[]) => Service) => Service;

/** Runs `work` against the same database as a running service, and closes everything after it. */
export type WithApp = <Result>(work: (get: Get) => Promise<Result>) => Promise<Result>;

/** The application without HTTP and without its schedule, for the time of one command. */
export const withApp: WithApp = async (work) => {
  const config = loadConfig({
    ...process.env,
    GATEFOLD_SCHEDULER: 'off',
    GATEFOLD_LOG_LEVEL: process.env['GATEFOLD_LOG_LEVEL'] ?? 'warn',
  });
  const app = await NestFactory.createApplicationContext(AppModule.with(config), {
    logger: new CommandLogger(),
    abortOnError: false,
  });
  try {
    return await work((token) => app.get(token as Type));
  } finally {
    await app.close();
  }
};
