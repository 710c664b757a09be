import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppsRepository } from '../../src/app-api/apps/ex-apps.repository.js';
import { ExAppLog } from '../../src/app-api/apps/log/ex-app-log.service.js';
import { RegistrationsRepository } from '../../src/app-api/capabilities/registrations.repository.js';
import type { FileActionFields } from '../../src/app-api/file-actions/file-action.js';
import {
  FileNodesOffer,
  type FileNode,
  type FileNodes,
} from '../../src/common/ports/file-nodes.js';
import {
  json,
  knowApp,
  startExternalApp,
  toOcs,
  type ExternalApp,
} from '../support/external-app.js';
import { startApp, type TestApp, type TestUser } from '../support/start-app.js';

const ROOT = '/ocs/v2.php/apps/app_api/api/v1/files-actions';

/** Files of users, kept in memory. */
class FilesInMemory implements FileNodes {
  readonly #nodes = new Map<string, FileNode[]>();

  add(node: FileNode): void {
    this.#nodes.set(node.userId, [...(this.#nodes.get(node.userId) ?? []), node]);
  }

  async find(userId: string, fileIds: readonly number[]): Promise<FileNode[]> {
    const nodes = this.#nodes.get(userId) ?? [];
    return fileIds.flatMap((id) => nodes.find(({ fileId }) => fileId === id) ?? []);
  }

  async hasFolder(): Promise<boolean> {
    return false;
  }
}

function aNode(fileId: number, change: Partial<FileNode> = {}): FileNode {
  return {
    fileId,
    name: `file-${fileId}`,
    directory: '/',
    etag: `etag-${fileId}`,
    mime: 'text/plain',
    fileType: 'file',
    mtimeSeconds: 1_700_000_000.5,
    sizeBytes: 12,
    favorite: false,
    // All permissions of a file.
    permissions: 27,
    userId: 'ada',
    instanceId: 'instance-1',
    ...change,
  };
}

let app: TestApp;
let ada: TestUser;
let external: ExternalApp;
beforeAll(async () => {
  app = await startApp();
  ada = await app.signInOnce('ada');
  const files = new FilesInMemory();
  files.add(aNode(1, { mime: 'image/png', name: 'a.png', directory: '/Pictures', favorite: true }));
  files.add(aNode(2, { mime: 'video/mp4' }));
  files.add(aNode(3));
  files.add(aNode(4, { fileType: 'dir', mime: 'httpd/unix-directory', permissions: 31 }));
  files.add(
    aNode(5, { permissions: 1, share: { ownerName: 'Bob B', ownerId: 'bob', permissions: 1 } }),
  );
  files.add(aNode(9, { userId: 'bob' }));
  app.inside(FileNodesOffer).fill(files);
  external = await startExternalApp(app, { appId: 'tools' });
  await knowApp(app, external);
});
beforeEach(() => app.database.query('delete from ex_app_registration'));
afterAll(async () => {
  await external.close();
  await app.stop();
});

const fieldsOf = (name: string): FileActionFields => ({
  name,
  displayName: `Do ${name}`,
  actionHandler: name,
  icon: '',
  mime: 'file',
  permissions: 31,
  order: 0,
  version: '2.0',
});

async function register(name: string, change: Partial<FileActionFields> = {}): Promise<void> {
  const fields = { ...fieldsOf(name), ...change };
  await app.inside(RegistrationsRepository).save('tools', 'file_action', name, fields);
}

const invoke = async (name: string, fileIds: unknown, user = ada) =>
  toOcs(await user.call('POST', `${ROOT}/tools/${name}?format=json`, { json: { fileIds } }));

const offered = async (...fileIds: number[]) => {
  const path = `${ROOT}?format=json&fileIds=${fileIds.join(',')}`;
  return (toOcs(await ada.get(path)).data as { name: string }[]).map(({ name }) => name);
};

describe('POST files-actions/{appId}/{name}', () => {
  it('[G71] posts each node separately to an action of version 1', async () => {
    await register('each', { version: '1.0' });
    external.on('/each', json({ redirect_handler: 'ignored' }));

    const { data } = await invoke('each', [1, 2]);

    const bodies = external.requests('/each').map(({ body }) => JSON.parse(body.toString()));
    expect(bodies).toEqual([
      expect.objectContaining({ fileId: 1 }),
      expect.objectContaining({ fileId: 2 }),
    ]);
    expect(data).toEqual({});
  });

  it('[G72] posts all nodes together to an action of version 2', async () => {
    await register('together');
    external.on('/together', json({}));

    await invoke('together', [2, 1]);

    expect(external.requests('/together')).toHaveLength(1);
    const received = await external.received('/together');
    expect(received).toMatchObject({ method: 'POST', userId: 'ada', authenticated: true });
    expect(JSON.parse(received.body.toString())).toEqual({
      files: [expect.objectContaining({ fileId: 2 }), expect.objectContaining({ fileId: 1 })],
    });
  });

  it('[G73] describes a node as SDKs expect', async () => {
    await register('describe', { version: '1.0', permissions: 1 });
    external.on('/describe', json({}));

    await invoke('describe', [1, 5]);

    const [own, shared] = external
      .requests('/describe')
      .map(({ body }) => JSON.parse(body.toString()) as unknown);
    expect(own).toEqual({
      fileId: 1,
      name: 'a.png',
      directory: '/Pictures',
      etag: 'etag-1',
      mime: 'image/png',
      fileType: 'file',
      mtime: 1_700_000_000,
      size: 12,
      favorite: 'true',
      permissions: 27,
      userId: 'ada',
      instanceId: 'instance-1',
      shareOwner: null,
      shareOwnerId: null,
      shareTypes: null,
      shareAttributes: null,
      sharePermissions: null,
    });
    expect(shared).toMatchObject({
      favorite: 'false',
      shareOwner: 'Bob B',
      shareOwnerId: 'bob',
      sharePermissions: 1,
    });
  });

  it('[G74] answers with the redirect of the app, with the file ids', async () => {
    await register('go');
    external.on('/go', json({ redirect_handler: 'menu/sub/page' }));

    const { data } = await invoke('go', [1, 2]);

    expect(data).toEqual({
      redirect: '/index.php/apps/app_api/embedded/tools/menu/sub/page?fileIds=1,2',
    });
  });

  it('[G74] keeps a query of the app, and allows no redirect out of its pages', async () => {
    await register('query');
    external.on('/query', json({ redirect_handler: '/menu?tab=2' }));
    await register('out');
    external.on('/out', json({ redirect_handler: '../../other' }));

    expect((await invoke('query', [1])).data).toEqual({
      redirect: '/index.php/apps/app_api/embedded/tools/menu?tab=2&fileIds=1',
    });
    expect((await invoke('out', [1])).data).toEqual({});
  });

  it('accepts a response that is not JSON', async () => {
    await register('plain');
    external.on('/plain', (_request, response) => {
      response.end('done');
    });

    expect(await invoke('plain', [1])).toMatchObject({ statuscode: 200, data: {} });
  });

  it('lists the failures after trying every node', async () => {
    await register('fails', { version: '1.0' });
    external.on('/fails', ({ body }, response) => {
      response.writeHead(body.includes('"fileId":1') ? 500 : 200).end();
    });

    const { statuscode, message } = await invoke('fails', [1, 2]);

    expect(statuscode).toBe(503);
    expect(message).toContain('a.png: The app answered with status 500.');
    expect(message).not.toContain('file-2');
    expect(external.requests('/fails')).toHaveLength(2);
  });

  it('tells the user nothing internal about an app that is down, and the log of the app all', async () => {
    const down = await startExternalApp(app, { appId: 'down' });
    await knowApp(app, down);
    await app.inside(RegistrationsRepository).save('down', 'file_action', 'do_it', {
      ...fieldsOf('do_it'),
      displayName: 'Do it',
    });
    await down.close();

    const { statuscode, message } = toOcs(
      await ada.post(`${ROOT}/down/do_it?format=json`, { fileIds: [1] }),
    );

    expect(statuscode).toBe(503);
    expect(message).toMatch(
      /^The action "Do it" of the app ".+" failed. The app ".+" does not answer/,
    );
    expect(message).not.toMatch(/127\.0\.0\.1|localhost|http|do_it/);
    await app.inside(ExAppLog).written();
    const [line] = await app.inside(ExAppLog).recent('down', 1);
    expect(line?.message).toContain(`POST ${down.baseUrl}/do_it`);
  });

  it('refuses actions that do not apply, files of others, and unknown apps', async () => {
    await register('images', { mime: 'image' });

    expect((await invoke('images', [1, 2])).statuscode).toBe(404);
    expect((await invoke('unknown', [1])).statuscode).toBe(404);
    expect((await invoke('images', [9])).statuscode).toBe(404);
    expect(
      toOcs(await ada.post(`${ROOT}/nobody/images?format=json`, { fileIds: [1] })),
    ).toMatchObject({ statuscode: 404, message: 'ExApp `nobody` not found' });
    expect(external.requests('/images')).toEqual([]);
  });

  it('refuses actions of disabled apps', async () => {
    await register('asleep');
    const apps = app.inside(ExAppsRepository);
    await apps.setEnabled('tools', false);

    const { statuscode } = await invoke('asleep', [1]);
    const shown = await offered(1);
    await apps.setEnabled('tools', true);

    expect(statuscode).toBe(503);
    expect(shown).toEqual([]);
    expect(external.requests('/asleep')).toEqual([]);
  });

  it('requires a user and file ids', async () => {
    await register('any');

    expect((await app.asStranger().post(`${ROOT}/tools/any`, { fileIds: [1] })).status).toBe(401);
    expect((await invoke('any', [])).statuscode).toBe(400);
    expect((await invoke('any', ['x'])).message).toContain('fileIds');
  });
});

describe('GET files-actions', () => {
  it('[G75] includes an action if the type of every file contains one of its parts', async () => {
    await register('media', { mime: 'image/png, video' });

    expect(await offered(1)).toEqual(['media']);
    expect(await offered(1, 2)).toEqual(['media']);
    expect(await offered(1, 3)).toEqual([]);
    expect(await offered(3)).toEqual([]);
  });

  it('[G75] matches "file" with every file, and no folder', async () => {
    await register('files');
    await register('folders', { mime: 'directory' });

    expect(await offered(1, 2, 3)).toEqual(['files']);
    expect(await offered(4)).toEqual(['folders']);
    expect(await offered(1, 4)).toEqual([]);
  });

  it('includes an action if the nodes have all permissions it requires', async () => {
    await register('reads', { permissions: 1 });
    await register('writes', { permissions: 3 });

    expect(await offered(5)).toEqual(['reads']);
    expect(await offered(3)).toEqual(['reads', 'writes']);
  });

  it('says which action a click on a file runs, as the app registered it', async () => {
    const tell = async (defaultAction: unknown) => {
      await external.as().ocs('POST', '/api/v2/ui/files-actions-menu', {
        json: { name: 'edit', displayName: 'Edit', actionHandler: 'edit', defaultAction },
      });
      const query = `${ROOT}?format=json&fileIds=1`;
      const read = { query: { name: 'edit' } };
      const stored = await external.as().ocs('GET', '/api/v1/ui/files-actions-menu', read);
      return [toOcs(await ada.get(query)).data, stored.data];
    };
    const edit = { appId: 'tools', name: 'edit', displayName: 'Edit', icon: '' };

    for (const on of [true, 1, '1']) {
      expect(await tell(on)).toEqual([
        [{ ...edit, isDefault: true }],
        expect.objectContaining({ default_action: 1 }),
      ]);
    }
    for (const off of [false, 0, null, undefined, {}]) {
      expect(await tell(off)).toEqual([
        [edit],
        expect.not.objectContaining({ default_action: expect.anything() }),
      ]);
    }
  });

  it('sorts by order, then by registration', async () => {
    await register('last', { order: 5 });
    await register('b', { order: 0 });
    await register('a', { order: 0 });
    await register('first', { order: -1 });

    expect(await offered(1)).toEqual(['first', 'b', 'a', 'last']);
  });
});
