import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { UsersService } from '../../../src/platform/accounts/users/users.service.js';
import { NodesRepository } from '../../../src/platform/files/tree/nodes.repository.js';
import { deleteTrees } from '../../../src/platform/files/tree/nodes.sql.js';
import { TreeRemovals } from '../../../src/platform/files/tree/tree-removals.task.js';
import { DavClient, readDavError } from '../../support/dav-client.js';
import { startApp, type TestApp } from '../../support/start-app.js';
import { until } from '../../support/until.js';

/** More than one batch of the removal in the background. */
const LARGE = 2048;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({
    GATEFOLD_LIMITS: 'files-per-user=4500 files-per-request=2500',
    // What is deleted is gone; trash.spec.ts is about the trash.
    GATEFOLD_TRASH_DAYS: '0',
  });
});
afterAll(() => app.stop());

const newUser = async () => new DavClient(await app.signIn());

/**
 * A folder /large with this many folders in it and below, created by copying a folder into itself.
 */
async function makeLargeTree(ada: DavClient): Promise<void> {
  await ada.folder('/large');
  for (let nodes = 1; nodes < LARGE; nodes *= 2) {
    await ada.copy('/large', '/twin');
    await ada.move('/twin', `/large/${nodes}`);
  }
}

async function storedNodes(ada: DavClient): Promise<number> {
  const [row] = await app.database.query<{ nodes: number }>(
    `with recursive tree as (
       select id from file_node where user_id = $1 and parent_id is null
       union all select n.id from tree join file_node n on n.parent_id = tree.id
     ) select count(*)::int as nodes from tree`,
    [ada.user.credentials.userId],
  );
  return row?.nodes ?? 0;
}

async function countedNodes(ada: DavClient): Promise<number> {
  const [row] = await app.database.query<{ nodes: number }>(
    'select node_count as nodes from file_node where user_id = $1 and parent_id is null',
    [ada.user.credentials.userId],
  );
  return row?.nodes ?? 0;
}

describe('The number of nodes below a folder', () => {
  it('is updated by every kind of change', async () => {
    const ada = await newUser();
    await ada.folder('/a');
    await ada.folder('/a/b');
    await ada.put('/a/b/one.txt', '1');
    await ada.put('/a/b/one.txt', 'again');
    await ada.copy('/a', '/c');
    await ada.copy('/a', '/shallow', { depth: '0' });
    await ada.move('/c/b', '/a/c');
    await ada.copy('/a/b', '/a/c');
    await ada.remove('/c');
    await ada.put('/two.txt', '2');
    await ada.move('/two.txt', '/a/b/one.txt');

    expect(await countedNodes(ada)).toBe((await storedNodes(ada)) - 1);
    await ada.remove('/a');
    expect(await countedNodes(ada)).toBe(1);
  });
});

describe('A large folder', () => {
  it('cannot grow beyond the limit by copies into itself', async () => {
    const ada = await newUser();
    await makeLargeTree(ada);

    expect((await ada.copy('/large', '/second')).status).toBe(201);
    const full = await ada.copy('/large', '/third');

    expect(full.status).toBe(507);
    expect(readDavError(full).message).toMatch(/at most 4500 files and folders/);
    expect((await ada.names('/')).toSorted()).toEqual(['large/', 'second/']);
  });

  it('is rejected as a copy, a deep listing and an archive beyond the limit per request', async () => {
    const ada = await newUser();
    await makeLargeTree(ada);
    await ada.folder('/more');
    await ada.copy('/large/1024', '/more/x');
    await ada.move('/more', '/large/more');

    const answers = await Promise.all([
      ada.copy('/large', '/copy'),
      ada.call('PROPFIND', '/large', { headers: { depth: 'infinity' } }),
      ada.get('/large', { accept: 'application/zip' }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(answers[1]?.text).toContain('<d:propfind-finite-depth/>');
    expect((await ada.names('/large')).length).toBeGreaterThan(10);
    expect((await ada.move('/large', '/moved')).status).toBe(201);
  });

  it('disappears with the response, at every route, and is removed by the schedule', async () => {
    const ada = await newUser();
    await makeLargeTree(ada);
    await ada.put('/large/note.txt', 'n');
    await ada.patch(
      '/large/note.txt',
      '<d:set><d:prop><oc:favorite>1</oc:favorite></d:prop></d:set>',
    );
    const removals = app.inside(TreeRemovals);
    // As if the process ended with its response.
    const wake = jest.spyOn(removals, 'wake').mockReturnValue(undefined);

    expect((await ada.remove('/large')).status).toBe(204);

    expect(await ada.names('/')).toEqual([]);
    expect(await ada.property('/', 'oc:size')).toBe('0');
    const favorites = await ada.call('REPORT', '/', {
      body: `<oc:filter-files xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><oc:fileid/></d:prop><oc:filter-rules><oc:favorite>1</oc:favorite></oc:filter-rules></oc:filter-files>`,
    });
    expect(favorites.text).not.toContain('note.txt');
    expect((await ada.folder('/large')).status).toBe(201);

    wake.mockRestore();
    await removals.tick();
    const rows = await app.database.query(
      'select from file_node where user_id = $1 or user_id is null',
      [ada.user.credentials.userId],
    );
    // The top folder and the new one.
    expect(rows).toHaveLength(2);
  });

  it('does not block the deletion of its account', async () => {
    const ada = await newUser();
    const { userId } = ada.user.credentials;
    await makeLargeTree(ada);
    await ada.copy('/large', '/second');
    await ada.remove('/second');

    await app.inside(UsersService).delete(userId);

    expect((await ada.get('/')).status).toBe(401);
    expect(await app.database.query('select from file_node where user_id = $1', [userId])).toEqual(
      [],
    );
  });

  it('of a deleted account can be removed by two processes at the same time', async () => {
    const ada = await newUser();
    const { userId } = ada.user.credentials;
    await makeLargeTree(ada);
    // As if the process ended with its response.
    const wake = jest.spyOn(app.inside(TreeRemovals), 'wake').mockReturnValue(undefined);
    await ada.remove('/large');
    wake.mockRestore();

    let deletion: Promise<void> | undefined;
    await app.database.transaction(async (tx) => {
      const [removal] = await tx.query<{ rootId: number }>(
        'select root_id as "rootId" from file_removal where user_id = $1 for update',
        [userId],
      );
      deletion = app.inside(UsersService).delete(userId);
      await until('the deletion that waits', async () => {
        const [row] = await app.database.query<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return row?.waiting === 1;
      });
      await deleteTrees(tx, [removal?.rootId ?? 0]);
    });

    await deletion;
    const left = await app.database.query('select from file_removal where user_id = $1', [userId]);
    expect(left).toEqual([]);
  });
});

describe('Changes of the files of one user', () => {
  it('wait for one another, at most 400, also of clients that have left; those of others do not', async () => {
    const [ada, ben] = [await newUser(), await newUser()];
    const { userId } = ada.user.credentials;
    const nodes = app.inside(NodesRepository);
    const first = Promise.withResolvers<void>();
    const changes = Array.from({ length: 401 }, () => nodes.change(userId, () => first.promise));

    const refused = await ada.folder('/refused');
    const ofOther = await ben.folder('/folder');
    first.resolve();
    await Promise.all(changes);

    expect(refused.status).toBe(429);
    expect(readDavError(refused).message).toBe(
      'You already have 400 changes of files in progress; wait until one has finished.',
    );
    expect(ofOther.status).toBe(201);
    expect((await ada.folder('/folder')).status).toBe(201);
  });
});
