import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { hrefOf, type DavAddress } from '../dav-format/dav-address.js';
import { LocksRepository } from '../locks/locks.repository.js';
import { FilesService } from '../tree/files.service.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import type { StoredNode } from '../tree/nodes.sql.js';
import { TreeLimits } from '../tree/tree-limits.service.js';
import { nodeResponse } from './multistatus.js';
import { COUNTING_PROPERTIES, type PropertyContext, type ShownNode } from './properties.js';
import type { PropertyRequest } from './property-request.js';

/** Writes the `d:response` elements of a multistatus. */
@Injectable()
export class Listing {
  constructor(
    private readonly files: FilesService,
    private readonly nodes: NodesRepository,
    private readonly locks: LocksRepository,
    private readonly publicAddress: PublicAddress,
    private readonly treeLimits: TreeLimits,
    private readonly config: Config,
  ) {}

  /** The path of the installation, in front of every href; usually empty. */
  get prefix(): string {
    return this.publicAddress.path;
  }

  /**
   * A node and, if it is a folder, the given number of levels below it.
   *
   * @param levels Infinity for everything
   */
  async *of(
    account: Account,
    address: DavAddress,
    request: PropertyRequest,
    levels: number,
  ): AsyncGenerator<string, void, undefined> {
    const { node, path, ancestorIds, top } = await this.files.locate(account.userId, address.path);
    if (levels > 1) {
      this.treeLimits.assertWithinRequestLimit(node.nodeCount);
    }
    const context = await this.contextOf(account, address, top);
    const counts = request.names.some((name) => COUNTING_PROPERTIES.has(name));
    const counted = counts && node.isFolder ? { ...node, ...(await this.nodes.count(node)) } : node;
    const shown = { node: counted, path, ancestorIds };
    yield nodeResponse(shown, request, context);
    yield* this.#below(shown, levels, counts, request, context);
  }

  /** Page by page, depth first. */
  async *#below(
    { node: folder, path, ancestorIds }: ShownNode,
    levels: number,
    counts: boolean,
    request: PropertyRequest,
    context: PropertyContext,
  ): AsyncGenerator<string, void, undefined> {
    if (levels === 0 || !folder.isFolder) {
      return;
    }
    const folderIds = [...ancestorIds, folder.id];
    const folderHref = context.addressOf(path, true);
    for await (const members of this.nodes.members(folder, counts)) {
      let text = '';
      for (const node of members) {
        const shown = { node, path: [...path, node.name], ancestorIds: folderIds };
        const href = `${folderHref}${encodeURIComponent(node.name)}${node.isFolder ? '/' : ''}`;
        text += nodeResponse(shown, request, context, href);
        if (levels > 1 && node.isFolder) {
          yield text;
          text = '';
          yield* this.#below(shown, levels - 1, counts, request, context);
        }
      }
      yield text;
    }
  }

  /** Favorites in a folder and everywhere below. */
  async favorites(
    account: Account,
    address: DavAddress,
    request: PropertyRequest,
  ): Promise<string[]> {
    const { top } = await this.files.locate(account.userId, address.path);
    const context = await this.contextOf(account, address, top);
    const favorites = await this.files.favorites(account.userId, address.path);
    return favorites.map((node) => nodeResponse({ node, ...node }, request, context));
  }

  /** Facts shared by all nodes of one response. @param top the user's top folder */
  async contextOf(
    account: Account,
    { mount }: DavAddress,
    top: StoredNode,
  ): Promise<PropertyContext> {
    return {
      ownerName: account.displayName,
      instanceId: await this.files.instanceId(),
      hasPreviews: this.config.parts.has('files-extras'),
      roomLeftBytes: await this.files.roomLeftBytes(top),
      locks: await this.locks.list(account.userId),
      addressOf: (path, isFolder) => hrefOf(this.prefix, { mount, path }, isFolder),
    };
  }
}
