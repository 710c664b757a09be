import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ExAppRoutesRepository } from '../../src/app-api/apps/routes/ex-app-routes.repository.js';
import type { CheckedSubject } from '../../src/common/ports/installation-checks.js';
import { json, knowApp, startExternalApp, type ExternalApp } from '../support/external-app.js';
import { startApp } from '../support/start-app.js';

const ROUTE = '/api/v1/setup_check';
const app = await startApp();
let external: ExternalApp;
const externals: ExternalApp[] = [];
beforeEach(async () => {
  await app.database.query('delete from ex_app');
  external = await startExternalApp(app, { appId: `checked-${externals.length}` });
  externals.push(external);
  await knowApp(app, external);
});
afterAll(async () => {
  await Promise.all(externals.map((each) => each.close()));
  await app.stop();
});

const register = () => external.as().ocs('POST', ROUTE);
const unregister = () => external.as().ocs('DELETE', ROUTE);

/** What the administration page and the doctor say about external apps. */
async function findings(): Promise<CheckedSubject['findings']> {
  const answer = await app.asAdmin().get('/ocs/v2.php/apps/gatefold/api/v1/checks?format=json', {
    headers: { 'ocs-apirequest': 'true' },
  });
  const { ocs } = answer.json as { ocs: { data: CheckedSubject[] } };
  return ocs.data.find(({ subject }) => subject === 'External apps')?.findings ?? [];
}

const answers = () => ({ state: 'ok', text: `${external.appId} 1.0.0 answers.` });

describe('setup checks', () => {
  it('are asked of an app that registered them, and its problems are shown by name', async () => {
    external.on(
      '/setup_checks',
      json({
        model: {
          status: 'Error',
          text: 'No\nmodel \u001b[2Jloaded',
          link_url: 'https://x.example/a',
        },
        disk: { status: 'warning', text: 'Little room', link_url: 'javascript:x', link_label: 'y' },
        gpu: { status: 'warning', link_url: 'http://x.example/', link_label: 'How to' },
        fine: { status: 'success', text: 'All right' },
        odd: 'warning',
      }),
    );

    expect(await findings()).toEqual([answers()]);
    expect(await register()).toMatchObject({ statuscode: 100, data: [] });

    const { appId } = external;
    expect(await findings()).toEqual([
      answers(),
      {
        state: 'error',
        text: `${appId}, model: No model \uFFFD[2Jloaded`,
        advice: 'https://x.example/a',
      },
      { state: 'warning', text: `${appId}, disk: Little room` },
      { state: 'warning', text: `${appId}, gpu: a problem.`, advice: 'How to http://x.example/' },
    ]);
    expect(await external.received('/setup_checks')).toMatchObject({ method: 'GET' });
  });

  it('end with the registration, of which there is one, and which may be missing', async () => {
    external.on('/setup_checks', json({ a: { status: 'error', text: 'Bad' } }));
    await register();
    await register();
    const [row] = await app.database.query<{ rows: number }>(
      `select count(*)::int as rows from ex_app_registration where kind = 'setup_check'`,
    );
    expect(row).toEqual({ rows: 1 });

    expect(await unregister()).toMatchObject({ statuscode: 100, data: [] });
    expect(await unregister()).toMatchObject({ statuscode: 100, data: [] });
    expect(await findings()).toEqual([answers()]);
  });

  it('that cannot be read are a warning, and 16 of too many are shown', async () => {
    await register();
    for (const body of [[], 'text', { a: 1 }]) {
      external.on('/setup_checks', json(body));
      const told = await findings();
      expect(told.slice(1).map(({ state }) => state)).toEqual(
        JSON.stringify(body) === '{"a":1}' ? [] : ['warning'],
      );
    }
    external.on('/setup_checks', json({}, 500));
    expect((await findings())[1]).toEqual({
      state: 'warning',
      text: `${external.appId} does not tell its setup checks: it answered 500`,
    });
    const many = Array.from({ length: 40 }, (_, n) => [`c${n}`, { status: 'error', text: 'Bad' }]);
    external.on('/setup_checks', json(Object.fromEntries(many)));
    expect(await findings()).toHaveLength(17);
  });

  it('are not asked of a disabled app, and closed to browsers', async () => {
    external.on('/setup_checks', json({}));
    const route = { url: '.*', verb: 'GET', accessLevel: 0 as const };
    const open = { ...route, headersToExclude: [], bruteforceStatuses: [] };
    await app.inside(ExAppRoutesRepository).replace(external.appId, [open]);
    const ask = async () =>
      (await app.asStranger().get(`/exapps/${external.appId}/setup_checks`)).status;

    expect(await ask()).toBe(200);
    await register();
    expect(await ask()).toBe(404);
    await app.database.query('update ex_app set enabled = false');
    expect(await findings()).toEqual([{ state: 'off', text: 'No app is enabled.' }]);
  });

  it('are registered by apps only', async () => {
    const ada = await app.signIn();

    expect((await ada.post(`/index.php/apps/app_api${ROUTE}`)).status).toBe(401);
    expect((await app.asStranger().post(`/index.php/apps/app_api${ROUTE}`)).status).toBe(401);
  });
});
