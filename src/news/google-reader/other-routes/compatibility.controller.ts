import { Controller, Header, UseFilters, UseGuards } from '@nestjs/common';
import { Get } from '../../../common/contracts/routes.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { GoogleLoginGuard } from '../http/google-login.guard.js';
import { PlainErrorFilter } from '../http/plain-error.filter.js';
import { Media } from '../../../common/contracts/operation.decorator.js';

/** FreshRSS has these below its path; people and clients try them to see whether an address is right. */
@Controller('api/greader.php')
@InScope('reader')
@UseFilters(PlainErrorFilter)
export class CompatibilityController {
  @Get('', 'Tells that the address is right.', new Media('text/plain', '`OK`'))
  @Public()
  @Header('Content-Type', 'text/plain; charset=utf-8')
  greet(): string {
    return 'OK';
  }

  @Get(
    'check/compatibility',
    'Tells that the address and the token are right.',
    new Media('text/plain', '`PASS`'),
  )
  @UseGuards(GoogleLoginGuard)
  @Header('Content-Type', 'text/plain; charset=utf-8')
  check(): string {
    return 'PASS';
  }
}
