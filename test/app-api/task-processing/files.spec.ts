import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import { OwnTasksService } from '../../../src/app-api/task-processing/consumers/own-tasks.service.js';
import { TaskScheduler } from '../../../src/app-api/task-processing/consumers/task-scheduler.service.js';
import { DiskSpace } from '../../../src/common/disk/disk-space.js';
import { FreeSpaceProbe } from '../../../src/common/disk/free-space-probe.js';
import { DavClient } from '../../support/dav-client.js';
import { knowApp, startExternalApp, toOcs, type ExternalApp } from '../../support/external-app.js';
import { aForm, SdkApp, SdkError, type SdkTask } from '../../support/sdk-app.js';
import { startApp, type TestApp, type TestUser } from '../../support/start-app.js';
import { until } from '../../support/until.js';

const ROOT = '/ocs/v2.php/taskprocessing';
const MIB = 1024 * 1024;

let gateway: TestApp;
let ada: TestUser;
let bob: TestUser;
let app: ExternalApp;
let other: ExternalApp;
let worker: SdkApp;

beforeAll(async () => {
  gateway = await startApp({
    GATEFOLD_LARGEST_TASK_FILE_MIB: '3',
    GATEFOLD_LIMITS: 'files-per-task=3',
  });
});
afterAll(() => gateway.stop());

beforeEach(async () => {
  [ada, bob] = [await gateway.signIn(), await gateway.signIn()];
  app = await startExternalApp(gateway, { appId: 'eyes' });
  other = await startExternalApp(gateway, { appId: 'ears' });
  await knowApp(gateway, app);
  await knowApp(gateway, other);
  worker = new SdkApp(app);
  await worker.register({ id: 'eyes:ocr', task_type: 'core:image2text:ocr' });
  await worker.register({ id: 'eyes:text2image', task_type: 'core:text2image' });
});
afterEach(async () => {
  for (const { appId, close } of [app, other]) {
    await close();
    await gateway.database.query('delete from ex_app where app_id = $1', [appId]);
  }
  await gateway.database.query('delete from processing_task');
});

async function fileOf(user: TestUser, name: string, content: string): Promise<number> {
  const dav = new DavClient(user);
  await dav.put(`/${name}`, content);
  return Number(await dav.property(`/${name}`, 'oc:fileid'));
}

async function call(user: TestUser, method: string, path: string, json?: object) {
  return toOcs(
    await user.call(method, `${ROOT}/${path}`, {
      query: { format: 'json' },
      ...(json && { json }),
    }),
  );
}

const read = (input: unknown, user = ada) =>
  call(user, 'POST', 'schedule', {
    type: 'core:image2text:ocr',
    appId: 'notes',
    input: { input },
  });

async function paint(user = ada): Promise<SdkTask> {
  await call(user, 'POST', 'schedule', {
    type: 'core:text2image',
    appId: 'notes',
    input: { input: 'the sea', numberOfImages: 2 },
  });
  return claimed();
}

async function claimed(): Promise<SdkTask> {
  const next = await worker.nextTask(
    ['eyes:ocr', 'eyes:text2image'],
    ['core:image2text:ocr', 'core:text2image'],
  );
  return next?.task ?? Promise.reject(new Error('There is no task.'));
}

const download = (user: TestUser, taskId: number, fileId: number, headers = {}) =>
  user.call('GET', `${ROOT}/tasks/${taskId}/file/${fileId}`, { headers });

const storedPieces = async () => {
  const rows = await gateway.database.query('select 1 from processing_task_file_piece');
  return rows.length;
};

describe('files of the input', () => {
  it('are read by the app that works on the task, with name and type, as bytes', async () => {
    const fileId = await fileOf(ada, 'Größe "1".txt', 'low tide');
    await read([String(fileId)]);
    const task = await claimed();
    expect(task.input).toEqual({ input: [fileId] });

    const file = await worker.download(task.id, fileId);

    expect([file.status, file.text]).toEqual([200, 'low tide']);
    expect(file.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '8',
      'x-content-type-options': 'nosniff',
    });
    expect(file.headers['content-disposition']).toMatch(/^attachment; filename=.*filename\*=UTF-8/);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['that does not exist', async () => 4_000_000],
    ['of another user', () => fileOf(bob, 'tide.txt', 'high')],
    [
      'that is a folder',
      async () => {
        const dav = new DavClient(ada);
        await dav.call('MKCOL', '/pictures');
        return Number(await dav.property('/pictures', 'oc:fileid'));
      },
    ],
    ['of no task', async () => 1_000_000_999_999],
  ])('are refused with 401: one %s', async (_which, fileId) => {
    const answer = await read([await fileOf(ada, 'own.txt', 'a'), await fileId()]);

    expect(answer).toMatchObject({ httpStatus: 401, data: { message: expect.any(String) } });
  });

  it('are read with the rights that the user has at that time', async () => {
    const fileId = await fileOf(ada, 'tide.txt', 'low');
    await read([fileId]);
    const task = await claimed();
    await new DavClient(ada).call('DELETE', '/tide.txt');

    await expect(worker.download(task.id, fileId)).rejects.toMatchObject({
      statusCode: 404,
      detail: { message: `The task has no file ${fileId}.` },
    });
  });

  it('are read by no other app, nor before a claim or after the end, nor others of the user', async () => {
    const [fileId, secret] = [
      await fileOf(ada, 'tide.txt', 'low'),
      await fileOf(ada, 'private.txt', 'secret'),
    ];
    const waiting = ((await read([fileId])).data as { task: SdkTask }).task;
    const denied = (sdk: SdkApp, file = fileId) =>
      expect(sdk.download(waiting.id, file)).rejects.toMatchObject({ statusCode: 404 });
    await denied(worker);
    const task = await claimed();

    await denied(new SdkApp(other));
    await denied(worker, secret);
    await worker.reportResult(task.id, { output: ['low'] });
    await denied(worker);
  });

  it('of a task without a user are refused', async () => {
    const fileId = await fileOf(ada, 'tide.txt', 'low');

    await expect(
      new SdkApp(other).ocs('POST', `${ROOT}/tasks_consumer/schedule`, {
        type: 'core:image2text:ocr',
        input: { input: [fileId] },
      }),
    ).rejects.toMatchObject({ statusCode: 401 });
  });

  it('may be results of the same user, not of another', async () => {
    const painted = await paint();
    const picture = await worker.uploadResultFile(painted.id, Buffer.from('picture'));
    await worker.reportResult(painted.id, { images: [picture] });

    expect((await read([picture], bob)).httpStatus).toBe(401);
    expect((await read([picture])).statuscode).toBe(200);
    const reading = await claimed();
    expect((await worker.download(reading.id, picture)).text).toBe('picture');
  });
});

describe('files of the result', () => {
  it('are uploaded before the result, and downloaded by the user', async () => {
    const task = await paint();
    const bytes = Buffer.alloc(2 * MIB + 100, 'sea ');
    const [first, second] = [
      await worker.uploadResultFile(task.id, bytes, 'sea.png'),
      await worker.uploadResultFile(task.id, Buffer.alloc(0), 'empty.png'),
    ];
    expect(first).toBeGreaterThanOrEqual(1_000_000_000_000);
    await worker.reportResult(task.id, { images: [first, second] });

    const shown = await call(ada, 'GET', `task/${task.id}`);
    expect(shown.data).toMatchObject({ task: { output: { images: [first, second] } } });
    const whole = await download(ada, task.id, first);
    expect([whole.status, whole.text === bytes.toString()]).toEqual([200, true]);
    expect(whole.headers['content-type']).toBe('image/png');
    expect((await download(ada, task.id, second)).text).toBe('');
    const part = await download(ada, task.id, first, { range: `bytes=${MIB - 2}-${MIB + 5}` });
    expect([part.status, part.text, part.headers['content-range']]).toEqual([
      206,
      bytes.subarray(MIB - 2, MIB + 6).toString(),
      `bytes ${MIB - 2}-${MIB + 5}/${bytes.length}`,
    ]);
    const beyond = await download(ada, task.id, first, { range: 'bytes=9999999-' });
    expect(beyond.status).toBe(416);
  });

  it('have the type of pictures without a name, as apps send them', async () => {
    const task = await paint();
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const fileId = await worker.uploadResultFile(task.id, png);
    await worker.reportResult(task.id, { images: [fileId] });

    expect((await download(ada, task.id, fileId)).headers['content-type']).toBe('image/png');
  });

  it('are answered with 201 in the envelope', async () => {
    const task = await paint();
    const { body, type } = aForm('file', 'sea.png', Buffer.from('sea'));

    const answer = await worker.request('POST', `${ROOT}/tasks_provider/${task.id}/file`, {
      body,
      type,
    });

    expect(answer.status).toBe(201);
    expect(toOcs(answer)).toMatchObject({ statuscode: 201, data: { fileId: expect.any(Number) } });
  });

  it('never run scripts in a browser, and keep no path in their names', async () => {
    const task = await paint();
    const html = Buffer.from('<script>alert(1)</script>');
    const fileId = await worker.uploadResultFile(task.id, html, '../../etc/page.html');
    await worker.reportResult(task.id, { images: [fileId] });

    const { headers } = await download(ada, task.id, fileId);

    expect(headers).toMatchObject({
      'content-disposition': expect.stringMatching(/^attachment; filename="?page.html"?$/),
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
    });
  });

  it('are downloaded by nobody else, and only with their task', async () => {
    const [task, another] = [await paint(), await paint()];
    const fileId = await worker.uploadResultFile(task.id, Buffer.from('sea'));
    await worker.reportResult(task.id, { images: [fileId] });

    expect((await download(bob, task.id, fileId)).status).toBe(404);
    expect((await download(ada, another.id, fileId)).json).toEqual({
      message: `The task has no file ${fileId}.`,
    });
    expect((await gateway.asStranger().get(`${ROOT}/tasks/${task.id}/file/${fileId}`)).status).toBe(
      401,
    );
  });

  it.each<[string, number, () => Promise<unknown>]>([
    [
      'by another app',
      404,
      async () => new SdkApp(other).uploadResultFile((await paint()).id, SEA),
    ],
    ['for an unknown task', 404, () => worker.uploadResultFile(9999, SEA)],
    [
      'after the end',
      404,
      async () => {
        const { id } = await paint();
        await worker.reportResult(id, null, 'no paint');
        return worker.uploadResultFile(id, SEA);
      },
    ],
    ['when larger than allowed', 400, async () => upload(Buffer.alloc(3 * MIB + 1))],
    ['in another part', 400, async () => raw(aForm('picture', 'a.png', SEA))],
    ['without a form', 400, async () => raw({ body: SEA, type: 'image/png' })],
    ['without a boundary', 400, async () => raw({ body: SEA, type: 'multipart/form-data' })],
    [
      'when the form is cut off',
      400,
      async () => {
        const { body, type } = aForm('file', 'a.png', Buffer.alloc(2 * MIB));
        return raw({ body: body.subarray(0, MIB + 5000), type });
      },
    ],
  ])('are refused %s, with %i and JSON, and nothing is kept', async (_when, status, attempt) => {
    const error = await attempt().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(SdkError);
    expect((error as SdkError).statusCode).toBe(status);
    expect((error as SdkError).detail).toMatchObject({
      ocs: { data: { message: expect.any(String) } },
    });
    expect(await storedPieces()).toBe(0);
    expect(await gateway.database.query('select 1 from processing_task_file')).toEqual([]);
  });

  it('leave nothing when the app disconnects meanwhile', async () => {
    const task = await paint();
    const { body, type } = aForm('file', 'a.png', Buffer.alloc(2 * MIB));
    const request = http.request(`${gateway.url}${ROOT}/tasks_provider/${task.id}/file`, {
      method: 'POST',
      headers: {
        'ex-app-id': app.appId,
        'ex-app-version': app.version,
        'authorization-app-api': Buffer.from(`:${app.secret}`).toString('base64'),
        'content-type': type,
        'content-length': body.length,
      },
    });
    request.on('error', () => {});
    request.write(body.subarray(0, MIB + 5000));
    await until('a piece of the file', async () => (await storedPieces()) > 0);

    request.destroy();

    await until('the pieces to be deleted', async () => (await storedPieces()) === 0);
    expect(await gateway.database.query('select 1 from processing_task_file')).toEqual([]);
  });

  it('are at most three of a task', async () => {
    const task = await paint();
    const uploads = await Promise.allSettled(
      Array.from({ length: 5 }, () => worker.uploadResultFile(task.id, SEA)),
    );

    expect(uploads.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(uploads.filter(({ status }) => status === 'rejected')).toEqual(
      Array(2).fill(
        expect.objectContaining({ reason: expect.objectContaining({ statusCode: 429 }) }),
      ),
    );
  });

  it('are refused with 507 when the disk is nearly full', async () => {
    const task = await paint();
    const probe = gateway.inside(FreeSpaceProbe);
    const disk = gateway.inside(DiskSpace);
    const measure = probe.measure.bind(probe);
    probe.measure = async () => ({ freeBytes: 0, totalBytes: 100 * 1024 ** 3 });
    disk.cachedMs = 0;
    try {
      await expect(worker.uploadResultFile(task.id, SEA)).rejects.toMatchObject({
        statusCode: 507,
      });
    } finally {
      probe.measure = measure;
      await disk.checkLow();
      disk.cachedMs = 1000;
    }
  });

  it('go with their task, also those that no output names', async () => {
    const task = await paint();
    await worker.uploadResultFile(task.id, SEA);
    await worker.reportResult(task.id, { images: [await worker.uploadResultFile(task.id, SEA)] });
    expect(await storedPieces()).toBe(2);

    await call(ada, 'DELETE', `task/${task.id}`);

    expect(await storedPieces()).toBe(0);
  });
});

describe('uploads of the service itself', () => {
  const scheduler = () => gateway.inside(TaskScheduler);
  const request = () => ({
    typeId: 'core:image2text:ocr',
    input: {},
    userId: ada.credentials.userId,
    consumer: 'news',
  });
  const upload_ = (bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) => ({
    input: { filename: 'page.png', mime: 'image/png', bytes },
  });

  it('are part of the input once they are complete', async () => {
    const bytes = [Buffer.alloc(MIB, 'a'), Buffer.alloc(10, 'b')];

    const scheduled = await scheduler().schedule({ ...request(), uploads: upload_(bytes) });

    const task = await claimed();
    expect(task).toMatchObject({ id: scheduled.id, input: scheduled.input });
    const [fileId] = task.input['input'] as number[];
    expect((await worker.download(task.id, fileId)).text).toBe(Buffer.concat(bytes).toString());
    expect((await worker.download(task.id, fileId)).headers['content-type']).toBe('image/png');
  });

  it('are not claimed, listed or cancelled before, and leave nothing when they fail', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(MIB);
      expect(await gateway.database.query('select state from processing_task')).toEqual([
        { state: 'uploading' },
      ]);
      await expect(claimed()).rejects.toThrow('no task');
      expect((await call(ada, 'GET', 'tasks')).data).toEqual({ tasks: [] });
      throw new Error('the line went dead');
    }

    await expect(
      scheduler().schedule({ ...request(), uploads: upload_(broken()) }),
    ).rejects.toThrow('the line went dead');

    expect(await gateway.database.query('select 1 from processing_task')).toEqual([]);
    expect(await storedPieces()).toBe(0);
  });

  it('that a stopped process left are swept after an hour', async () => {
    await gateway.database.query(
      `insert into processing_task (type, state, user_id, consumer, input, deadline_at, scheduled_at)
       values ('a', 'uploading', 'ada', 'news', '{}', now(), now() - interval '59 minutes'),
              ('b', 'uploading', 'ada', 'news', '{}', now(), now() - interval '61 minutes')`,
    );

    await gateway.inside(OwnTasksService).tidy();

    expect(await gateway.database.query('select type from processing_task')).toEqual([
      { type: 'a' },
    ]);
  });
});

const SEA = Buffer.from('sea');

async function upload(bytes: Buffer): Promise<number> {
  return worker.uploadResultFile((await paint()).id, bytes);
}

/** Rejects like the SDK. */
async function raw(form: { readonly body: Buffer; readonly type: string }): Promise<void> {
  const task = await paint();
  const answer = await worker.request('POST', `${ROOT}/tasks_provider/${task.id}/file`, form);
  if (answer.status >= 400) {
    throw new SdkError(answer.status, answer.json);
  }
}
