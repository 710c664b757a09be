import vue from '@vitejs/plugin-vue';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { englishFirst, TEXTS } from './english-first.js';

const here = path.dirname(fileURLToPath(import.meta.url));

/** What pages of external apps have in common, in frames and not. */
const APP_GLOBALS =
  /\/src\/(?:app-frame\/frame-messages|embedded\/(?:addresses|app-theme|calendar-names|event-bus|host-globals|initial-states|translations))\.ts$/;

/** Loaded when one of their pages is opened. */
const OF_ROUTES = new Set([
  'admin',
  'chat',
  'files',
  'groups',
  'highlights',
  'imports',
  'publishing',
  'rules',
  'settings',
]);

/** Repeats the dark properties, which follow the system, for visitors who chose a dark theme. */
const chosenDarkTheme: Plugin = {
  name: 'chosen-dark-theme',
  enforce: 'pre',
  transform(code, id) {
    if (!/\/(?:tokens|embedded)\.css(?:\?|$)/.test(id)) {
      return null;
    }
    const block = /:root:not\(\[data-theme\]\) (\{[^}]*\})/.exec(code)?.[1];
    if (block === undefined) {
      throw new Error(`${id} has no block for the dark theme`);
    }
    return `${code}\n:root:is([data-theme='dark'], [data-theme='black']) ${block}\n`;
  },
};

/** Writes the names of the reader's files into the service worker, which keeps them for offline use. */
const offlineFiles: Plugin = {
  name: 'offline-files',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    const worker = path.join(dir, 'sw.js');
    const source = await readFile(worker, 'utf8');
    const place = 'const READER_FILES = [];';
    if (!source.includes(place)) {
      throw new Error(`sw.js has no line “${place}”`);
    }
    const files = JSON.stringify(readerFiles(bundle));
    await writeFile(worker, source.replace(place, `const READER_FILES = ${files};`));
  },
};

/** The pages' first script and the chunks of the reader, with what they import. */
function readerFiles(bundle: Rolldown.OutputBundle): string[] {
  const files = new Set<string>();
  const add = (file: string) => {
    const chunk = bundle[file];
    if (files.has(file) || chunk?.type !== 'chunk') {
      return;
    }
    files.add(file);
    chunk.viteMetadata?.importedCss.forEach((style) => files.add(style));
    chunk.imports.forEach(add);
  };
  for (const chunk of Object.values(bundle)) {
    if (chunk.type !== 'chunk') {
      continue;
    }
    const source = chunk.facadeModuleId ?? '';
    if (
      source === path.join(here, 'src/main.ts') ||
      source.startsWith(path.join(here, 'src/reader/'))
    ) {
      add(chunk.fileName);
    }
  }
  return [...files].sort();
}

/**
 * The web interface. There is no index.html: the service writes the document itself, since only it
 * knows the path prefix, the user and the request token, and finds the files by `manifest.json`.
 */
export default defineConfig({
  root: here,
  // Relative references, so that one build works below any path prefix.
  base: './',
  plugins: [vue(), englishFirst, chosenDarkTheme, offlineFiles],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    // An additional style sheet costs less than a flash of unstyled content.
    cssCodeSplit: true,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: {
        pages: path.join(here, 'src/main.ts'),
        embedded: path.join(here, 'src/embedded/main.ts'),
        framed: path.join(here, 'src/framed/main.ts'),
      },
      output: {
        // Without the names of all pages that share it.
        chunkFileNames: ({ name }) =>
          `assets/${name.startsWith('shared~') ? 'shared' : '[name]'}-[hash].js`,
        // The texts of a language are one request; areas that few visits open have their own.
        codeSplitting: {
          groups: [
            {
              test: TEXTS,
              debugName: 'texts',
              name: (module) => {
                const [, language = '', area = ''] = TEXTS.exec(module) ?? [];
                return OF_ROUTES.has(area) ? `texts-${language}-${area}` : `texts-${language}`;
              },
            },
            // Pages of apps in frames load nothing of ours but this.
            { name: 'app-globals', test: APP_GLOBALS },
            // Few files: one request costs more than a few unused kilobytes. What one page alone uses stays with it.
            { name: 'framework', test: /node_modules/, tags: ['$initial'] },
            { name: 'shell', minShareCount: 2, tags: ['$initial'] },
            // Otherwise small parts of other pages ride along with what the reader loads.
            {
              name: 'administration',
              minShareCount: 2,
              test: /\/src\/(?:admin\/|settings\/|parts\/(?:declarative\/|ProofFields|ShownOnceDialog|Copy))/,
              includeDependenciesRecursively: false,
            },
            {
              name: 'group-folders',
              minShareCount: 2,
              test: /\/src\/parts\/group-folders\//,
              includeDependenciesRecursively: false,
            },
            {
              name: 'rules',
              minShareCount: 2,
              test: /\/src\/reader\/(?:rules|notices|model\/(?:rules|notices)-api)/,
              includeDependenciesRecursively: false,
            },
            {
              name: 'adding',
              minShareCount: 2,
              test: /\/src\/reader\/feeds\/(?:Access|Certificate|Header|FeedChoices|FeedPreview)/,
              includeDependenciesRecursively: false,
            },
            {
              name: 'imports',
              minShareCount: 2,
              test: /\/src\/reader\/(?:imports|opml)\//,
              includeDependenciesRecursively: false,
            },
            {
              name: 'shared',
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 4_000,
            },
          ],
        },
      },
    },
  },
  define: {
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_I18N_LEGACY_API__: 'false',
    __VUE_I18N_FULL_INSTALL__: 'false',
    __INTLIFY_PROD_DEVTOOLS__: 'false',
    __INTLIFY_DROP_MESSAGE_COMPILER__: 'false',
  },
});
