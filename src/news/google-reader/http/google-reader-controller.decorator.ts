import {
  applyDecorators,
  Controller,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Public } from '../../../common/http/current-user.decorator.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { RequestingClientInterceptor } from '../../http/requesting-client.interceptor.js';
import { AnswerDateInterceptor } from './answer-date.interceptor.js';
import { GoogleLoginGuard } from './google-login.guard.js';
import { PlainErrorFilter } from './plain-error.filter.js';

/**
 * Where the routes are, after the edge has removed the path prefix. Clients with an account type
 * "FreshRSS" append `/api/greader.php` to the address of the service, also where it is there already.
 */
const GOOGLE_READER_ROOTS = ['', 'api/greader.php/', 'api/greader.php/api/greader.php/'];

const API = 'reader/api/0';

/** Paths of the routes below each root. */
export function belowEachRoot(path: string): string[] {
  return GOOGLE_READER_ROOTS.map((root) => root + path);
}

/** A controller of the Google Reader API: each route asks for a token, and answers errors as text. */
export function GoogleReaderController(path = API): ClassDecorator {
  return applyDecorators(
    Controller(belowEachRoot(path)),
    InScope('reader'),
    UseGuards(GoogleLoginGuard),
    UseFilters(PlainErrorFilter),
    UseInterceptors(AnswerDateInterceptor, RequestingClientInterceptor),
  );
}

/** A controller of it that asks for nothing. */
export function OpenGoogleReaderController(paths: readonly string[]): ClassDecorator {
  return applyDecorators(
    Controller(paths.flatMap((path) => belowEachRoot(path))),
    Public(),
    UseFilters(PlainErrorFilter),
  );
}
