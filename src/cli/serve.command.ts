import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Command } from 'commander';
import type { Server } from 'node:http';
import { inOwnProcess } from '../common/command-line/own-process.js';
import { say } from '../common/command-line/say.js';
import type { WithApp } from '../common/command-line/with-app.js';
import type { Config } from '../common/config/config.js';
import { PublicAddress } from '../common/config/public-address.js';
import { StartRefused } from '../common/errors/start-refused.js';
import { Readiness } from '../common/health/readiness.js';
import { StillOpen } from '../common/health/still-open.js';
import { errorCode } from '../common/http/outgoing-errors.js';
import { Shares } from '../common/http/shares.js';
import { endProcess } from '../common/last-acts.js';
import { MetricsServer } from '../common/metrics/metrics-server.js';
import { Metrics } from '../common/metrics/metrics.js';
import { ListeningHooks } from '../common/ports/hooks.js';
import { createApp } from '../create-app.js';
import { ConnectionCheck } from '../database/connections/connection-check.js';
import { FirstAdministrator } from '../platform/accounts/users/first-administrator.service.js';
import { loadConfig } from '../settings.js';
import { busyAnswers, collectWhenQuiet } from './collect-when-quiet.js';
import { CommandSocket, type PrepareCommand } from './command-socket.js';
import { GracefulServer } from './graceful-server.js';
import { startTraces } from './start-traces.js';
import { withRunning } from './with-app.js';

/** Left of the timeout of a shutdown when open responses are cut off: jobs and database end after them. */
const AFTER_LAST_ANSWERS_SECONDS = 6;

/**
 * npm forwards the Ctrl-C that the terminal has already sent; two signals within this time count
 * once.
 */
const SAME_REQUEST_MS = 500;

/**
 * Connections that the kernel keeps until this process takes them; with more, their clients try again after
 * one, three and seven seconds. The default, 511, is less than a proxy opens at once for all its clients.
 */
const WAITING_CONNECTIONS = 4096;

const logger = new Logger('Service');

type PrepareIn = (
  running: WithApp,
  ...words: Parameters<PrepareCommand>
) => ReturnType<PrepareCommand>;

/** @param prepareIn for commands that are run in the application */
export function registerServeCommand(program: Command, prepareIn: PrepareIn): void {
  inOwnProcess(program.command('serve'))
    .description('run the service')
    .action(async () => {
      const config = loadConfig(process.env);
      const { app, address, stopped } = await serve(config, prepareIn);
      stopped.catch((error: Error) => {
        logger.error(`The stop failed: ${error.message}`);
        return endProcess(1);
      });
      if (config.logFormat === 'json') {
        logger.log(`Gatefold listens at ${address}`);
      } else {
        say(greeting(address) + firstLogin(app));
      }
    });
}

/** Starts the service, with a graceful shutdown on SIGINT, SIGTERM and SIGHUP. */
export async function serve(
  config: Config,
  prepareIn?: PrepareIn,
): Promise<{ app: NestExpressApplication; address: string; stopped: Promise<void> }> {
  const stopTraces = config.traces === 'otlp' ? await startTraces() : undefined;
  const app = await createApp(config);
  const graceful = new GracefulServer(app.getHttpServer() as Server);
  try {
    await app.init();
    await app.get(ConnectionCheck).run();
    await app.get(MetricsServer).listen();
    // The framework hands all arguments to the server, though its types name fewer.
    await app.listen(config.port, config.host, WAITING_CONNECTIONS as never);
  } catch (error) {
    if (config.logFormat !== 'json') {
      // The next start does not know the password.
      say(firstLogin(app));
    }
    await app.close();
    throw explainListening(error, config);
  }
  // Before, there is nothing to stop in order: signals end the process with its last acts.
  const started = app.get(ListeningHooks).run();
  const running = withRunning(app);
  const commands =
    prepareIn && new CommandSocket(config.dataDir, (words) => prepareIn(running, words));
  const stopped = stopOnSignal(app, graceful, config, started, commands).then(stopTraces);
  await started;
  await commands?.start();
  const shares = app.get(Shares);
  collectWhenQuiet(app.get(Metrics), () => busyAnswers(graceful.openAnswers(), shares));
  return { app, address: app.get(PublicAddress).root, stopped };
}

/** Explains errors of `listen`. */
function explainListening(error: unknown, { host, port }: Config): unknown {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is in use by another program, perhaps another Gatefold. Stop it, or set GATEFOLD_PORT to a free port.`,
    EACCES: `This user may not listen on port ${port}. Set GATEFOLD_PORT to a port above 1023.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Set GATEFOLD_HOST to one of its addresses.`,
  };
  const sentence = sentences[errorCode(error)];
  return sentence === undefined ? error : new StartRefused(sentence, { cause: error });
}

/**
 * Handles signals instead of the framework, which would end the process before the embedded database has
 * stopped. A second signal ends it at once, the embedded database as well.
 *
 * With a time to drain, the process first answers that it is not ready, and continues to serve, so that
 * load balancers can remove it.
 */
function stopOnSignal(
  app: NestExpressApplication,
  graceful: GracefulServer,
  config: Config,
  started: Promise<void>,
  commands: CommandSocket | undefined,
): Promise<void> {
  const server = app.getHttpServer() as Server;
  const stillOpen = app.get(StillOpen);
  stillOpen.counts('requests', () => graceful.openAnswers());
  stillOpen.counts('commands', () => commands?.running ?? 0);
  return new Promise((resolve, reject) => {
    let stoppingSince: number | undefined;
    const stop = (signal: NodeJS.Signals) => {
      if (stoppingSince !== undefined) {
        if (Date.now() - stoppingSince > SAME_REQUEST_MS) {
          void endProcess(130);
        }
        return;
      }
      stoppingSince = Date.now();
      app.get(Readiness).drain();
      graceful.drain();
      if (config.drainSeconds === 0) {
        finish(signal);
        return;
      }
      logger.log(`${signal}: not ready any more; stopping in ${config.drainSeconds} s …`);
      setTimeout(finish, config.drainSeconds * 1000, signal);
    };
    const finish = (signal: NodeJS.Signals) => {
      logger.log(`${signal}: stopping …`);
      setTimeout(() => {
        logger.error(
          `Not stopped ${config.drainSeconds + config.shutdownSeconds} s after ${signal}. Ending now, with this unfinished: ` +
            stillOpen.describe(),
        );
        void endProcess(1);
      }, config.shutdownSeconds * 1000).unref();
      // Responses in progress may finish, but slow readers must not delay a restart.
      const lastAnswersSeconds = Math.max(1, config.shutdownSeconds - AFTER_LAST_ANSWERS_SECONDS);
      setTimeout(() => server.closeAllConnections(), lastAnswersSeconds * 1000).unref();
      const commandsEnd = commands?.stop(lastAnswersSeconds * 1000);
      // Done before streams end: their clients reconnect at once, and must reach another process.
      graceful
        .stopListening(lastAnswersSeconds * 1000)
        // They need the database, which closes.
        .then(() => Promise.allSettled([started]))
        .then(() => commandsEnd)
        .then(() => app.close())
        .then(resolve, reject);
    };
    (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).forEach((signal) => process.on(signal, stop));
  });
}

function greeting(address: string): string {
  return `
Gatefold listens at ${address}

  Open it in a browser, and log in with the user name and password of an account.

  Feed reader clients: enter this address as that of a Nextcloud server with the News app,
  and log in with the same user name and password.

  Try next:
    curl -u USER:PASSWORD ${address}/index.php/apps/news/api/v1-3/status
    npx gatefold user:add NAME       an account for somebody else
    npm run demo                     sample feeds to look around in
    Ctrl-C                           stops everything
`;
}

/** Empty unless this start has created an administrator with a generated password. */
function firstLogin(app: NestExpressApplication): string {
  const { created } = app.get(FirstAdministrator);
  return created === undefined
    ? ''
    : `
  This start has created the administrator "${created.userId}", who can log in
  with this password: ${created.password}
  It is not shown again. Settings → Security changes it.
`;
}
