import {
  createParamDecorator,
  Injectable,
  type ExecutionContext,
  type PipeTransform,
} from '@nestjs/common';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import type { MoveRequest } from '../changes/file-changes.service.js';
import { readAddress, type DavAddress } from '../dav-format/dav-address.js';
import type { Preconditions } from '../locks/lock-check.service.js';
import type { FilePath } from '../tree/file-path.js';
import { readMoveRequest, readPreconditions } from './request-headers.js';

/** A request for a path below the mount of the caller's files. */
export class DavRequest {
  readonly userId: string;
  readonly path: FilePath;

  constructor(
    readonly http: IdentifiedRequest,
    readonly account: Account,
    readonly address: DavAddress,
    readonly root: string,
  ) {
    this.userId = account.userId;
    this.path = address.path;
  }

  readPreconditions(): Preconditions {
    return readPreconditions(this.http, this);
  }

  readMoveRequest(): MoveRequest {
    return readMoveRequest(this.http, this.path, this);
  }
}

@Injectable()
class DavRequestPipe implements PipeTransform<IdentifiedRequest, DavRequest> {
  constructor(private readonly publicAddress: PublicAddress) {}

  transform(request: IdentifiedRequest): DavRequest {
    const { account, path } = request;
    if (account === undefined) {
      throw new CredentialsRequired();
    }
    const address = readAddress(path, account.userId);
    return new DavRequest(request, account, address, this.publicAddress.root);
  }
}

const HttpRequest = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<IdentifiedRequest>(),
);

/** Injects the `DavRequest`. @throws FileNotFound for another user's files, InvalidDavRequest */
export const Dav = (): ParameterDecorator => HttpRequest(DavRequestPipe);
