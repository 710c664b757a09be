import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import { COMMAND_LINE, onBehalfOf } from '../common/auth/request-actor.js';
import type { Get, WithApp } from '../common/command-line/with-app.js';
import type { Config } from '../common/config/config.js';
import type { DatabaseUse } from '../database/connect.js';
import { SecretKeyService } from '../platform/installation/secrets/secret-key.service.js';
import { loadConfig } from '../settings.js';
import { CommandLogger } from './command-logger.js';

/** Actor in the audit log. */
const ACTOR = { userId: undefined, credential: COMMAND_LINE, address: undefined };

/** The application without HTTP and scheduled jobs, for one command. */
export const withApp: WithApp = (work) =>
  withAppAndAnyKey(async (get) => {
    await get(SecretKeyService).assertKeyIsRight();
    return work(get);
  });

/** The running application of a service, in which commands of callers work. */
export function withRunning(app: INestApplicationContext): WithApp {
  return async (work) => {
    const get: Get = (token) => app.get(token as Type);
    await get(SecretKeyService).assertKeyIsRight();
    return onBehalfOf(ACTOR, () => work(get));
  };
}

/** Like `withApp`, but without the check of the secret key, for commands that replace it. */
export const withAppAndAnyKey: WithApp = async (work) => {
  const app = await NestFactory.createApplicationContext(AppModule.with(commandConfig()), {
    logger: new CommandLogger(),
    abortOnError: false,
  });
  try {
    return await onBehalfOf(ACTOR, () => work((token) => app.get(token as Type)));
  } finally {
    await app.close();
  }
};

/**
 * The application on an unmigrated database, without the start's work. For commands that must not affect a
 * running service.
 */
export const withAppAsItIs: WithApp = (work) =>
  withoutStarting('as it is', async (get) => {
    await get(SecretKeyService).assertKeyIsRight();
    return work(get);
  });

/**
 * The application on a database whose restore is not complete, migrated, without the work that a start
 * does, and with any key.
 */
export const withRestoredApp: WithApp = (work) => withoutStarting('restored', work);

async function withoutStarting<Result>(
  database: DatabaseUse,
  work: (get: Get) => Promise<Result>,
): Promise<Result> {
  const app = await NestFactory.create(AppModule.with(commandConfig(), database), {
    bodyParser: false,
    logger: new CommandLogger(),
    abortOnError: false,
  });
  try {
    return await onBehalfOf(ACTOR, () => work((token) => app.get(token as Type)));
  } finally {
    await app.close();
  }
}

function commandConfig(): Config {
  return loadConfig({
    ...process.env,
    GATEFOLD_SCHEDULER: 'off',
    GATEFOLD_LOG_LEVEL: process.env['GATEFOLD_LOG_LEVEL'] ?? 'warn',
  });
}
