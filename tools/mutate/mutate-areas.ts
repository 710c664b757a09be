import { existsSync, globSync } from 'node:fs';

/** Changed files by subject, and by folder the specs where a developer would look for their tests. */
export const AREAS: Readonly<Record<string, Area>> = {
  identity: {
    sources: ['src/news/sources/articles/*.ts', 'src/news/feed-parser/items/*.ts'],
    specs: {
      'src/news/feed-parser': 'read-feed*',
      'test/news':
        'identity* partial-documents retention lost-revisions feed-moves flood schedule updater ' +
        'politeness extras adding rounds',
    },
  },
  delivery: {
    sources: ['src/news/reader/delivery/*.ts'],
    specs: {
      'test/news':
        'items updater identity-over-http lost-revisions kept-counts reader-ids feed-beginnings feed-moves ' +
        'flag-changes filters full-text retention undo rows* live news-events-histories sync-hazard ' +
        'arrival statements',
      'test/platform/accounts': 'account-deletion',
    },
  },
  lists: {
    sources: ['src/news/reader/{items,rows,streams}/*.ts'],
    specs: {
      'test/news':
        'items flag-changes rows* streams* kept-counts item-json undo contents loose-input ' +
        'query-plans retention assistance* automation arrival identity queried-articles rules ' +
        'stories merging highlights labels',
      'test/news/google-reader': 'streams edit-tag',
    },
  },
  schedule: {
    sources: ['src/news/{sources/schedule,refresh,updater}/*.ts'],
    specs: {
      'test/news':
        'schedule rounds updater refresh politeness retention websub live statistics adding ' +
        'commands-that-fetch',
      test: 'changing-gets',
    },
  },
  login: {
    sources: ['src/platform/sign-in/{throttle,sessions,second-factor}/**/*.ts'],
    specs: {
      'test/platform/sign-in':
        'login* sessions second-factor* proof passkeys remembered-logins oidc',
      'test/platform/accounts': 'user-limits commands security-events',
      'test/common': 'allowances limits-of-all-processes anonymous-rows ended-rights',
      'test/app-api': 'gateway-auth apps-origin proxy',
    },
  },
  gateway: {
    sources: ['src/app-api/{proxy,values}/*.ts'],
    specs: {
      'test/app-api':
        'proxy* apps-origin app-api-routes-command config-values preferences app-api-commands lifecycle',
      'test/common': 'open-requests',
      'test/platform/accounts': 'user-limits',
      'test/platform/installation': 'secret-key',
    },
  },
  files: {
    sources: ['src/platform/files/tree/*.ts'],
    specs: {
      'test/platform/files': 'tree* access content* listing *quota* trash* locks events properties',
      'test/app-api/task-processing': 'files',
    },
  },
  backup: {
    sources: ['src/database/backup/*.ts'],
    specs: { 'test/database': 'backup* restore-histories' },
  },
  'functions-platform': {
    sources: ['src/database/functions/platform.ts'],
    specs: {
      'test/database': 'triggers',
      'test/platform/sign-in': 'remembered-logins',
      'test/platform/files': 'content trash uploads-in-pieces',
    },
  },
  'functions-app-api': {
    sources: ['src/database/functions/app-api.ts'],
    specs: {
      'test/database': 'triggers',
      'test/app-api': 'news-events',
      'test/app-api/task-processing': 'queue consumers providers administration',
    },
  },
  'functions-news': {
    sources: ['src/database/functions/news.ts'],
    specs: {
      'test/database': 'triggers',
      'test/app-api': 'news-events',
      'test/news': 'news-events-histories reader-ids retention refresh',
    },
  },
  // The rules of the pages: files with a spec beside them.
  web: {
    sources: globSync('web/src/**/*.spec.ts')
      .map((spec) => spec.replace(/\.spec\.ts$/, '.ts'))
      .filter((file) => existsSync(file)),
    specs: { 'web/src': '**/*' },
  },
};

interface Area {
  readonly sources: readonly string[];
  readonly specs: Readonly<Record<string, string>>;
}

/**
 * Paths of an area's files.
 *
 * @throws Error if a pattern has no file: it was moved, and its tests would not run
 */
export function filesOf(area: Area): { sources: string[]; specs: string[] } {
  const found = (pattern: string) => {
    const files = globSync(pattern);
    if (files.length === 0) {
      throw new Error(`No file is ${pattern}, named in tools/mutate/mutate-areas.ts`);
    }
    return files;
  };
  const specs = Object.entries(area.specs).flatMap(([folder, names]) =>
    names.split(' ').map((name) => `${folder}/${name}.spec.ts`),
  );
  return {
    sources: area.sources.flatMap(found).toSorted(),
    specs: [...new Set(specs.flatMap(found))].toSorted(),
  };
}
