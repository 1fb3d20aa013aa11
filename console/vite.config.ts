/** How the console, the documentation page and the status page are built, to `dist/console`, and served during development (`npx vite console`). */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

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
    },
    emptyOutDir: true,
    manifest: 'manifest.json',
    // Whose code is in the bundle, with the notices that their licences ask to be handed on.
    license: { fileName: 'licences.json' },
    // An inlined image would be a data: address in a script; a file of its own is cached for ever.
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
    // antd and React are one chunk of 620 kB (170 kB compressed), which every page needs.
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/console/api': `http://127.0.0.1:${process.env['PORT'] ?? '8080'}` },
  },
});
