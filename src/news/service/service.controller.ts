import { Controller } from '@nestjs/common';
import { z } from 'zod';
import { Get } from '../../common/contracts/routes.js';
import { CurrentUser, Public } from '../../common/http/current-user.decorator.js';
import type { Account } from '../../common/ports/user-directory.js';
import { GATEFOLD_VERSION } from '../../common/version.js';
import { EVERY_LEVEL, NewsController } from '../http/levels.guard.js';
import { UpdaterService } from '../updater/updater.service.js';

const VersionAnswer = z.object({ version: z.string(), gatefold: z.string() });

const StatusAnswer = VersionAnswer.extend({
  warnings: z.object({ improperlyConfiguredCron: z.boolean(), incorrectDbCharset: z.boolean() }),
});

const ReaderAnswer = z.object({
  userId: z.string(),
  displayName: z.string(),
  lastLoginTimestamp: z.int().describe('Unix seconds.'),
  avatar: z.null(),
});

export const LevelsAnswer = z.object({ apiLevels: z.array(z.string()) });

/**
 * The version reported to clients, some of which refuse servers below 27.2.0. Gatefold's version is
 * an extra key.
 */
const COMPATIBILITY_VERSION = '28.7.0';

/** @see docs/spec/feed-reader-api.md "Version, status, user" */
@NewsController(EVERY_LEVEL, '')
export class ServiceController {
  constructor(private readonly updater: UpdaterService) {}

  @Get('version', 'Tells the version that clients expect, and that of Gatefold.', VersionAnswer)
  version() {
    return { version: COMPATIBILITY_VERSION, gatefold: GATEFOLD_VERSION };
  }

  @Get('status', 'Tells whether feeds are updated.', StatusAnswer)
  async status() {
    return {
      version: COMPATIBILITY_VERSION,
      gatefold: GATEFOLD_VERSION,
      warnings: {
        improperlyConfiguredCron: await this.updater.nobodyUpdates(),
        // The database is created as UTF-8 and refused at start when it is anything else.
        incorrectDbCharset: false,
      },
    };
  }

  @Get('user', 'Tells who the caller is.', ReaderAnswer)
  user(@CurrentUser() user: Account) {
    return {
      userId: user.userId,
      displayName: user.displayName,
      lastLoginTimestamp: user.lastLoginSeconds,
      avatar: null,
    };
  }
}

/** Clients read the levels here before they ask for credentials. */
@Controller('apps/news/api')
export class LevelsController {
  @Public()
  @Get('', 'Lists the levels of the API.', LevelsAnswer)
  levels() {
    return { apiLevels: ['v1-2', 'v1-3'] };
  }
}
