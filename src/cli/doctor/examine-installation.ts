import { NestFactory } from '@nestjs/core';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { AppModule } from '../../app.module.js';
import { InvalidConfiguration, type Config } from '../../common/config/config.js';
import { examineDisks } from '../../common/disk/disk-checks.js';
import { StartRefused } from '../../common/errors/start-refused.js';
import {
  InstallationChecks,
  type CheckFinding,
  type CheckedSubject,
} from '../../common/ports/installation-checks.js';
import { MailChecks } from '../../platform/installation/mail/mail.checks.js';
import { loadConfig } from '../../settings.js';
import { examineService } from './examine-service.js';

/**
 * Examines everything that can be examined. Starts, creates and changes nothing.
 *
 * @param mailTo address that a mail is sent to
 */
export async function examineInstallation(mailTo?: string): Promise<CheckedSubject[]> {
  let config: Config;
  try {
    config = loadConfig(process.env);
  } catch (error) {
    return [{ subject: 'Settings', findings: [faultOfSettings(error)] }];
  }
  return [
    { subject: 'Settings', findings: [{ state: 'ok', text: 'The settings are valid.' }] },
    { subject: 'Service', findings: [await examineService(config)] },
    ...(await examineRooms(config, mailTo)),
  ];
}

function faultOfSettings(error: unknown): CheckFinding {
  if (!(error instanceof InvalidConfiguration)) {
    throw error;
  }
  return { state: 'error', text: error.message, advice: 'See docs/configuration.md.' };
}

async function examineRooms(config: Config, mailTo?: string): Promise<CheckedSubject[]> {
  const missingKey = await faultOfKey(config);
  if (missingKey !== null) {
    // The application would make a new key.
    return withoutDatabase(config, [{ subject: 'Secrets', findings: [missingKey] }]);
  }
  try {
    const app = await NestFactory.create(AppModule.with(config, 'running'), {
      bodyParser: false,
      // The findings say it.
      logger: false,
      abortOnError: false,
    });
    try {
      const subjects = await app.get(InstallationChecks).run();
      return mailTo === undefined
        ? subjects
        : [
            ...subjects,
            { subject: 'Trial mail', findings: [await app.get(MailChecks).sendTrial(mailTo)] },
          ];
    } finally {
      await app.close();
    }
  } catch (error) {
    if (!(error instanceof StartRefused)) {
      throw error;
    }
    return withoutDatabase(config, [{ subject: 'Database', findings: [faultOf(config, error)] }]);
  }
}

/** An embedded database stops with its service, which is reported on its own. */
function faultOf({ databaseUrl, dataDir }: Config, error: StartRefused): CheckFinding {
  return databaseUrl === undefined
    ? {
        state: 'warning',
        text: error.message,
        advice: `Start the service. If it does not start, its log and ${path.join(dataDir, 'postgres/postgres.log')} say why.`,
      }
    : {
        state: 'error',
        text: error.message,
        advice: 'Check DATABASE_URL, the network to the server, and the log of the server.',
      };
}

async function withoutDatabase(
  config: Config,
  subjects: readonly CheckedSubject[],
): Promise<CheckedSubject[]> {
  return [
    ...subjects,
    { subject: 'Disk', findings: await examineDisks(config, [config.dataDir]) },
    {
      subject: 'Everything else',
      findings: [
        {
          state: 'warning',
          text: 'Feeds, jobs, apps, mail and sealed values cannot be examined without the database and its key.',
          advice: 'Solve the problems above, and run this again.',
        },
      ],
    },
  ];
}

async function faultOfKey({ secretKey, dataDir }: Config): Promise<CheckFinding | null> {
  if (secretKey !== undefined) {
    return null;
  }
  const file = path.join(dataDir, 'secret.key');
  return access(file).then(
    () => null,
    () => ({
      state: 'error',
      text: `There is no secret key: neither ${file} nor GATEFOLD_SECRET_KEY.`,
      advice:
        'The first start makes one. On an installation in use, run this as the user of the service, with its settings, or restore the key.',
    }),
  );
}
