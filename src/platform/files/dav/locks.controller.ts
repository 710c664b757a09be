import { Lock, Res, Unlock } from '@nestjs/common';
import type { Response } from 'express';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { UploadsService } from '../changes/uploads.service.js';
import { hrefOf } from '../dav-format/dav-address.js';
import {
  childOf,
  DAV,
  innerXml,
  isNamed,
  readXml,
  type XmlElement,
} from '../dav-format/dav-xml.js';
import { InvalidDavRequest } from '../files.errors.js';
import { LocksService, type Locked } from '../locks/locks.service.js';
import { Listing } from '../properties/listing.service.js';
import { XML_HEAD } from '../properties/multistatus.js';
import { activeLock, LOCK_TOKEN_SCHEME } from '../properties/properties.js';
import { Dav, type DavRequest } from './dav-request.service.js';
import { EVERY_PATH, FilesController, MOUNTS } from './files-controller.decorator.js';
import { isShallow, readLockSeconds, readLockToken } from './request-headers.js';

const MAX_OWNER_CHARACTERS = 4096;

/** `LOCK` and `UNLOCK`. */
@FilesController(MOUNTS)
export class LocksController {
  constructor(
    private readonly locks: LocksService,
    private readonly uploads: UploadsService,
    private readonly listing: Listing,
  ) {}

  /** A request without a body renews a lock. */
  @Lock(EVERY_PATH)
  async lock(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    const { userId, path } = dav;
    const body = await readXml(dav.http);
    const preconditions = dav.readPreconditions();
    const timeoutSeconds = readLockSeconds(dav.http);
    if (body === null) {
      const locked = await this.locks.refresh(userId, path, timeoutSeconds, preconditions);
      this.#answer(response, dav, locked);
      return;
    }
    const wanted = { isDeep: !isShallow(dav.http), owner: readOwner(body), timeoutSeconds };
    const isNew = await this.uploads.createMissing(userId, path, preconditions);
    const locked = await this.locks.lock(userId, path, wanted, preconditions);
    response.setHeader('Lock-Token', `<${LOCK_TOKEN_SCHEME}${locked.lock.token}>`);
    response.status(isNew ? 201 : 200);
    this.#answer(response, dav, locked);
  }

  @Unlock(EVERY_PATH)
  @WorksOnFullDisk()
  async unlock(@Dav() dav: DavRequest, @Res() response: Response): Promise<void> {
    await this.locks.unlock(dav.userId, dav.path, readLockToken(dav.http));
    response.status(204).end();
  }

  #answer(response: Response, { address }: DavRequest, { lock, isFolder }: Locked): void {
    const root = hrefOf(this.listing.prefix, address, isFolder);
    response
      .type('application/xml; charset=utf-8')
      .send(
        `${XML_HEAD}<d:prop xmlns:d="DAV:"><d:lockdiscovery>${activeLock(lock, root)}` +
          '</d:lockdiscovery></d:prop>\n',
      );
  }
}

/** @throws InvalidDavRequest for any lock but an exclusive write lock */
function readOwner(body: XmlElement): string {
  const scope = isNamed(body, DAV, 'lockinfo') ? childOf(body, DAV, 'lockscope') : null;
  if (scope === null || childOf(scope, DAV, 'exclusive') === null) {
    throw new InvalidDavRequest('Only exclusive write locks are supported.');
  }
  const owner = childOf(body, DAV, 'owner');
  const xml = owner === null ? '' : innerXml(owner);
  if (xml.length > MAX_OWNER_CHARACTERS) {
    throw new InvalidDavRequest(
      `The owner of a lock has at most ${MAX_OWNER_CHARACTERS} characters.`,
    );
  }
  return xml;
}
