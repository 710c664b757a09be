import { startExternalApp, type ExternalApp } from './external-app.js';
import { expect, expectAccessible, test } from './fixtures.js';
import { articlesOf, publishFeed, subscribe } from './reader-feeds.js';
import type { Service } from './service.js';

const APP = 'assistant';
const PHONE = { width: 390, height: 844 };
/** Placeholder for the audio of an episode. */
const SOUND = 'hello, hello';

/** The app's result of a task; null leaves it pending. */
type Work = (task: { readonly text?: string; readonly prompt?: string }) => string | null;

async function anAssistant(service: Service, work: Work): Promise<ExternalApp> {
  const report = (kind: string, taskId: number, result: string) =>
    app.announce(
      `/ai_provider/${kind}`,
      { taskId, result, error: result === 'no' ? 'I am too tired.' : '' },
      'PUT',
    );
  const working =
    (kind: string) =>
    ({ body }: { body: string }, response: { end(text: string): void }): void => {
      response.end('{}');
      const task = JSON.parse(body) as { task_id: number; text?: string; prompt?: string };
      const result = work(task);
      if (result !== null) {
        void report(kind, task.task_id, result);
      }
    };
  const app = await startExternalApp(service, APP, {
    'POST /translate': working('translation'),
    'POST /summary': working('text_processing'),
    'POST /topics': working('text_processing'),
    'POST /listen': ({ path, body }, response) => {
      response.end('{}');
      const taskId = Number(new URLSearchParams(path.split('?')[1]).get('task_id'));
      void report('speech_to_text', taskId, body.includes(SOUND) ? 'It said hello.' : 'Noise.');
    },
  });
  await app.announce('/ai_provider/translation', {
    name: 'translator',
    displayName: 'Translator',
    fromLanguages: { en: 'English', de: 'German', fr: 'French' },
    toLanguages: { en: 'English', de: 'German', fr: 'French' },
    actionHandler: '/translate',
    actionDetectLang: '',
  });
  for (const taskType of ['summary', 'topics']) {
    await app.announce('/ai_provider/text_processing', {
      name: taskType,
      displayName: taskType,
      taskType,
      actionHandler: `/${taskType}`,
    });
  }
  await app.announce('/ai_provider/speech_to_text', {
    name: 'listener',
    displayName: 'Listener',
    actionHandler: '/listen',
  });
  return app;
}

test('external apps translate and summarise; errors show a reason, and the original stays available', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  let tired = true;
  const app = await anAssistant(service, ({ text, prompt }) => {
    if (text !== undefined) {
      return text.toUpperCase();
    }
    return tired ? 'no' : `Short: ${prompt?.slice(0, 20)}`;
  });
  await subscribe(service, ada, publishFeed(feeds, '/assist.xml', 'Assist', 2));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Assist article 1 / }).click();
  const heading = page.getByRole('article').getByRole('heading', { level: 1 });
  const menu = page.getByRole('button', { name: 'Help with this article' });
  const panel = page.getByRole('region', { name: 'Help with this article' });

  await menu.click();
  await expect(page.getByRole('menuitem')).toHaveText(['Translation', 'Summary', 'Topics']);
  await page.getByRole('menuitem', { name: 'Translation' }).click();
  await expect(heading).toHaveText('ASSIST ARTICLE 1');
  await expect(page.getByRole('article').locator('.body b')).toHaveText('ARTICLE 1');
  await expect(panel.getByLabel('Into')).toHaveValue('en');
  await expect(panel.getByLabel('from')).toHaveValue('de');
  await panel.getByLabel('Into').selectOption('German');
  await expect(panel.getByLabel('from')).toHaveValue('en');
  await expect(panel.getByRole('button', { name: 'Show the original' })).toBeVisible();
  await expectAccessible(page);
  await keepPicture('reader-translation');
  await panel.getByRole('button', { name: 'Show the original' }).click();
  await expect(heading).toHaveText('Assist article 1');

  await menu.click();
  await page.getByRole('menuitem', { name: 'Summary' }).click();
  await expect(panel.getByText('I am too tired.')).toBeVisible();
  tired = false;
  await panel.getByRole('button', { name: 'Try again' }).click();
  await expect(panel.getByText(/^Short: /)).toBeVisible();
  await panel.getByRole('button', { name: 'Back to the original article' }).click();
  await expect(panel).toHaveCount(0);
  await expect(heading).toHaveText('Assist article 1');

  await menu.click();
  await page.getByRole('menuitem', { name: 'Topics' }).click();
  await page.keyboard.press('j');
  await expect(heading).toHaveText('Assist article 2');
  await expect(panel).toHaveCount(0);
  await service.run(['app_api:app:unregister', APP, '--force']);
  await app.close();
});

test('episodes with audio can be transcribed', async ({ page, ada, service, feeds }) => {
  const app = await anAssistant(service, () => null);
  feeds.publish('/episode.mp3', Buffer.from(SOUND), { contentType: 'audio/mpeg' });
  const enclosure = { url: feeds.url('/episode.mp3'), type: 'audio/mpeg' };
  const [spoken, written] = [{ title: 'Spoken', enclosure }, { title: 'Written' }];
  await subscribe(service, ada, publishFeed(feeds, '/podcast.xml', 'Podcast', [spoken, written]));
  await page.goto(`${service.url}/apps/news/`);
  const menu = page.getByRole('button', { name: 'Help with this article' });
  const panel = page.getByRole('region', { name: 'Help with this article' });

  await page.getByRole('link', { name: / Written$/ }).click();
  await menu.click();
  await expect(page.getByRole('menuitem', { name: 'Transcript' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: / Spoken$/ }).click();
  await menu.click();
  await page.getByRole('menuitem', { name: 'Transcript' }).click();

  await expect(panel.getByText('It said hello.')).toBeVisible();
  await service.run(['app_api:app:unregister', APP, '--force']);
  await app.close();
});

test('without suitable apps there is no menu', async ({ page, ada, service, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/alone.xml', 'Alone', 1));
  const asked = page.waitForResponse(/\/assistance$/);
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Alone article 1 / }).click();
  await asked;

  await expect(page.getByRole('toolbar')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Help with this article' })).toHaveCount(0);
});

/** A task as its provider sees it. */
interface ProvidedTask {
  readonly id: number;
  readonly type: string;
  readonly input: { readonly input: string };
}

/** An app that fetches its tasks, as those of today do. */
async function aTaskProvider(service: Service) {
  const app = await startExternalApp(service, APP);
  const types = ['core:text2text:translate', 'core:text2text:summary'];
  const languages = {
    origin_language: [
      { name: 'Detect language', value: 'detect_language' },
      { name: 'French', value: 'fr' },
    ],
    target_language: [
      { name: 'English', value: 'en' },
      { name: 'German', value: 'de_DE' },
    ],
  };
  for (const type of types) {
    await app.announce('/ai_provider/task_processing', {
      provider: {
        id: `${APP}:${type}`,
        name: 'Assistant',
        task_type: type,
        expected_runtime: 10,
        optional_input_shape: [],
        optional_output_shape: [],
        input_shape_enum_values: type === types[0] ? languages : {},
        optional_input_shape_enum_values: {},
        output_shape_enum_values: {},
        optional_output_shape_enum_values: {},
        input_shape_defaults: type === types[0] ? { origin_language: 'detect_language' } : {},
        optional_input_shape_defaults: {},
      },
      customTaskType: null,
    });
  }
  const credentials = Buffer.from(`:${app.secret}`).toString('base64');
  const call = (method: string, path: string, body?: object) =>
    fetch(`${service.url}/ocs/v2.php/taskprocessing/tasks_provider/${path}`, {
      method,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'OCS-APIRequest': 'true',
        'EX-APP-ID': APP,
        'EX-APP-VERSION': '1.0.0',
        'AA-VERSION': '2.2.0',
        'AUTHORIZATION-APP-API': credentials,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const query = types.map((type) => `providerIds[]=${APP}:${type}&taskTypeIds[]=${type}`).join('&');
  return {
    /** Asks until there is a task. */
    async task(): Promise<ProvidedTask> {
      for (;;) {
        const answer = await call('GET', `next?${query}`);
        if (answer.status === 200) {
          return ((await answer.json()) as { ocs: { data: { task: ProvidedTask } } }).ocs.data.task;
        }
      }
    },
    progress: ({ id }: ProvidedTask, progress: number) =>
      call('POST', `${id}/progress`, { taskId: id, progress }),
    result: ({ id }: ProvidedTask, output: string) =>
      call('POST', `${id}/result`, { taskId: id, output: { output }, errorMessage: null }),
    async close() {
      await service.run(['app_api:app:unregister', APP, '--force']);
      await app.close();
    },
  };
}

test('an app fetches a translation; its progress is shown, and it can be cancelled', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const provider = await aTaskProvider(service);
  await subscribe(service, ada, publishFeed(feeds, '/pulled.xml', 'Pulled', 1));
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('link', { name: /Pulled article 1 / }).click();
  const heading = page.getByRole('article').getByRole('heading', { level: 1 });
  const menu = page.getByRole('button', { name: 'Help with this article' });
  const panel = page.getByRole('region', { name: 'Help with this article' });

  await menu.click();
  await page.getByRole('menuitem', { name: 'Summary' }).click();
  const given = await provider.task();
  await provider.progress(given, 0.42);
  await expect(panel.getByRole('progressbar')).toHaveAttribute('value', '42');
  await expect(panel.getByText('42%')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('reader-assist-progress');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await keepPicture('reader-assist-progress-phone');
  await page.emulateMedia({ colorScheme: 'light' });
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await expect(panel).toHaveCount(0);
  await expect
    .poll(async () => (await provider.progress(given, 0.5)).text())
    .toContain('STATUS_CANCELLED');

  await menu.click();
  await page.getByRole('menuitem', { name: 'Translation' }).click();
  const task = await provider.task();
  await provider.result(task, task.input.input.toUpperCase());
  await expect(heading).toHaveText('PULLED ARTICLE 1');
  await provider.close();
});

test('titles of new articles are translated, and summaries stand above them', async ({
  page,
  ada,
  service,
  feeds,
  keepPicture,
}) => {
  const provider = await aTaskProvider(service);
  await subscribe(
    service,
    ada,
    publishFeed(feeds, '/auto.xml', 'Auto', articlesOf('Auto', 3).slice(1)),
  );
  await page.goto(`${service.url}/apps/news/`);
  await page.getByRole('button', { name: 'Menu of Auto' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Feed settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Feed settings' });
  await dialog.getByLabel('Translate titles').selectOption('English');
  await dialog.getByLabel('Summarise').selectOption('Yes');
  await expect(dialog.getByText('0 of 200 automatic tasks used today')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('reader-automation-settings');
  await page.setViewportSize(PHONE);
  await dialog.getByLabel('Summarise').scrollIntoViewIfNeeded();
  await expectAccessible(page);
  await keepPicture('reader-automation-settings-phone');
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);

  publishFeed(feeds, '/auto.xml', 'Auto', 3);
  await page.getByRole('button', { name: 'Refresh' }).click();
  for (let n = 0; n < 2; n += 1) {
    const task = await provider.task();
    const isTitle = task.type === 'core:text2text:translate';
    await provider.result(task, isTitle ? 'A title in English' : 'All in one sentence.');
  }
  const row = page.getByRole('link', { name: /A title in English/ });
  await expect(async () => {
    await page.reload();
    await expect(row).toBeVisible({ timeout: 3000 });
  }).toPass();
  await expect(page.getByRole('link', { name: /Auto article 2/ })).toBeVisible();
  await row.click();
  const article = page.getByRole('article');
  await expect(article.getByRole('heading', { level: 1 })).toHaveText('A title in English');
  await expect(article.getByText('Original: Auto article 1')).toBeVisible();
  await expect(article.getByText('All in one sentence.')).toBeVisible();
  await expectAccessible(page);
  await keepPicture('reader-automation-article');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(PHONE);
  await expectAccessible(page);
  await keepPicture('reader-automation-article-phone');
  await provider.close();
});
