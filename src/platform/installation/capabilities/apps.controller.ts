import { UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { Get } from '../../../common/contracts/routes.js';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import { PartsAnswer } from './capabilities.wire.js';

/** Ids that programs look for. All are parts of the host. */
const PARTS = [
  'app_api',
  'dav',
  'files',
  'news',
  'notifications',
  'provisioning_api',
  'spreed',
  'theming',
] as const;

const PartFilter = z.object({ filter: z.string().nullish() });

/** Parts of the host as apps. External apps are listed by the gateway. */
@OcsController('cloud/apps')
export class AppsController {
  /** All are always enabled. */
  @Get('', 'Lists the parts of the host.', PartsAnswer)
  @UseGuards(AdminGuard)
  list(@Input(PartFilter) { filter }: In<typeof PartFilter>): { apps: readonly string[] } {
    return { apps: filter === 'disabled' ? [] : PARTS };
  }
}
