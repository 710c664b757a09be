import type { ApiClient } from './api-client.js';
import { NewsClient, ok } from './news-client.js';

interface GroupFeedJson {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly mandatory: boolean;
  readonly hasCredentials: boolean;
  readonly updateErrorCount: number;
}

interface GroupFolderJson {
  readonly id: number;
  readonly groupId: string;
  readonly name: string;
  readonly members: number;
  readonly editors: readonly string[];
  readonly feeds: readonly GroupFeedJson[];
}

interface GivenJson {
  readonly feedId: number;
  readonly folderId: number | null;
  readonly title: string;
  readonly folderName: string;
  readonly groupName: string;
  readonly mandatory: boolean;
  readonly own: boolean;
  readonly hidden: boolean;
}

/** Groups and their folders, as an administrator changes them. */
export class Groups {
  readonly news: NewsClient;

  constructor(private readonly app: { asAdmin(): ApiClient }) {
    this.news = new NewsClient(app.asAdmin(), 'v1-3');
  }

  async create(groupId: string, displayname = groupId): Promise<void> {
    await ok(this.#call('POST', 'groups', { groupid: groupId, displayname }));
  }

  async remove(groupId: string): Promise<void> {
    await ok(this.#call('DELETE', `groups/${groupId}`));
  }

  async rename(groupId: string, value: string): Promise<void> {
    await ok(this.#call('PUT', `groups/${groupId}`, { key: 'displayname', value }));
  }

  async enter(groupId: string, userId: string): Promise<void> {
    await ok(this.#call('POST', `users/${userId}/groups`, { groupid: groupId }));
  }

  async leave(groupId: string, userId: string): Promise<void> {
    await ok(this.#call('DELETE', `users/${userId}/groups`, { groupid: groupId }));
  }

  /** @returns the id of a new board */
  async createBoard(groupFolderId: number, name = 'Worth reading'): Promise<number> {
    return (await ok<{ id: number }>(this.news.post('/boards', { groupFolderId, name }))).id;
  }

  async createFolder(groupId: string, name: string): Promise<number> {
    const created = this.news.post('/admin/group-folders', { groupId, name });
    return (await ok<{ id: number }>(created)).id;
  }

  async folder(id: number): Promise<GroupFolderJson> {
    const { groupFolders } = await ok<{ groupFolders: GroupFolderJson[] }>(
      this.news.get('/group-folders'),
    );
    const folder = groupFolders.find((one) => one.id === id);
    if (folder === undefined) {
      throw new Error(`There is no folder ${id} of a group`);
    }
    return folder;
  }

  /** @returns the id of the entry */
  async add(id: number, url: string, more: object = {}): Promise<number> {
    await ok(this.news.post(`/group-folders/${id}/feeds`, { url, ...more }));
    const { feeds } = await this.folder(id);
    return feeds.find((feed) => feed.url === url)?.id ?? 0;
  }

  async edit(id: number, feedId: number, change: object): Promise<void> {
    await ok(this.news.call('PATCH', `/group-folders/${id}/feeds/${feedId}`, { json: change }));
  }

  async take(id: number, feedId: number): Promise<void> {
    await ok(this.news.delete(`/group-folders/${id}/feeds/${feedId}`));
  }

  async removeFolder(id: number): Promise<void> {
    await ok(this.news.delete(`/admin/group-folders/${id}`));
  }

  #call(method: string, path: string, json?: object) {
    return this.app.asAdmin().call(method, `/ocs/v2.php/cloud/${path}?format=json`, { json });
  }
}

/** What groups give to a client's user. */
export async function givenTo(news: NewsClient): Promise<readonly GivenJson[]> {
  return (await ok<{ feeds: GivenJson[] }>(news.get('/group-folders/given'))).feeds;
}
