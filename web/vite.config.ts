import vue from '@vitejs/plugin-vue';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = path.dirname(fileURLToPath(import.meta.url));

/**
 * The pages. There is no index.html: the service writes the document itself, since only it knows
 * the path prefix, the user and the request token, and finds the files by `manifest.json`.
 */
export default defineConfig({
  root: here,
  // Files refer to one another relatively, so that one build works below any path prefix.
  base: './',
  plugins: [vue()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    // One style sheet more costs less than a flash of an unstyled page.
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
