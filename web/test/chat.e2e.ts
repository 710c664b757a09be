import type { Browser, BrowserContextOptions, Locator, Page } from '@playwright/test';
import { expect, expectAccessible, logIn, test as base } from './fixtures.js';
import { startHelloApp } from './hello-app.js';
import type { Person, Service } from './service.js';

const API = '/ocs/v2.php/apps/spreed/api';
const PHONE = { width: 390, height: 844 };

interface Friend extends Person {
  /** The browser of a second user, at the conversations. */
  readonly page: Page;
}

const test = base.extend<{ bob: Friend }, { helloApp: void }>({
  bob: async ({ browser, service }, use) => {
    const person = await service.addPerson('bob');
    const page = await browserOf(browser, service, person);
    await use({ ...person, page });
    await page.context().close();
  },
  helloApp: [
    async ({ service }, use) => {
      const stop = await startHelloApp(service);
      await use();
      await stop();
    },
    { scope: 'worker' },
  ],
});

async function browserOf(
  browser: Browser,
  service: Service,
  person: Person,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await logIn(page, service, person, '/apps/spreed/');
  return page;
}

async function api<Data>(
  service: Service,
  person: Person,
  method: string,
  path: string,
  json?: object,
): Promise<Data> {
  const answer = await service.call(person, method, `${API}/${path}`, json);
  return (answer as { ocs: { data: Data } }).ocs.data;
}

/** Creates a group owned by the first of the people. @returns its token */
async function group(
  service: Service,
  name: string,
  [owner, ...others]: readonly [Person, ...Person[]],
): Promise<string> {
  const { token } = await api<{ token: string }>(service, owner, 'POST', 'v4/room', {
    roomType: 2,
    roomName: name,
  });
  for (const { userId } of others) {
    await api(service, owner, 'POST', `v4/room/${token}/participants`, { newParticipant: userId });
  }
  return token;
}

async function say(
  service: Service,
  person: Person,
  token: string,
  message: string,
  more: object = {},
): Promise<number> {
  const { id } = await api<{ id: number }>(service, person, 'POST', `v1/chat/${token}`, {
    message,
    ...more,
  });
  return id;
}

async function open(page: Page, service: Service, token: string): Promise<void> {
  await page.goto(`${service.url}/apps/spreed/${token}`);
  await expect(page.getByRole('feed', { name: 'Messages' })).toBeVisible();
}

const composer = (page: Page): Locator => page.getByRole('textbox', { name: /^Message to/ });
const message = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('feed').getByRole('article').filter({ hasText: text });
const conversation = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name });

async function write(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

async function top(of: Locator): Promise<number> {
  const box = await of.boundingBox();
  if (box === null) {
    throw new Error('It is not shown');
  }
  return box.y;
}

/** Waits until no row moves for some frames, since new rows are measured first. */
async function rowsAtRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const places = () =>
      [...document.querySelectorAll('article')]
        .map((row) => row.getBoundingClientRect().top)
        .join();
    let before = '';
    for (let stillFrames = 0; stillFrames < 10;) {
      await new Promise(requestAnimationFrame);
      const now = places();
      stillFrames = now === before ? stillFrames + 1 : 0;
      before = now;
    }
  });
}

test('two users find each other and exchange messages', async ({ page, ada, bob, service }) => {
  await page.goto(`${service.url}/apps/spreed/`);
  await expect(page.getByRole('heading', { name: 'Talk to somebody' })).toBeVisible();
  await page.getByRole('main').getByText('New conversation').click();
  const search = page.getByRole('combobox', { name: 'With whom?' });
  await expect(search).toBeFocused();
  await search.fill(bob.userId);
  await expect(page.getByRole('option')).toHaveCount(1);
  await search.press('Enter');
  await expect(page.getByRole('heading', { name: bob.userId })).toBeVisible();

  await write(page, 'Are you there?');
  await expect(message(page, 'Are you there?')).not.toContainText('Sending');

  const entry = conversation(bob.page, ada.userId);
  await expect(entry).toContainText('Are you there?');
  await expect(entry).toContainText('One unread message');
  await expect(bob.page).toHaveTitle(/^\(1\)/);
  await entry.click();
  await expect(message(bob.page, 'Are you there?')).toBeVisible();
  await expect(bob.page.getByText('New messages')).toBeVisible();
  await expect(entry).not.toContainText('unread');
  await expect(message(page, 'Are you there?').getByLabel('Read by everybody')).toBeVisible();

  await write(bob.page, 'Always.');
  await expect(message(page, 'Always.')).toBeVisible();
  await expect(message(page, 'Always.').locator('.own')).toHaveCount(0);
  await expect(message(bob.page, 'Always.').locator('.own')).toHaveCount(1);
  await expect(bob.page.getByText('New messages')).toHaveCount(0);
});

test('a message that is sent while the conversation loads is shown once', async ({
  page,
  ada,
  bob,
  service,
}) => {
  const token = await group(service, 'Early', [ada, bob]);
  const sent = Promise.withResolvers<void>();
  // The history, which has the message by then, follows the answer to sending it.
  await page.route(/\/chat\/\w+\?.*lookIntoFuture=0/, async (route) => {
    await sent.promise;
    await route.continue();
  });
  await page.goto(`${service.url}/apps/spreed/${token}`);
  const answer = page.waitForResponse((one) => one.request().method() === 'POST' && one.ok());
  await write(page, 'Too early?');
  await answer;
  sent.resolve();

  await expect(message(page, 'created the conversation')).toBeVisible();
  await expect(message(page, 'Too early?')).toHaveCount(1);
});

test('a group is created with a name and people, by keyboard', async ({
  page,
  ada,
  bob,
  service,
}) => {
  const carol = await service.addPerson('carol');
  await page.goto(`${service.url}/apps/spreed/`);
  await page.getByRole('navigation').getByRole('button', { name: 'New conversation' }).click();
  await page.getByRole('radio', { name: 'A group' }).check();
  await page.getByRole('textbox', { name: 'Name of the group' }).fill('Book club');
  const search = page.getByRole('combobox', { name: 'Invite people' });
  for (const { userId } of [bob, carol]) {
    await search.fill(userId);
    // Immediately: the typed text counts, not the previous results.
    await search.press('Enter');
    await expect(page.getByRole('button', { name: `Remove ${userId}` })).toBeVisible();
  }
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create' }).click();

  await expect(page.getByRole('heading', { name: 'Book club' })).toBeVisible();
  await expect(message(page, `${ada.userId} created the conversation`)).toBeVisible();
  await expect(message(page, `${ada.userId} added ${bob.userId}`)).toBeVisible();
  await expect(message(page, `${ada.userId} added ${carol.userId}`)).toBeVisible();
  await expect(page.getByText('Today')).toBeVisible();
  await expect(conversation(bob.page, 'Book club')).toBeVisible();
});

test('links, code and bold are formatted; HTML is shown as text', async ({
  page,
  ada,
  service,
}) => {
  const token = await group(service, 'Formats', [ada]);
  await open(page, service, token);
  await composer(page).fill('**Bold** and `x < y`, see https://example.org/a_b?c=d.');
  await composer(page).press('Shift+Enter');
  await composer(page).pressSequentially(
    '[docs](https://example.org/docs) [bad](javascript:alert(1))',
  );
  await composer(page).press('Enter');

  const said = message(page, 'Bold and x < y');
  await expect(said.locator('strong')).toHaveText('Bold');
  await expect(said.locator('code')).toHaveText('x < y');
  await expect(said.getByRole('link', { name: 'https://example.org/a_b?c=d' })).toHaveAttribute(
    'rel',
    /noopener/,
  );
  await expect(said.getByRole('link', { name: 'docs' })).toHaveAttribute(
    'href',
    'https://example.org/docs',
  );
  await expect(said.getByRole('link')).toHaveCount(2);
  await expect(said).toContainText('[bad](javascript:alert(1))');

  await say(service, ada, token, '```js\nlet a = 1;\n```\n<img src=x onerror="document.title=1">');
  await expect(page.locator('pre')).toHaveText('let a = 1;');
  await expect(message(page, '<img src=x')).toBeVisible();
  await expect(page.getByRole('feed').locator('img[src="x"]')).toHaveCount(0);
});

test('a reply shows and links to the quoted message', async ({ page, ada, bob, service }) => {
  const token = await group(service, 'Replies', [ada, bob]);
  await say(service, bob, token, 'Tea or coffee?');
  await open(page, service, token);

  await message(page, 'Tea or coffee?').focus();
  await page.keyboard.press('r');
  await expect(page.getByText(`Reply to ${bob.userId}:`)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText(`Reply to ${bob.userId}:`)).toHaveCount(0);

  await message(page, 'Tea or coffee?').hover();
  await page.getByRole('button', { name: 'Reply' }).click();
  await composer(page).press('T');
  await composer(page).press('Enter');
  const quote = page.getByRole('button', { name: `Go to the message of ${bob.userId}` });
  await expect(quote).toContainText('Tea or coffee?');
  await quote.click();
  await expect(message(page, 'Tea or coffee?').first()).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(message(page, `added ${bob.userId}`)).toBeFocused();
  await page.keyboard.press('End');
  await expect(page.getByRole('article').filter({ has: quote })).toBeFocused();
});

test('reactions are added by keyboard, counted and removed', async ({
  page,
  ada,
  bob,
  service,
}) => {
  const token = await group(service, 'Feelings', [ada, bob]);
  const id = await say(service, bob, token, 'We did it!');
  await open(page, service, token);
  await open(bob.page, service, token);

  await message(page, 'We did it!').focus();
  await page.keyboard.press('+');
  await expect(page.getByRole('group', { name: 'Emojis' })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: '🎉: you' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(page.getByRole('group', { name: 'Emojis' })).toHaveCount(0);
  await expect(message(page, 'We did it!')).toBeFocused();

  const seen = bob.page.getByRole('button', { name: '🎉: one person' });
  await seen.click();
  await expect(page.getByRole('button', { name: '🎉: 2 people, you among them' })).toBeVisible();
  await page.getByRole('button', { name: '🎉: 2 people' }).click();
  await expect(bob.page.getByRole('button', { name: '🎉: you' })).toBeVisible();
  const left = await api<Record<string, unknown[]>>(
    service,
    ada,
    'GET',
    `v1/reaction/${token}/${id}`,
  );
  expect(Object.entries(left).map(([emoji, by]) => [emoji, by.length])).toEqual([['🎉', 1]]);
});

test('users edit and delete their messages, and others see the change', async ({
  page,
  ada,
  bob,
  service,
}) => {
  const token = await group(service, 'Corrections', [ada, bob]);
  await open(page, service, token);
  await open(bob.page, service, token);
  await write(page, `Hi @${bob.userId}, see you at nien`);
  await expect(message(bob.page, 'see you at nien')).toBeVisible();
  await expect(message(page, 'see you at nien')).not.toContainText('Sending');

  await composer(page).press('ArrowUp');
  await expect(composer(page)).toHaveValue(`Hi @${bob.userId}, see you at nien`);
  await composer(page).fill(`Hi @${bob.userId}, see you at nine`);
  await composer(page).press('Enter');
  await expect(composer(page)).toHaveValue('');
  await expect(message(bob.page, 'see you at nine')).toContainText('edited');
  await expect(message(bob.page, 'see you at nine').locator('.mention.own')).toHaveText(
    `@${bob.userId}`,
  );

  // Only the owner of the group may delete.
  await message(bob.page, 'see you at nine').hover();
  await expect(bob.page.getByRole('button', { name: 'Reply' })).toBeVisible();
  await expect(bob.page.getByRole('button', { name: 'Delete' })).toHaveCount(0);
  await message(page, 'see you at nine').focus();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(message(page, 'Message deleted')).toBeVisible();
  await expect(message(bob.page, 'Message deleted')).toBeVisible();
  await expect(message(bob.page, 'see you at nine')).toHaveCount(0);
});

test('a refused change is undone, and the error is shown', async ({ page, ada, service }) => {
  const token = await group(service, 'Refusals', [ada]);
  await say(service, ada, token, 'Right words');
  await open(page, service, token);
  await page.route('**/v1/chat/*/*', (route) =>
    route.fulfill({ status: 400, json: { ocs: { meta: { message: 'Too late for that.' } } } }),
  );

  await message(page, 'Right words').focus();
  await page.keyboard.press('e');
  await composer(page).fill('Wrong words');
  await composer(page).press('Enter');
  await expect(page.getByRole('status').getByText('Too late for that.')).toBeVisible();
  await expect(message(page, 'Right words')).toBeVisible();
  await expect(message(page, 'Wrong words')).toHaveCount(0);
});

test('mentions are completed while typing, and mentioned users are notified', async ({
  page,
  ada,
  bob,
  service,
}) => {
  const token = await group(service, 'Mentions', [ada, bob]);
  await open(page, service, token);
  await composer(page).pressSequentially(`Look, @bo`);
  await expect(page.getByRole('option', { name: bob.userId })).toBeVisible();
  await composer(page).press('Escape');
  await expect(page.getByRole('option')).toHaveCount(0);
  await composer(page).press('b');
  await expect(page.getByRole('option', { name: bob.userId })).toBeVisible();
  await composer(page).press('Enter');
  await expect(composer(page)).toHaveValue(`Look, @${bob.userId} `);
  await composer(page).pressSequentially('a whale');
  await composer(page).press('Enter');
  await expect(message(page, 'a whale').locator('.mention')).toHaveText(`@${bob.userId}`);
  await expect(message(page, 'a whale').locator('.mention.own')).toHaveCount(0);

  await bob.page.reload();
  const entry = conversation(bob.page, 'Mentions');
  await expect(entry).toContainText('You were mentioned');
  await bob.page.getByRole('button', { name: /^Notifications/ }).click();
  const told = bob.page.getByRole('link', { name: `${ada.userId} mentioned you in Mentions` });
  const entryInBell = bob.page
    .getByRole('region', { name: 'Notifications' })
    .getByRole('listitem')
    .filter({ has: told });
  const date = entryInBell.locator('time');
  const dateColor = await date.evaluate((words) => getComputedStyle(words).color);
  await expect(entryInBell.getByRole('button', { name: /^Dismiss/ })).toHaveCSS('color', dateColor);
  const [words, day] = [await told.boundingBox(), await date.boundingBox()];
  expect(day?.y).toBeGreaterThanOrEqual((words?.y ?? 0) + (words?.height ?? 0));
  await bob.page.screenshot({ path: 'web/test-results/screenshots/shell-notifications.png' });
  await told.click();
  await expect(bob.page).toHaveURL(new RegExp(`/apps/spreed/${token}$`));
  await expect(message(bob.page, 'a whale').locator('.mention.own')).toBeVisible();
  await expect(bob.page.getByRole('button', { name: 'Notifications: 0' })).toBeVisible();
});

test('older messages load without a jump; one click leads to the newest', async ({
  page,
  ada,
  bob,
  service,
}) => {
  const token = await group(service, 'History', [ada, bob]);
  for (let begun = 1; begun <= 300; begun += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        say(service, ada, token, `Number ${begun + index}.\n${'line\n'.repeat(index % 4)}`),
      ),
    );
  }
  await say(service, ada, token, 'The end');
  await open(page, service, token);
  await expect(message(page, 'The end')).toBeInViewport();
  expect(await page.getByRole('article').count()).toBeLessThan(60);

  const feed = page.getByRole('feed');
  const scroller = feed.locator('xpath=..');
  // A page of messages is delayed, to compare the scroll position before and after.
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await page.route('**/v1/chat/*lookIntoFuture=0*', async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue();
  });
  await scroller.hover();
  await scroller.evaluate((element) => {
    element.scrollTop = 300;
  });
  await asked.promise;
  await rowsAtRest(page);
  const looked = page.getByRole('article').filter({ hasText: 'Number' });
  const heightBefore = await feed.evaluate((element) => element.clientHeight);
  const texts = await looked.allInnerTexts();
  const anchors = await Promise.all(texts.map((_, index) => looked.nth(index).boundingBox()));
  const seen = anchors.findIndex((box) => box !== null && box.y > 200);
  const name = /Number \d+\./.exec(texts[seen] ?? '')?.[0] ?? '';
  const anchor = message(page, name);
  const before = await top(anchor);
  // Checks every frame.
  const jumps = await anchor.evaluateHandle(
    (row, { name, before }) => {
      const seen: number[] = [];
      const { ownerDocument: page } = row;
      const look = () => {
        const rows = [...page.querySelectorAll('article')];
        const shown = rows.find(({ textContent }) => String(textContent).includes(name));
        seen.push(Math.round((shown?.getBoundingClientRect().top ?? Infinity) - before));
        page.defaultView?.requestAnimationFrame(look);
      };
      look();
      return seen;
    },
    { name, before },
  );
  held.resolve();
  await expect
    .poll(() => feed.evaluate((element) => element.clientHeight))
    .toBeGreaterThan(heightBefore + 1000);
  expect((await jumps.jsonValue()).filter((pixels) => Math.abs(pixels) > 3)).toEqual([]);

  await page.getByRole('button', { name: 'Go to the newest message' }).click();
  await expect(message(page, 'The end')).toBeInViewport();
  await scroller.evaluate((element) => {
    element.scrollTop = 300;
  });
  await expect(page.getByRole('button', { name: 'Go to the newest message' })).toBeVisible();
  await say(service, bob, token, 'One more');
  await page.getByRole('button', { name: 'One new message' }).click();
  await expect(message(page, 'One more')).toBeInViewport();
  await expect(page.getByText('New messages')).toBeInViewport();
});

test('a conversation opens at the first unread message and marks seen ones read', async ({
  page,
  ada,
  bob,
  service,
}) => {
  const token = await group(service, 'Absence', [ada, bob]);
  await say(service, ada, token, 'Before the holidays');
  for (let number = 1; number <= 40; number += 1) {
    await say(service, bob, token, `News ${number}.`);
  }
  await page.goto(`${service.url}/apps/spreed/`);
  await expect(conversation(page, 'Absence')).toContainText('40 unread messages');
  await conversation(page, 'Absence').click();

  await expect(page.getByText('New messages')).toBeInViewport();
  await expect(message(page, 'News 1.')).toBeInViewport();
  await expect(conversation(page, 'Absence')).toContainText('40 unread messages');
  await page.getByRole('button', { name: 'Go to the newest message' }).click();
  await expect(conversation(page, 'Absence')).not.toContainText('unread');
  await page.reload();
  await expect(message(page, 'News 40.')).toBeInViewport();
  await expect(page.getByText('New messages')).toHaveCount(0);
});

test('a draft survives switching conversations and reloading the page', async ({
  page,
  ada,
  service,
}) => {
  const first = await group(service, 'First', [ada]);
  await group(service, 'Second', [ada]);
  await open(page, service, first);
  await composer(page).fill('Not finished');
  await conversation(page, 'Second').click();
  await expect(page.getByRole('heading', { name: 'Second' })).toBeVisible();
  await expect(composer(page)).toHaveValue('');
  await conversation(page, 'First').click();
  await expect(composer(page)).toHaveValue('Not finished');

  await page.reload();
  await expect(composer(page)).toHaveValue('Not finished');
  await composer(page).press('Enter');
  await expect(composer(page)).toHaveValue('');
  await page.reload();
  await expect(message(page, 'Not finished')).toBeVisible();
  await expect(composer(page)).toHaveValue('');
});

test('without a connection no message is lost or sent twice', async ({
  page,
  ada,
  bob,
  service,
}) => {
  const token = await group(service, 'Tunnel', [ada, bob]);
  await open(page, service, token);
  await page.context().setOffline(true);
  await write(page, 'Can you hear me?');
  await expect(message(page, 'Can you hear me?')).toContainText('Not sent');
  await expect(page.getByText('No connection')).toBeVisible();
  await say(service, bob, token, 'You are breaking up');

  await page.context().setOffline(false);
  await expect(message(page, 'You are breaking up')).toBeVisible();
  await expect(page.getByText('No connection')).toHaveCount(0);
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(message(page, 'Can you hear me?')).not.toContainText(/Not sent|Sending/);
  await expect(message(page, 'Can you hear me?')).toHaveCount(1);
  const history = await api<{ message: string }[]>(service, bob, 'GET', `v1/chat/${token}`);
  expect(history.filter(({ message }) => message === 'Can you hear me?')).toHaveLength(1);
});

test('moderators rename, invite, promote and remove', async ({ page, ada, bob, service }) => {
  const carol = await service.addPerson('carol');
  const token = await group(service, 'Band', [ada, bob]);
  await open(page, service, token);
  await open(bob.page, service, token);
  await page.getByRole('button', { name: 'Details' }).click();
  const details = page.getByRole('complementary', { name: 'Details' });

  await details.getByRole('textbox', { name: 'Name' }).fill('Orchestra');
  await details.getByRole('textbox', { name: 'Name' }).press('Enter');
  await expect(bob.page.getByRole('heading', { name: 'Orchestra' })).toBeVisible();
  await details.getByRole('textbox', { name: 'Description' }).fill('Every Tuesday');
  await details.getByRole('textbox', { name: 'Description' }).blur();
  await expect(bob.page.getByText('Every Tuesday')).toBeVisible();

  await details.getByRole('button', { name: 'Add people' }).click();
  await details.getByRole('combobox').fill(carol.userId);
  await expect(details.getByRole('option')).toHaveCount(1);
  await details.getByRole('combobox').press('Enter');
  await expect(message(bob.page, `${ada.userId} added ${carol.userId}`)).toBeVisible();
  const member = (of: Person) => details.getByRole('listitem').filter({ hasText: of.userId });
  await member(bob)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await details.getByRole('menuitem', { name: 'Make a moderator' }).click();
  await expect(member(bob)).toContainText('Moderator');
  await expect(message(bob.page, `promoted ${bob.userId} to moderator`)).toBeVisible();
  await member(carol)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await details.getByRole('menuitem', { name: 'Remove from the conversation' }).click();
  await expect(member(carol)).toHaveCount(0);
  await expectAccessible(page);

  await member(bob)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await details.getByRole('menuitem', { name: 'Remove from the conversation' }).click();
  await expect(bob.page.getByRole('heading', { name: 'Conversation not found' })).toBeVisible();
  await expect(conversation(bob.page, 'Orchestra')).toHaveCount(0);

  await page.keyboard.press('Escape');
  await expect(details).toHaveCount(0);
  await page.getByRole('button', { name: 'Details' }).click();
  await details.getByRole('button', { name: 'Delete conversation' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page).toHaveURL(/\/apps\/spreed\/?$/);
  await expect(conversation(page, 'Orchestra')).toHaveCount(0);
});

test('other participants see the list of participants and can leave', async ({
  page,
  ada,
  bob,
  service,
}) => {
  const token = await group(service, 'Choir', [bob, ada]);
  await open(page, service, token);
  await page.getByRole('button', { name: 'Details' }).click();
  const details = page.getByRole('complementary', { name: 'Details' });

  await expect(details.getByRole('listitem').filter({ hasText: bob.userId })).toContainText(
    'Owner',
  );
  await expect(details.getByRole('textbox')).toHaveCount(0);
  await expect(details.getByRole('button', { name: 'Add people' })).toHaveCount(0);
  await expect(details.getByRole('button', { name: /^Actions for/ })).toHaveCount(0);
  await expect(details.getByRole('button', { name: 'Delete conversation' })).toHaveCount(0);
  await details.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL(/\/apps\/spreed\/?$/);
  await expect(conversation(page, 'Choir')).toHaveCount(0);
});

test('a link opens a public conversation, but not a private one of others', async ({
  page,
  ada,
  bob,
  service,
}) => {
  const secret = await group(service, 'Secret', [bob]);
  const { token } = await api<{ token: string }>(service, bob, 'POST', 'v4/room', {
    roomType: 3,
    roomName: 'Town square',
  });
  await page.goto(`${service.url}/call/${secret}`);
  await expect(page.getByRole('heading', { name: 'Conversation not found' })).toBeVisible();
  await expectAccessible(page);

  await page.goto(`${service.url}/call/${token}`);
  await expect(page.getByRole('heading', { name: 'Town square' })).toBeVisible();
  await expect(message(page, `${ada.userId} joined the conversation`)).toBeVisible();
});

test('an enabled bot replies and is marked as a bot', async ({
  page,
  ada,
  helloApp: _helloApp,
  service,
  keepPicture,
}) => {
  const token = await group(service, 'Robots', [ada]);
  await open(page, service, token);
  await page.getByRole('button', { name: 'Details' }).click();
  const bot = page.getByRole('switch', { name: 'Hello bot' });
  await bot.check();
  await page.getByRole('button', { name: 'Close the details' }).click();
  await write(page, 'Well, hello!');

  const answer = message(page, `Hello, ${ada.userId}!`).filter({ has: page.locator('.badge') });
  await expect(answer).toContainText('Bot');
  await expect(answer).toContainText('Hello bot');
  await expect(
    page.getByRole('button', { name: `Go to the message of ${ada.userId}` }),
  ).toContainText('Well, hello!');
  await expect(page.getByRole('button', { name: '👋: one person' })).toBeVisible();
  await keepPicture('chat-bot');

  await page.getByRole('button', { name: 'Details' }).click();
  await expect(bot).toBeChecked();
  await bot.uncheck();
  await expect
    .poll(() => api<{ state: number }[]>(service, ada, 'GET', `v1/bot/${token}`))
    .toEqual([expect.objectContaining({ state: 0 })]);
});

test('long-polls end when the conversation is left', async ({ page, ada, service }) => {
  const token = await group(service, 'Short', [ada]);
  const begun = page.waitForRequest(/lookIntoFuture=1/);
  await open(page, service, token);
  const waiting = await begun;
  const ended = page.waitForEvent('requestfailed', (request) => request === waiting);
  await page.getByRole('link', { name: 'Files' }).click();

  expect((await ended).failure()?.errorText).toContain('ABORTED');
});

test('chat is accessible in the light and dark theme and on a phone', async ({
  page,
  ada,
  bob,
  browser,
  service,
  keepPicture,
}) => {
  const token = await group(service, 'Summer party', [ada, bob]);
  await group(service, 'A group with a very long name that does not fit into the list', [ada]);
  await say(service, bob, token, 'Who brings what? I can make a salad.');
  const question = await say(service, bob, token, 'And **please** see https://example.org/list');
  await say(service, ada, token, 'I bring the music.', { replyTo: question });
  await api(service, ada, 'POST', `v1/reaction/${token}/${question}`, { reaction: '👍' });
  await say(service, ada, token, '```\nplay --loud --all night/*.ogg | tee /dev/null\n```');
  await open(page, service, token);
  await say(
    service,
    bob,
    token,
    `Great, @${ada.userId}! The long and the short of it: ${'it will be fine, '.repeat(12)}I hope.`,
  );
  await expect(message(page, 'I hope.')).toBeVisible();
  await message(page, 'I bring the music.').hover();
  await keepPicture('chat');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Details' }).click();
  await expect(page.getByRole('list', { name: 'Participants' }).getByRole('listitem')).toHaveCount(
    2,
  );
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepPicture('chat-details-dark');
  await expectAccessible(page);

  const phone = await browserOf(browser, service, ada, { viewport: PHONE, hasTouch: true });
  await conversation(phone, 'Summer party').tap();
  await expect(message(phone, 'I hope.')).toBeInViewport();
  await message(phone, 'I bring the music.').getByText('I bring the music.').tap();
  await expect(phone.getByRole('button', { name: 'Reply' })).toBeVisible();
  await phone.screenshot({ path: 'web/test-results/screenshots/chat-phone.png' });
  await expectAccessible(phone);
  await phone.getByRole('button', { name: 'React' }).tap();
  await expect(phone.getByRole('group', { name: 'Emojis' })).toBeInViewport({ ratio: 1 });
  await phone.screenshot({ path: 'web/test-results/screenshots/chat-phone-emojis.png' });
  await phone.keyboard.press('Escape');
  await phone.getByRole('button', { name: 'Details' }).tap();
  await phone.screenshot({ path: 'web/test-results/screenshots/chat-phone-details.png' });
  await phone.getByRole('button', { name: 'Close the details' }).tap();
  await phone.getByRole('link', { name: 'Back to the conversations' }).tap();
  await expect(conversation(phone, 'Summer party')).toBeVisible();
  await phone.screenshot({ path: 'web/test-results/screenshots/chat-phone-list.png' });
  await expectAccessible(phone);
  expect(await phone.locator('html').evaluate((html) => html.scrollWidth)).toBe(PHONE.width);
  await phone.context().close();
});
