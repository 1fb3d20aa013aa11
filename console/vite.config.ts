/** How the console, the documentation page and the status page are built, to `dist/console`, and served during development (`npx vite console`). */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The documentation page has none of these. */
const sharedLibraries = /node_modules\/(antd|@ant-design|@rc-component|react-router|@tanstack)\//;
/** A file of its own for what it has as well, else it would load the libraries above with it. */
const sharedWithDocs =
  /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|use-sync-external-store|clsx|html-parse-stringify|void-elements)\//;
const groups = [
  { name: 'react', test: sharedWithDocs, priority: 1 },
  { name: 'base', test: sharedLibraries, minShareCount: 20 },
];

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  // The server puts each answer's own nonce in place of this word.
  html: { cspNonce: '__nonce__' },
  build: {
    outDir: '../dist/console',
    rolldownOptions: {
      input: ['index.html', 'docs.html', 'status.html'].map((page) => join(import.meta.dirname, page)),
      // What nearly all pages need of the libraries is one file: 17 requests less before the overview shows, of 48.
      output: { codeSplitting: { groups } },
    },
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Whose code is in the bundle, with the notices that their licences ask to be handed on.
    license: { fileName: 'licences.json' },
    // An inlined image would be a data: address in a script; a file of its own is cached for ever.
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
    // The base is 640 kB (200 kB compressed).
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/console/api': `http://127.0.0.1:${process.env['PORT'] ?? '8080'}` },
  },
});
