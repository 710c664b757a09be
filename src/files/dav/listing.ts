import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../common/http/public-address.js';
import type { Account } from '../../common/ports/user-directory.js';
import { FilesService } from '../files.service.js';
import { LocksService } from '../locks.service.js';
import type { StoredNode } from '../store/nodes.repository.js';
import { hrefOf, type DavAddress } from './dav-address.js';
import { nodeResponse } from './multistatus.js';
import { COUNTING_PROPERTIES, type PropertyContext } from './properties.js';
import type { PropertyRequest } from './property-request.js';

/** Writes out what clients ask to know about nodes. */
@Injectable()
export class Listing {
  constructor(
    private readonly files: FilesService,
    private readonly locks: LocksService,
    private readonly publicAddress: PublicAddress,
  ) {}

  /** In front of every path: where the installation is, if not at the root of its host. */
  get prefix(): string {
    return new URL(this.publicAddress.root).pathname.replace(/\/$/, '');
  }

  /** A node, and what is directly in it when it is a folder and `withMembers`. */
  async *of(
    account: Account,
    address: DavAddress,
    request: PropertyRequest,
    withMembers: boolean,
  ): AsyncGenerator<string, void, undefined> {
    const { node, path, ancestorIds, top } = await this.files.locate(account.userId, address.path);
    const context = await this.#context(account, address, top);
    const counts = request.names.some((name) => COUNTING_PROPERTIES.has(name));
    const href = context.addressOf(path, node.isFolder);
    const counted = counts && node.isFolder ? { ...node, ...(await this.files.count(node)) } : node;
    let text = nodeResponse(href, { node: counted, path, ancestorIds }, request, context);
    if (!withMembers || !node.isFolder) {
      yield text;
      return;
    }
    const below = [...ancestorIds, node.id];
    for await (const members of this.files.members(node, counts)) {
      for (const member of members) {
        const shown = { node: member, path: [...path, member.name], ancestorIds: below };
        const memberHref = `${href}${encodeURIComponent(member.name)}${member.isFolder ? '/' : ''}`;
        text += nodeResponse(memberHref, shown, request, context);
      }
      yield text;
      text = '';
    }
    yield text;
  }

  /** What is marked as favorite in a folder or anywhere below. */
  async favorites(
    account: Account,
    address: DavAddress,
    request: PropertyRequest,
  ): Promise<string[]> {
    const { top } = await this.files.locate(account.userId, address.path);
    const context = await this.#context(account, address, top);
    const favorites = await this.files.favorites(account.userId, address.path);
    return favorites.map((node) => {
      const { path, ancestorIds } = node;
      const href = context.addressOf(path, node.isFolder);
      return nodeResponse(href, { node, path, ancestorIds }, request, context);
    });
  }

  async #context(
    account: Account,
    { mount }: DavAddress,
    top: StoredNode,
  ): Promise<PropertyContext> {
    return {
      ownerName: account.displayName,
      instanceId: await this.files.instanceId(),
      roomLeftBytes: this.files.roomLeftBytes(top),
      locks: await this.locks.list(account.userId),
      addressOf: (path, isFolder) => hrefOf(this.prefix, { mount, path }, isFolder),
    };
  }
}
