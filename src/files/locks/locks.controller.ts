import { Lock, Req, Res, Unlock } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { PublicAddress } from '../../common/http/public-address.js';
import type { Account } from '../../common/ports/user-directory.js';
import { InvalidDavRequest } from '../files.errors.js';
import { LocksService, type Locked } from './locks.service.js';
import { Address, hrefOf, type DavAddress } from '../dav/dav-address.js';
import { DavController, EVERY_PLACE } from '../dav/dav-controller.decorator.js';
import { childOf, DAV, innerXml, isNamed, readXml, type XmlElement } from '../dav/dav-xml.js';
import { Listing } from '../properties/listing.js';
import { activeLock, LOCK_TOKEN_SCHEME } from './lock-xml.js';
import { XML_HEAD } from '../dav/multistatus.js';
import {
  isShallow,
  readPreconditions,
  readLockSeconds,
  readLockToken,
} from '../dav/request-headers.js';

const LONGEST_OWNER_CHARACTERS = 4096;

/** Locks that programs take while they have a file open. */
@DavController()
export class LocksController {
  constructor(
    private readonly locks: LocksService,
    private readonly listing: Listing,
    private readonly publicAddress: PublicAddress,
  ) {}

  /** Without a body it lets a lock last longer. */
  @Lock(EVERY_PLACE)
  async lock(
    @CurrentUser() { userId }: Account,
    @Address() address: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const body = await readXml(request);
    const preconditions = readPreconditions(request, { userId, root: this.publicAddress.root });
    const timeoutSeconds = readLockSeconds(request);
    if (body === null) {
      const { path } = address;
      const locked = await this.locks.refresh(userId, path, timeoutSeconds, preconditions);
      this.#answer(response, address, locked);
      return;
    }
    const wanted = { isDeep: !isShallow(request), owner: readOwner(body), timeoutSeconds };
    const locked = await this.locks.lock(userId, address.path, wanted, preconditions);
    response.setHeader('Lock-Token', `<${LOCK_TOKEN_SCHEME}${locked.lock.token}>`);
    this.#answer(response, address, locked);
  }

  @Unlock(EVERY_PLACE)
  async unlock(
    @CurrentUser() { userId }: Account,
    @Address() { path }: DavAddress,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.locks.unlock(userId, path, readLockToken(request));
    response.status(204).end();
  }

  #answer(response: Response, address: DavAddress, { lock, isFolder, isNew }: Locked): void {
    const root = hrefOf(this.listing.prefix, address, isFolder);
    response
      .status(isNew ? 201 : 200)
      .type('application/xml; charset=utf-8')
      .send(
        `${XML_HEAD}<d:prop xmlns:d="DAV:"><d:lockdiscovery>${activeLock(lock, root)}` +
          '</d:lockdiscovery></d:prop>\n',
      );
  }
}

/** @throws InvalidDavRequest when another kind of lock is wanted than there is */
function readOwner(body: XmlElement): string {
  const scope = isNamed(body, DAV, 'lockinfo') ? childOf(body, DAV, 'lockscope') : null;
  if (scope === null || childOf(scope, DAV, 'exclusive') === null) {
    throw new InvalidDavRequest('The one kind of lock there is is an exclusive one for writing.');
  }
  const owner = childOf(body, DAV, 'owner');
  const xml = owner === null ? '' : innerXml(owner);
  if (xml.length > LONGEST_OWNER_CHARACTERS) {
    throw new InvalidDavRequest('The owner of a lock is told in 4096 characters at most.');
  }
  return xml;
}
