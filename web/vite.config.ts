import vue from '@vitejs/plugin-vue';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const here = path.dirname(fileURLToPath(import.meta.url));

/** Repeats the dark tokens, which follow the system, for visitors who chose a dark theme. */
const chosenDarkTheme: Plugin = {
  name: 'chosen-dark-theme',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/styles/tokens.css')) {
      return null;
    }
    const block = /:root:not\(\[data-theme\]\) (\{[^}]*\})/.exec(code)?.[1];
    if (block === undefined) {
      throw new Error('tokens.css has no block for the dark theme');
    }
    return `${code}\n:root:is([data-theme='dark'], [data-theme='black']) ${block}\n`;
  },
};

/**
 * The web interface. There is no index.html: the service writes the document itself, since only it
 * knows the path prefix, the user and the request token, and finds the files by `manifest.json`.
 */
export default defineConfig({
  root: here,
  // Relative references, so that one build works below any path prefix.
  base: './',
  plugins: [vue(), chosenDarkTheme],
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
