import { randomBytes } from 'node:crypto';
import { writePdf } from './demo-pdf.js';
import { drawScene, type SceneKind } from './demo-pictures.js';
import { ServiceClient } from './service-client.js';

const DAY_SECONDS = 86_400;

/** Older items are read, as after some days of use. */
const READ_AFTER_DAYS = 6;

interface DemoItem {
  readonly id: number;
  readonly title: string;
  readonly pubDate: number;
}

/** Subscribes to the feeds, in folders by language. @returns how many articles there are */
export async function subscribeToAll(
  client: ServiceClient,
  feeds: readonly { readonly url: string; readonly language: string }[],
): Promise<number> {
  const folders = new Map<boolean, number | null>();
  for (const [isEnglish, name] of [
    [true, 'Reading'],
    [false, 'العربية · 日本語'],
  ] as const) {
    const created = await client.news<{ folders: { id: number }[] }>('POST', '/folders', { name });
    folders.set(isEnglish, created.folders[0]?.id ?? null);
  }
  for (const { url, language } of feeds) {
    const folderId = folders.get(language === 'en') ?? null;
    await client.news('POST', '/feeds', { url, folderId });
  }
  const { items } = await client.news<{ items: DemoItem[] }>('GET', '/items?batchSize=-1');
  const readBefore = Date.now() / 1000 - READ_AFTER_DAYS * DAY_SECONDS;
  const idsOf = (wanted: (item: DemoItem) => boolean) => items.filter(wanted).map(({ id }) => id);
  await client.news('POST', '/items/read/multiple', {
    itemIds: idsOf(({ pubDate }) => pubDate < readBefore),
  });
  await client.news('POST', '/items/star/multiple', {
    itemIds: idsOf(({ title }) => /clocks in this house|Eleven hours|ranked/.test(title)),
  });
  return items.length;
}

const PICTURES: readonly (readonly [string, SceneKind, number])[] = [
  ['Bay in the evening', 'sea', 215],
  ['From the pass', 'hills', 250],
  ['Harbour street', 'city', 20],
  ['The beds in June', 'garden', 110],
  ['Fog at seven', 'mist', 200],
  ['Paint test', 'abstract', 320],
];

/** Stores some files, pictures and a PDF among them. */
export async function storeFiles(client: ServiceClient): Promise<void> {
  await client.store('Pictures');
  await client.store('Letters');
  await Promise.all(
    PICTURES.map(async ([name, kind, hue]) =>
      client.store(`Pictures/${name}.jpg`, await drawScene(kind, hue, name)),
    ),
  );
  await client.store(
    'Ferry times.pdf',
    writePdf([
      'Ferry times from December',
      '6:10  Early',
      '7:40  School',
      '12:00  Noon',
      '22:15  Late',
    ]),
  );
  await client.store(
    'Letters/To the harbour office.md',
    '# A gate\n\nDear all,\n\nthe gate is mine.\n',
  );
  await client.store('Shopping.txt', 'Carrots\nOats\nLamp oil\n');
}

const PEOPLE = [
  ['mira', 'Mira Sund'],
  ['jonas', 'Jonas Quill'],
] as const;

/** Creates two more users and a conversation with them. */
export async function converse(admin: ServiceClient, address: string): Promise<void> {
  const clients = await Promise.all(
    PEOPLE.map(async ([userid, displayName]) => {
      const password = randomBytes(18).toString('base64url');
      await admin.ocs('POST', '/cloud/users', { userid, password, displayName });
      return new ServiceClient(address, userid, password);
    }),
  );
  const room = await admin.ocs<{ token: string }>('POST', '/apps/spreed/api/v4/room', {
    roomType: 2,
    roomName: 'Reading circle',
  });
  for (const { userId } of clients) {
    await admin.ocs('POST', `/apps/spreed/api/v4/room/${room.token}/participants`, {
      newParticipant: userId,
      source: 'users',
    });
  }
  const [mira, jonas] = clients;
  const said = [
    [mira, 'Has anybody read the one about the clocks?'],
    [admin, 'Twice. My pendulum is six seconds late as well.'],
    [jonas, 'The footnotes are the best part 🙂'],
    [mira, 'The pictures of the bay are in the files, under Pictures.'],
  ] as const;
  for (const [person, message] of said) {
    await person?.ocs('POST', `/apps/spreed/api/v1/chat/${room.token}`, { message });
  }
}
