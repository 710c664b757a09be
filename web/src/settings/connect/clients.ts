/** The API that a client uses. */
export type ClientApi = 'news' | 'greader' | 'fever' | 'webdav';

export const API_NAMES: Readonly<Record<ClientApi, string>> = {
  news: 'Nextcloud News',
  greader: 'Google Reader',
  fever: 'Fever',
  webdav: 'WebDAV',
};

/** The form of the server address that a client asks for. */
export type AddressForm = 'root' | 'news' | 'greader' | 'fever' | 'files';

type Platform = 'Android' | 'iOS' | 'Linux' | 'macOS' | 'Windows';

/** Key of a text of the page. */
type ClientNote = 'browserLogin' | 'newsboat' | 'nextcloudApp';

/** A version of a client that was tried. */
export interface Trial {
  /** Version of the program, or of the source that was read. */
  readonly version: string;
  /** `run`: the program itself; `replayed`: its requests, in `test/compat`; `read`: its source only. */
  readonly how: 'run' | 'replayed' | 'read';
  /** A day; `CI`: each change of this service; `release`: the long run before a release. */
  readonly when?: string;
  readonly fault?: string;
}

/** How a program is connected. Each logs in with a user name and an app password. */
export interface Client {
  /** Part of the page's address. */
  readonly id: string;
  readonly name: string;
  readonly platforms: readonly Platform[];
  readonly api: ClientApi;
  /** The client's own name for it; null if there is no choice. */
  readonly accountType: string | null;
  readonly address: AddressForm;
  readonly note?: ClientNote;
  /** Whether the client, or the Nextcloud app for it, reads the login code of Nextcloud. */
  readonly readsLoginCode?: true;
  /** Only confirmed trials. */
  readonly tried?: readonly Trial[];
}

/**
 * Clients by name. Account types and addresses are from the clients, their issues or the client lists of
 * FreshRSS and Nextcloud News; docs/clients.md repeats them.
 */
export const CLIENTS: readonly Client[] = [
  greader('capy-reader', 'Capy Reader', ['Android'], {
    address: 'root',
    tried: [replayed('2026.01.1200')],
  }),
  greader('feedflow', 'FeedFlow', ['Android', 'iOS', 'Linux', 'macOS', 'Windows']),
  greader('feedme', 'FeedMe', ['Android']),
  news('fiery-feeds', 'Fiery Feeds', ['iOS', 'macOS']),
  news('fluent-reader', 'Fluent Reader', ['Linux', 'macOS', 'Windows'], {
    accountType: 'Nextcloud News API',
    address: 'news',
    tried: [replayed('1.1.4')],
  }),
  greader('fluent-reader-lite', 'Fluent Reader Lite', ['Android', 'iOS'], {
    accountType: 'Google Reader API',
    tried: [read('7fa7c7f')],
  }),
  greader('focusreader', 'FocusReader', ['Android']),
  greader('liferea', 'Liferea', ['Linux'], {
    accountType: 'Google Reader API',
    tried: [
      {
        version: '1.14.4',
        how: 'run',
        when: '2026-11-27',
        fault: 'shows articles as unread that were read elsewhere',
      },
      replayed('1.15.8', 'release'),
    ],
  }),
  greader('lire', 'lire', ['iOS', 'macOS']),
  greader('netnewswire', 'NetNewsWire', ['iOS', 'macOS'], { tried: [replayed('834decfa')] }),
  news('newsboat', 'newsboat', ['Linux', 'macOS'], {
    accountType: null,
    note: 'newsboat',
    tried: [
      {
        version: '2.21.0',
        how: 'run',
        when: 'CI',
        fault: 'crashes on articles without an author (Nextcloud News)',
      },
      replayed('2.38'),
    ],
  }),
  news('newsflash', 'NewsFlash', ['Linux'], { tried: [read('nextcloud_news_api 0.5')] }),
  {
    id: 'nextcloud',
    name: 'Nextcloud',
    platforms: ['Android', 'iOS'],
    api: 'webdav',
    accountType: null,
    address: 'root',
    note: 'browserLogin',
    readsLoginCode: true,
  },
  news('nextcloud-news', 'Nextcloud News', ['Android'], {
    accountType: null,
    note: 'nextcloudApp',
    readsLoginCode: true,
  }),
  news('nextnews', 'Nextnews', ['iOS'], { accountType: null }),
  greader('read-you', 'Read You', ['Android'], { tried: [replayed('0.15.3')] }),
  greader('readkit', 'ReadKit', ['iOS', 'macOS']),
  news('readrops', 'Readrops', ['Android'], { tried: [replayed('2.1.0', 'release')] }),
  greader('reeder-classic', 'Reeder Classic', ['iOS', 'macOS'], { address: 'root' }),
  news('rss-guard', 'RSS Guard', ['Linux', 'macOS', 'Windows'], {
    tried: [replayed('4.8.6'), replayed('5.0.4')],
  }),
  greader('twine', 'Twine', ['Android', 'iOS'], { tried: [replayed('1b9565db', 'release')] }),
  greader('unread', 'Unread', ['iOS', 'macOS']),
  greader('vienna', 'Vienna', ['macOS'], { tried: [replayed('3.9.5', 'release')] }),
];

/** An unlisted program, by its protocol; the user enters its name. */
export type OtherClient = Omit<Client, 'name'>;

export const OTHER_CLIENTS: readonly OtherClient[] = [
  other('greader', 'greader', 'FreshRSS'),
  other('news', 'root', 'Nextcloud News', { note: 'browserLogin' }),
  other('fever', 'fever', 'Fever'),
  other('webdav', 'files', null),
];

type Differences = Partial<
  Pick<Client, 'accountType' | 'address' | 'note' | 'readsLoginCode' | 'tried'>
>;

function replayed(version: string, when = 'CI'): Trial {
  return { version, how: 'replayed', when };
}

function read(version: string): Trial {
  return { version, how: 'read' };
}

function greader(id: string, name: string, platforms: Platform[], more: Differences = {}): Client {
  const usual = { accountType: 'FreshRSS', address: 'greader' } as const;
  return { id, name, platforms, api: 'greader', ...usual, ...more };
}

function news(id: string, name: string, platforms: Platform[], more: Differences = {}): Client {
  const usual = { accountType: 'Nextcloud News', address: 'root' } as const;
  return { id, name, platforms, api: 'news', ...usual, ...more };
}

function other(
  api: ClientApi,
  address: AddressForm,
  accountType: string | null,
  more: Differences = {},
): OtherClient {
  return { id: `other-${api}`, platforms: [], api, accountType, address, ...more };
}
