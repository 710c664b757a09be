import {
  applyDecorators,
  Controller,
  createParamDecorator,
  UseFilters,
  UseGuards,
  type ExecutionContext,
  Catch,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { InScope } from '../../../common/auth/in-scope.decorator.js';
import { beginFailure } from '../../../common/errors/failure.js';
import { LimitReached } from '../../../common/errors/limit-reached.js';
import { StorageFull } from '../../../common/errors/storage-full.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { escapeXml } from '../dav-format/dav-xml.js';
import {
  FileNotFound,
  AlreadyExists,
  ConditionFailed,
  ContentStoreFull,
  FileLocked,
  IsFolder,
  LockNotFound,
  QuotaExceeded,
  TooManyFiles,
  TreeTooLarge,
  UnsupportedBody,
  UnsupportedReport,
} from '../files.errors.js';

interface DavFailure {
  readonly status: number;
  /** Class name in SabreDAV, which some clients check. */
  readonly exception: string;
  /** Precondition or postcondition code of RFC 4918. */
  readonly rule?: string;
}

type ErrorClass = abstract new (...args: never[]) => Error;

/** Errors whose status in WebDAV differs from the rest of the service. */
const FAILURES: readonly (readonly [ErrorClass, DavFailure])[] = [
  [AlreadyExists, { status: 405, exception: 'MethodNotAllowed' }],
  [IsFolder, { status: 405, exception: 'MethodNotAllowed' }],
  [ConditionFailed, { status: 412, exception: 'PreconditionFailed' }],
  [FileLocked, { status: 423, exception: 'Locked', rule: 'lock-token-submitted' }],
  [
    LockNotFound,
    {
      status: 409,
      exception: 'LockTokenMatchesRequestUri',
      rule: 'lock-token-matches-request-uri',
    },
  ],
  [QuotaExceeded, { status: 507, exception: 'InsufficientStorage', rule: 'quota-not-exceeded' }],
  [TooManyFiles, { status: 507, exception: 'InsufficientStorage', rule: 'quota-not-exceeded' }],
  [TreeTooLarge, { status: 403, exception: 'Forbidden', rule: 'propfind-finite-depth' }],
  [LimitReached, { status: 507, exception: 'InsufficientStorage' }],
  [StorageFull, { status: 507, exception: 'InsufficientStorage' }],
  [ContentStoreFull, { status: 507, exception: 'InsufficientStorage' }],
  [UnsupportedBody, { status: 415, exception: 'UnsupportedMediaType' }],
  [UnsupportedReport, { status: 415, exception: 'ReportNotSupported', rule: 'supported-report' }],
  [CredentialsRequired, { status: 401, exception: 'NotAuthenticated' }],
];

const EXCEPTION_OF_STATUS = new Map([
  [400, 'BadRequest'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [409, 'Conflict'],
  [412, 'PreconditionFailed'],
  [413, 'EntityTooLarge'],
  [416, 'RequestedRangeNotSatisfiable'],
  [429, 'TooManyRequests'],
  [501, 'NotImplemented'],
  [503, 'ServiceUnavailable'],
]);

/** Headers set before the failure, and wrong for the error response. */
const OF_CONTENT = ['Content-Disposition', 'ETag', 'OC-ETag', 'Last-Modified', 'OC-Checksum'];

/** Answers errors as the XML of SabreDAV, whose `s:message` file clients show to users. */
@Catch()
export class DavErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const failure = beginFailure(error, request, response);
    if (failure === null) {
      return;
    }
    const { status, exception, rule } = davFailureOf(error, failure.status);
    for (const header of OF_CONTENT) {
      response.removeHeader(header);
    }
    response
      .status(status)
      .type('application/xml; charset=utf-8')
      .send(
        '<?xml version="1.0" encoding="utf-8"?>\n' +
          '<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">' +
          `<s:exception>Sabre\\DAV\\Exception\\${exception}</s:exception>` +
          `<s:message>${escapeXml(failure.message)}</s:message>` +
          `${rule === undefined ? '' : `<d:${rule}/>`}</d:error>\n`,
      );
  }
}

/** Both mounts of a user's files. */
export const MOUNTS = ['remote.php/dav/files/:userId', 'remote.php/webdav'];

/** The mount and every path below it. */
export const EVERY_PATH = ['', '*path'];

/** A controller of users' files, which answers errors as clients of WebDAV read them. */
export function FilesController(path: string | string[]): ClassDecorator {
  return applyDecorators(
    Controller(path),
    UseFilters(DavErrorFilter),
    InScope('files'),
    UseGuards(BasicAuthGuard),
  );
}

/** A request below an address that names its user. */
export interface OwnRequest {
  readonly http: IdentifiedRequest;
  readonly account: Account;
}

/** Injects the `OwnRequest`. @throws FileNotFound at the address of another user */
export const Own = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp().getRequest<IdentifiedRequest>();
  const { account, params } = http;
  if (account === undefined || account.userId !== params['userId']) {
    throw new FileNotFound(String(params['userId']));
  }
  return { http, account } satisfies OwnRequest;
});

function davFailureOf(error: unknown, status: number): DavFailure {
  const known = FAILURES.find(([type]) => error instanceof type)?.[1];
  return known ?? { status, exception: EXCEPTION_OF_STATUS.get(status) ?? 'ServerError' };
}
