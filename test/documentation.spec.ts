import { describe, expect, it } from '@jest/globals';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { TaskProcessingSettings } from '../src/app-api/task-processing/task-processing.settings.js';
import { routesDocument } from '../src/cli/routes.command.js';
import { DEFAULT_LIMITS } from '../src/common/config/limits.js';
import { SECURITY_EVENT_KINDS } from '../src/platform/accounts/security/security-event.js';
import { loadConfig, SETTINGS } from '../src/settings.js';
import { EVENT_KINDS } from '../web/src/admin/security/event-kinds.js';
import { clientAddress } from '../web/src/settings/connect/client-address.js';
import { API_NAMES, CLIENTS, OTHER_CLIENTS } from '../web/src/settings/connect/clients.js';
import {
  specsByStatement,
  STATED,
  statementsOf,
  titlesIn,
} from './support/conformance/statements.js';
import { unknownCommandsIn } from './support/documents/commands.js';
import { anchorsOf, DOCUMENTS, proseOf } from './support/documents/documents.js';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('docs/configuration.md', () => {
  const rows = [...read('docs/configuration.md').matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \|$/gm)];
  const table = new Map(rows.map(([, name, fallback, meaning]) => [name, { fallback, meaning }]));

  it.each(Object.entries(SETTINGS))(
    'gives the default and description of %s as in the program',
    (name, schema) => {
      const row = table.get(name);

      expect(row?.meaning).toBe(schema.description);
      expect(row?.fallback).toBe(shown(schema.safeParse(undefined).data));
    },
  );

  it('lists no unknown setting', () => {
    expect([...table.keys()]).toEqual(Object.keys(SETTINGS));
  });

  function shown(fallback: unknown): string {
    if (fallback === undefined || fallback === '') {
      return 'unset';
    }
    if (fallback instanceof Set) {
      return `\`${[...fallback].join(' ')}\``;
    }
    if (typeof fallback === 'object') {
      return 'none';
    }
    return `\`${typeof fallback === 'boolean' ? (fallback ? 'on' : 'off') : String(fallback)}\``;
  }
});

describe('docs/operations', () => {
  const rows = read('docs/operations/limits.md').matchAll(/^\| `([a-z-]+)` \| ([\d,]+) \|/gm);
  const table = [...rows].map(([, name, limit = '']) => [name, Number(limit.replaceAll(',', ''))]);

  it('lists exactly the limits of the program with their defaults', () => {
    expect(Object.fromEntries(table)).toEqual(DEFAULT_LIMITS);
  });

  it('lists exactly the kinds of events of the audit log', () => {
    const [, section = ''] = read('docs/operations/monitoring.md').split(
      '| Kind | Recorded when |\n',
    );
    const [table = ''] = section.split('\n\n');
    const listed = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, kinds = '']) =>
      kinds.replaceAll('`', '').split(', '),
    );

    expect(listed.toSorted()).toEqual([...SECURITY_EVENT_KINDS].toSorted());
    expect([...EVENT_KINDS].toSorted()).toEqual([...SECURITY_EVENT_KINDS].toSorted());
  });
});

describe('docs/clients.md', () => {
  const rows = [...read('docs/clients.md').matchAll(/^\| (.*) \|$/gm)]
    .map(([, row = '']) => row.split(' | '))
    .filter((cells) => cells.length === 5);
  const addressOf = (form: Parameters<typeof clientAddress>[1]) =>
    `\`${clientAddress('https://news.example.org', form, 'USER')}\``;

  it('lists the clients of the settings page with account type and address', () => {
    const listed = CLIENTS.map(({ name, platforms, api, accountType, address }) => [
      name,
      platforms.join(', '),
      API_NAMES[api],
      accountType ?? '–',
      addressOf(address),
    ]);
    const others = OTHER_CLIENTS.map(({ api, accountType, address }) => [
      'Others',
      '',
      API_NAMES[api],
      accountType ?? '–',
      addressOf(address),
    ]);

    expect(rows.slice(1)).toEqual([...listed, ...others]);
  });

  it('says which versions were tried, and their faults', () => {
    const text = read('docs/clients.md');
    const tables = [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));
    const tried = CLIENTS.flatMap(({ name, tried: trials = [] }) =>
      trials.map(({ version, how, when = '–' }) => [name, version, how, when]),
    );
    const faults = CLIENTS.flatMap(({ name, tried: trials = [] }) =>
      trials.flatMap(({ version, fault }) => (fault ? [`${name} ${version} ${fault}`] : [])),
    );

    expect(tables.filter((cells) => cells.length === 4).slice(1)).toEqual(tried);
    expect(text).toContain(`Faults of these versions: ${faults.join('; ')}.`);
  });

  it('lists them by name, and each once', () => {
    const names = CLIENTS.map(({ name }) => name);

    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other, 'en')));
    expect(new Set([...CLIENTS, ...OTHER_CLIENTS].map(({ id }) => id)).size).toBe(
      CLIENTS.length + OTHER_CLIENTS.length,
    );
  });
});

describe('docs/decisions/0002-runtime-and-packages.md', () => {
  const table = [
    ...read('docs/decisions/0002-runtime-and-packages.md').matchAll(/^\| (`.*?) \|/gm),
  ].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));

  it('gives a reason for every dependency of the service, and names no other', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
    const needed = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) =>
      name.replace(/(?:darwin|linux)-(?:arm|x)64$/, '*'),
    );

    expect(new Set(table)).toEqual(new Set(needed));
  });
});

describe('docs/conformance', () => {
  const specs = specsByStatement();
  const statements = STATED.flatMap(statementsOf);
  const written = new Map(
    [...read('docs/conformance.md').matchAll(/^\| ([NG]\d+) \| (.*) \| (\[.*) \| (.*) \|$/gm)].map(
      ([, id = '', text = '', tests = '', result = '']) => [id, { text, tests, result }],
    ),
  );

  it.each(STATED)('%s.md: every statement is named by a test', (name) => {
    const stated = statementsOf(name).map(({ id }) => id);

    expect(stated.length).toBeGreaterThan(100);
    expect(stated.filter((id) => !specs.has(id))).toEqual([]);
  });

  it('every id in a test title is that of a statement', () => {
    const stated = new Set(statements.map(({ id }) => id));

    expect([...specs.keys()].filter((id) => !stated.has(id))).toEqual([]);
  });

  it('conformance.md has every statement, in its words, as passed ("npm run conformance")', () => {
    const shown = [...written].map(([id, { text, result }]) => ({ id, text, result }));

    expect(shown).toEqual(statements.map(({ id, text }) => ({ id, text, result: 'passed' })));
  });

  it('conformance.md names the specs of every statement', () => {
    const named = [...written].map(([id, { tests }]) => [
      id,
      [...tests.matchAll(/\]\(\.\.\/([^)]*)\)/g)].map(([, file]) => file),
    ]);

    expect(named).toEqual(statements.map(({ id }) => [id, specs.get(id)]));
  });

  it('conformance.md names only tests that exist', () => {
    const missing = [...written.values()]
      .flatMap(({ tests }) => tests.split('<br>'))
      .flatMap((ofFile) => {
        const [, file = '', titles = ''] = /\]\(\.\.\/([^)]*)\): (.*)$/.exec(ofFile) ?? [];
        const there = titlesIn(file);
        const plain = titles.replace(/\\(.)/g, '$1');
        return there.some((title) => title.test(plain)) ||
          plain.split('; ').every((one) => there.some((title) => title.test(one)))
          ? []
          : [ofFile];
      });

    expect(missing).toEqual([]);
  });
});

describe('the reverse proxy', () => {
  const file = read('deploy/nginx.conf');
  const directives = file.split('\n').map((line) => line.replace(/#.*$/, '').trim());

  it('sets every forwarded header, so that clients cannot forge them', () => {
    for (const name of ['Host', 'X-Forwarded-Host', 'X-Forwarded-For', 'X-Forwarded-Proto']) {
      expect(file).toMatch(new RegExp(`proxy_set_header ${name} \\$`));
    }
  });

  it('passes WebSockets and streams', () => {
    expect(directives).toEqual(
      expect.arrayContaining([
        'proxy_http_version 1.1;',
        'proxy_set_header Upgrade $http_upgrade;',
        'proxy_set_header Connection $connection_upgrade;',
        'proxy_buffering off;',
      ]),
    );
  });

  it('accepts recordings as large as the service does', () => {
    const { largestRecordingMib: mib } = loadConfig({}).of(TaskProcessingSettings);

    const [, largest] = /client_max_body_size (\d+)m;/.exec(file) ?? [];

    expect(Number(largest)).toBe(mib);
  });

  it('is the only address that the service trusts in docker-compose.yml', () => {
    const compose = read('docker-compose.yml');

    const [, trusted] = /GATEFOLD_TRUSTED_PROXIES: (\S+)/.exec(compose) ?? [];
    const [, proxy] = /\n {2}proxy:\n[\s\S]*?ipv4_address: (\S+)/.exec(compose) ?? [];

    expect(proxy).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(trusted).toBe(`${proxy}/32`);
  });
});

describe.each(DOCUMENTS)('%s', (document) => {
  it('links only to files and headings that exist', () => {
    const links = [
      ...proseOf(document).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g),
    ];
    const broken = links.flatMap(([link, path = '', anchor]) => {
      const file = path === '' ? document : posix.join(posix.dirname(document), path);
      const isThere = existsSync(new URL(`../${file}`, import.meta.url));
      return isThere && (anchor === undefined || anchorsOf(file).includes(anchor)) ? [] : [link];
    });

    expect(broken).toEqual([]);
  });
});

/** Those that say what is, not what was. */
const PRESENT = DOCUMENTS.filter((path) => !/^(CHANGELOG|docs\/decisions)/.test(path));

describe.each(PRESENT)('%s', (document) => {
  it('has only commands, options and scripts that exist', () => {
    expect(unknownCommandsIn(document)).toEqual([]);
  });
});

describe('What code, settings and units say of documents', () => {
  const files = globSync(['src/**/*.ts', 'web/src/**/*.{ts,vue}', 'deploy/**/*', 'test/**/*.ts'], {
    cwd: new URL('..', import.meta.url).pathname,
    exclude: ['deploy/helm/gatefold/templates/**'],
  }).filter((file) => file.includes('.'));

  it('names documents that exist, and their headings or bold words', () => {
    const plain = (text: string) => text.replaceAll('`', '');
    const broken = files.flatMap((file) =>
      [...read(file).matchAll(/\b(docs\/[\w/-]+\.md)(?: "([^"]+)")?/g)].flatMap(
        ([said, document = '', heading = '']) => {
          const isThere = existsSync(new URL(`../${document}`, import.meta.url));
          const lines = isThere ? plain(read(document)).split('\n') : [];
          const begins = ['', '**', '# ', '## ', '### '].map((mark) => mark + plain(heading));
          return lines.some((line) => begins.some((begin) => line.startsWith(begin)))
            ? []
            : [`${file}: ${said}`];
        },
      ),
    );

    expect(files.length).toBeGreaterThan(1000);
    expect(broken).toEqual([]);
  });
});

describe('docs/security.md', () => {
  it('names code and tests that exist', () => {
    const named = [
      ...read('docs/security.md').matchAll(/`((?:src|test|tools|deploy|docs)\/[\w./-]+)`/g),
    ].map(([, path = '']) => path);

    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([]);
  });
});

describe('docs/routes.md', () => {
  it('lists every route (npm run --silent gatefold -- routes --markdown >docs/routes.md)', async () => {
    expect(read('docs/routes.md').trimEnd()).toBe(await routesDocument());
  });
});
