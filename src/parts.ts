import type { Type } from '@nestjs/common';
import type { PartName } from './common/config/parts.js';

/** The others are packages that are loaded at their first use. */
type LoadedPart = Exclude<PartName, 'mail' | 'object-store' | 'tracing'>;

/** Each part with the modules of it. A part that is off is not imported. */
const MODULES: Readonly<Record<LoadedPart, () => Promise<Type[]>>> = {
  reader: async () => [(await import('./news/news.module.js')).NewsModule],
  'google-reader': async () => [
    (await import('./news/google-reader/google-reader.module.js')).GoogleReaderModule,
  ],
  fever: async () => [(await import('./news/fever/fever.module.js')).FeverModule],
  'saved-pages': async () => [
    (await import('./news/saved-pages/saved-pages.module.js')).SavedPagesModule,
  ],
  'feeds-out': async () => [(await import('./news/feeds-out/feeds-out.module.js')).FeedsOutModule],
  assistance: async () => [
    (await import('./news/assistance/assistance.module.js')).AssistanceModule,
  ],
  stories: async () => [(await import('./news/reader/stories/stories.module.js')).StoriesModule],
  highlights: async () => [
    (await import('./news/reader/highlights/highlights.module.js')).HighlightsModule,
  ],
  'group-folders': async () => [
    (await import('./news/group-folders/group-folders.module.js')).GroupFoldersModule,
  ],
  boards: async () => [(await import('./news/boards/boards.module.js')).BoardsModule],
  apps: async () => [(await import('./app-api/app-api.module.js')).AppApiModule],
  'task-processing': async () => [
    (await import('./app-api/task-processing/task-processing.module.js')).TaskProcessingModule,
  ],
  files: async () => [(await import('./platform/files/files.module.js')).FilesModule],
  'files-extras': async () => [
    (await import('./platform/files/archives/archives.module.js')).FileArchivesModule,
    (await import('./platform/files/piecewise/piecewise.module.js')).PiecewiseUploadsModule,
    (await import('./platform/files/previews/previews.module.js')).FilePreviewsModule,
    (await import('./platform/files/search/search.module.js')).FilesSearchModule,
    (await import('./platform/files/trash/trash.module.js')).TrashModule,
  ],
  chat: async () => [(await import('./platform/chat/chat.module.js')).ChatModule],
  ldap: async () => [(await import('./platform/sign-in/ldap/ldap.module.js')).LdapModule],
  scim: async () => [(await import('./platform/sign-in/scim/scim.module.js')).ScimModule],
  oidc: async () => [(await import('./platform/sign-in/oidc/oidc.module.js')).OidcModule],
};

/** The modules of these parts. */
export async function modulesOf(parts: ReadonlySet<PartName>): Promise<Type[]> {
  const loads = Object.entries(MODULES).filter(([name]) => parts.has(name as PartName));
  return (await Promise.all(loads.map(([, load]) => load()))).flat();
}
