import { Get } from '@nestjs/common';
import type { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { Input } from '../../common/http/input.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { UsersService } from './users.service.js';
import { SearchedFor } from './users.input.js';
import { Operation } from '../../common/contracts/operation.decorator.js';
import { UserCountAnswer } from './users.wire.js';

/** Number of accounts in the paged list, for administrators. */
@OcsController('apps/gatefold/api/v1/users/count', { guards: [BasicAuthGuard, AdminGuard] })
export class UserCountController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @Operation('Counts accounts.', UserCountAnswer)
  async count(@Input(SearchedFor) { search }: z.output<typeof SearchedFor>) {
    return { count: await this.users.count(search) };
  }
}
