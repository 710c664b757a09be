import { expect, expectAccessible, test } from './fixtures.js';
import { startExternalApp, type ExternalApp } from './external-app.js';
import { publishFeed, subscribe } from './reader-feeds.js';
import type { Service } from './service.js';

const APP = 'assistant';
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
