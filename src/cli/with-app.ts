import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module.js';
import type { WithApp } from '../common/command-line/with-app.js';
import { COMMAND_LINE, onBehalfOf } from '../common/auth/request-actor.js';
import { CommandLogger } from './command-logger.js';
import { loadConfig } from '../common/config/config.js';
import { SecretKeyService } from '../platform/secrets/secret-key.service.js';

/** The application without HTTP and scheduled jobs, for one command. */
export const withApp: WithApp = (work) =>
  withAppAndAnyKey(async (get) => {
    await get(SecretKeyService).assertKeyIsRight();
    return work(get);
  });

/** The same without the check of the secret key, for commands that replace it. */
export const withAppAndAnyKey: WithApp = async (work) => {
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
    const actor = { userId: undefined, credential: COMMAND_LINE, address: undefined };
    return await onBehalfOf(actor, () => work((token) => app.get(token as Type)));
  } finally {
    await app.close();
  }
};
