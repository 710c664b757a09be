/** Changed files by subject, and the specs where a developer would look for their tests. */
export const AREAS = {
  identity: {
    sources: ['src/news/sources/articles/*.ts', 'src/news/feed-parser/items/*.ts'],
    specs: [
      'src/news/feed-parser/read-feed*.spec.ts',
      'test/news/{identity*,partial-documents,retention,lost-revisions,feed-moves,flood}.spec.ts',
      'test/news/{schedule,updater,politeness,extras,adding}.spec.ts',
    ],
  },
  delivery: {
    sources: ['src/news/reader/delivery/*.ts'],
    specs: [
      'test/news/{items,updater,identity-over-http,lost-revisions,kept-counts,reader-ids}.spec.ts',
      'test/news/{feed-beginnings,flag-changes,filters,retention,undo,rows*,live}.spec.ts',
      'test/news/{news-events-histories,sync-hazard}.spec.ts',
      'test/platform/accounts/account-deletion.spec.ts',
    ],
  },
  lists: {
    sources: ['src/news/reader/{items,rows,streams}/*.ts'],
    specs: [
      'test/news/{items,flag-changes,rows*,streams*,kept-counts,item-json,undo,contents}.spec.ts',
      'test/news/{loose-input,query-plans,retention,google-reader/{streams,edit-tag}}.spec.ts',
    ],
  },
  schedule: {
    sources: ['src/news/{sources/schedule,refresh,updater}/*.ts'],
    specs: [
      'test/news/{schedule,rounds,updater,refresh,politeness,retention,websub,live}.spec.ts',
      'test/changing-gets.spec.ts',
    ],
  },
  login: {
    sources: ['src/platform/sign-in/{throttle,sessions,second-factor}/**/*.ts'],
    specs: [
      'test/platform/{login*,sessions,second-factor*,proof,user-limits,allowances}.spec.ts',
      'test/platform/{limits-of-all-processes,anonymous-rows,commands}.spec.ts',
      'test/platform/sign-in/passkeys.spec.ts',
      'test/app-api/{gateway-auth,apps-origin}.spec.ts',
    ],
  },
  gateway: {
    sources: ['src/app-api/{proxy,values}/*.ts'],
    specs: [
      'test/app-api/{proxy*,apps-origin,app-api-routes-command,config-values}.spec.ts',
      'test/app-api/{preferences,app-api-commands}.spec.ts',
      'test/platform/accounts/user-limits.spec.ts',
    ],
  },
  files: {
    sources: ['src/platform/files/tree/*.ts'],
    specs: [
      'test/platform/files/{tree*,access,content*,listing,*quota*,trash*,locks,events,properties}.spec.ts',
    ],
  },
  backup: {
    sources: ['src/database/backup/*.ts'],
    specs: ['test/database/{backup*,restore-histories}.spec.ts'],
  },
};
