import { Controller } from '@nestjs/common';
import { Get } from '../../common/contracts/routes.js';
import { Public } from '../../common/http/current-user.decorator.js';
import { LevelsAnswer } from './service.wire.js';

/** Clients look here for the levels before they ask for credentials. */
@Controller('apps/news/api')
export class LevelsController {
  @Public()
  @Get('', 'Lists the levels of the API.', LevelsAnswer)
  levels(): object {
    return { apiLevels: ['v1-2', 'v1-3'] };
  }
}
